// The Contraction Engine chapter, row by row: what Aligner and Reducer accept, the mappings and settings that come out, and what is refused.
// Values are tested where the interpreter is, cycles where the machine is.
#include <gtest/gtest.h>

#include <vector>

#include "book/rules/contraction_example.hpp"
#include "tcp/rules/pass_state.hpp"

namespace tcp {
namespace {

using book::BookEntry, book::code_of, book::Contraction, book::innermost_first, book::lanes_agree, book::sentence_of;
using enum ScalarType;
using Entries = std::vector<BookEntry>;
constexpr auto Interleaved = AccumulationKind::Interleaved;
constexpr auto Sequential = AccumulationKind::Sequential;

/// Time and Packet of the result, kinds of padding aside.
::testing::AssertionResult gives(const Contraction& c, const Expected<Accumulated>& a, std::string_view time, std::string_view packet) {
  if (!a) return ::testing::AssertionFailure() << sentence_of(a);
  if (equivalent(a->out.time, c.map(time)) && equivalent(a->out.packet, c.map(packet))) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "Time " << text(a->out.time).view() << ", Packet " << text(a->out.packet).view();
}

// --- Overview ---------------------------------------------------------------------------------------------------------------------------

TEST(Book, CTR_003_slices_are_left_alone) {
  // Sums over slices and chips are the Vector Engine's.
  Contraction c("S = 256, N = 8, K = 8192", bf16, "K / 16 % 2", "K % 16", "N", "K % 32");
  for (Levels* side : {&c.stream, &c.trf}) side->set(Level::slice, c.map("K / 32"));
  auto const sums = c.contract(c.align("1", "K % 32"), "1");
  EXPECT_EQ(sums.value().at[Level::slice], c.map("K / 32"));
}

TEST(Book, CTR_004_the_order_of_the_calls) {
  // Weights: collect, to_trf. Activations: collect, align, contract, accumulate. Each takes what the one before it gives.
  Axes const axes = parse_axes("M = 32, N = 8, K = 32").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  auto const weights = check_collect(rngd, bf16, map("N"), map("K"), map("N, K / 16"), map("K % 16")).value();
  auto const trf = check_to_trf(rngd, bf16, weights.time, weights.packet, map("N"), map("K"), TrfAddress::Full).value();
  auto const data = check_collect(rngd, bf16, map("M"), map("K"), map("M, K / 16"), map("K % 16")).value();
  Levels stream, stored;
  stream.set(Level::time, data.time).set(Level::packet, data.packet);
  stored.set(Level::row, trf.row).set(Level::element, trf.element);
  auto const pair = check_align(rngd, bf16, stream, bf16, stored, map("M"), map("K")).value();
  auto const sums = check_contract(rngd, ContractOp::Add, pair.type, pair.at, map("1")).value();
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, sums.type, sums.at, map("M"), map("N")).value();
  EXPECT_EQ(result.type, f32);
}

TEST(Book, CTR_005_strategies) {
  // VMK, VNK -> VMN by K in the Reducer, by V in the packet, and with N over Rows and M over Time.
  std::string_view const sizes = "V = 32, M = 4, N = 8, K = 32";
  Contraction const by_k(sizes, bf16, "V, M, K / 16", "K % 16", "N", "V, K");
  EXPECT_EQ(code_of(by_k.align("V, M", "K")), "accepted");
  Contraction const by_v(sizes, bf16, "M, K, V / 16", "V % 16", "N", "K, V");
  EXPECT_EQ(code_of(by_v.align("M, K", "V")), "accepted");
  Contraction const by_m(sizes, bf16, "V, M, K / 16", "K % 16", "N", "V, K");
  EXPECT_EQ(code_of(by_m.accumulate(by_m.contract(by_m.align("V, M", "K"), "1"), "V, M", "N", Interleaved)), "accepted");
}

TEST(Book, CTR_006_k_contracted_by_the_reducer) {
  // The dump's sizes contradict each other (F-21); its structure: K in the packet and gone, N on Rows, the rest of N in Time.
  Contraction const c("V = 4, M = 4, N = 24, K = 32", bf16, "V, M, N / 8, K / 16", "K % 16", "N % 8", "V, N / 8, K");
  auto const pair = c.align("V, M, N / 8", "K");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_TRUE(gives(c, c.accumulate(c.contract(pair, "1"), "V, M, N / 8", "N % 8", Interleaved), "V, M, N / 8", "N % 8"));
}

TEST(Book, CTR_007_v_vectorized) {
  Contraction const c("M = 5, N = 24, K = 32, V = 32", bf16, "M, N / 8, K, V / 16", "V % 16", "N % 8", "N / 8, K, V");
  auto const pair = c.align("M, N / 8, K", "V");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  auto const sums = c.contract(pair, "V");
  EXPECT_EQ(sums.value().depth, 0) << "V survives";
  auto const result = c.accumulate(sums, "M, N, V / 8", "V % 8", Sequential);
  EXPECT_TRUE(gives(c, result, "M, N, V / 8", "V % 8")) << "K is added over time";
}

TEST(Book, CTR_008_n_and_m_tiled) {
  Contraction const c("V = 5, N = 24, K = 32, M = 32", bf16, "V, N / 8, K, M / 16", "M % 16", "N % 8", "V, N / 8, K");
  auto const pair = c.align("V, N / 8, K", "M");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->trf.read, Bytes{2}) << "one weight for all of M";
  EXPECT_TRUE(gives(c, c.accumulate(c.contract(pair, "M"), "V, N, M / 8", "M % 8", Sequential), "V, N, M / 8", "M % 8"));
}

/// The convolutions: H, C / 8, Fh and K in Time, made by the fetch; K = 4 instead of 32 and fewer rows, which changes no rule.
struct Convolution : Contraction {
  Convolution(std::string_view sizes, std::string_view window, std::string_view element = "K, C, Fh, Fw")
      : Contraction(text(sizes, ", Fh = 2, K = 4, C = 24").view(), bf16, "H, C / 8, Fh, K", window, "C % 8", ordered(element)) {}

  /// C's Rows are not in Element.
  static std::string_view ordered(std::string_view element) {
    return element == "K, C, Fh, Fw" ? std::string_view("K, C / 8, Fh, Fw") : element;
  }
};

TEST(Book, CTR_010_filter_stride_1) {
  Convolution const c("H = 3, W = 30, Fw = 3", "$(W, Fw)");
  auto const pair = c.align("H, C / 8, Fh, K, Fw", "W # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->adapter.shift_stride, 1);
  EXPECT_EQ(pair->adapter.shifts, 3) << "the first and two shifts";
  EXPECT_EQ(pair->adapter.collect_flits, 2);
  auto const result = c.accumulate(c.contract(pair, "W # 32"), "H, C, W # 32 / 8", "W # 32 % 8", Sequential);
  EXPECT_TRUE(gives(c, result, "H, C, W # 32 / 8", "W # 32 % 8")) << "C = 24 (F-22)";
}

TEST(Book, CTR_011_filter_stride_2) {
  Convolution const c("H = 3, W = 15, Fw = 4", "$(W:2, Fw)");
  auto const pair = c.align("H, C / 8, Fh, K, Fw / 2", "W # 16, Fw % 2");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->adapter.shift_stride, 2);
  EXPECT_EQ(pair->adapter.shifts, 2) << "the first and one shift";
  auto const sums = c.contract(pair, "W # 16");
  EXPECT_EQ(sums.value().depth, 1) << "Fw % 2 is added by the tree";
  EXPECT_TRUE(gives(c, c.accumulate(sums, "H, C, W # 16 / 8", "W # 16 % 8", Sequential), "H, C, W # 16 / 8", "W # 16 % 8"));
}

TEST(Book, CTR_012_filter_stride_2_with_three_flits) {
  Convolution const c("H = 3, W = 16, Fw = 4", "$(W:2, Fw) # 48");
  auto const pair = c.align("H, C / 8, Fh, K, Fw / 2", "W, Fw % 2");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->adapter.collect_flits, 3) << "feed_flits (F-25)";
  EXPECT_EQ(pair->at[Level::packet], c.map("W, Fw % 2")) << "32 of 32 positions are used";
  EXPECT_TRUE(c.contract(pair, "W"));
}

TEST(Book, CTR_013_dilation_2) {
  Convolution const c("H = 3, W = 27, Fw = 3", "$(W, Fw:2) # 32");
  auto const pair = c.align("H, C / 8, Fh, K, Fw", "W # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->adapter.shift_stride, 2);
  EXPECT_EQ(pair->adapter.shifts, 3);
}

TEST(Book, CTR_014_stride_2_and_dilation_2) {
  Convolution const c("H = 3, W = 14, Fw = 3", "$(W:2, Fw:2) # 32", "K, C / 8, Fh, Fw, 1 #z 2");
  auto const pair = c.align("H, C / 8, Fh, K, Fw", "W # 16, 1 # 2");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->adapter.shift_stride, 2);
  EXPECT_EQ(pair->at[Level::packet], c.map("W # 16, 1 #z 2"));
  EXPECT_EQ(code_of(c.contract(pair, "W # 16")), "accepted");
}

TEST(Book, CTR_015_kinds_of_padding) {
  // 1# with 1z is one valid result, 1# with 1# is none.
  Convolution c("H = 3, W = 14, Fw = 3", "$(W:2, Fw:2) # 32", "K, C / 8, Fh, Fw, 1 # 2");
  auto const pair = c.align("H, C / 8, Fh, K, Fw", "W # 16, 1 # 2");
  EXPECT_EQ(code_of(c.contract(pair, "W # 16")), "contraction-undefined-padding");
  EXPECT_EQ(code_of(c.contract(pair, "W # 16, 1 # 2")), "accepted") << "what is not summed may stay undefined";
}

TEST(Book, CTR_016_extent_of_a_window) {
  EXPECT_EQ(parse("$(W, Fw)", parse_axes("W = 30, Fw = 3").value()).value().size, 32);
  EXPECT_EQ(parse("$(W:2, Fw)", parse_axes("W = 15, Fw = 4").value()).value().size, 32);
  EXPECT_EQ(parse("$(W:2, Fw)", parse_axes("W = 16, Fw = 4").value()).value().size, 34);
  EXPECT_EQ(parse("$(W:2, Fw:2)", parse_axes("W = 14, Fw = 3").value()).value().size, 31);
  EXPECT_EQ(parse("$(W, Fw:2)", parse_axes("W = 27, Fw = 3").value()).value().size, 31) << "F-23";
}

TEST(Book, CTR_017_both_paths_have_one_mapping) {
  Contraction c("M = 32, N = 8, K = 64", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_EQ(code_of(c.align("M, K / 32", "K % 32")), "accepted");
  c.trf.set(Level::element, c.map("K = 48"));
  EXPECT_EQ(code_of(c.align("M, K / 32", "K % 32")), "sequence-insufficient-input") << "weights that are not there";
  c.trf.set(Level::element, c.map("K, M / 16"));
  EXPECT_EQ(code_of(c.align("M, K / 32", "K % 32")), "sequence-insufficient-input") << "half of M";
  c.trf.set(Level::element, c.map("K % 16, K / 16"));
  EXPECT_EQ(code_of(c.align("M, K / 32", "K % 32")), "contraction-trf-not-repeated") << "in another order within the packet";
}

TEST(Book, CTR_018_trf_capacity) {
  Axes const axes = parse_axes("N = 8, K = 4096, L = 8192").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, map("N, K / 16"), map("K % 16"), map("N"), map("K"), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, map("N, L / 16"), map("L % 16"), map("N"), map("L"), TrfAddress::Full)),
            "memory-trf-too-large");
}

TEST(Book, CTR_019_rows_in_use) {
  for (const char* row : {"1", "N / 4", "N / 2", "N"}) {
    Contraction const c("M = 32, N = 8, K = 32", bf16, "M, K / 16", "K % 16", row, "K");
    EXPECT_EQ(code_of(c.align("M", "K")), "accepted") << row;
  }
}

TEST(Book, CTR_020_flit_buffer) {
  Contraction const c("M = 2, W = 60, F = 3", bf16, "M", "$(W, F) # 64", "1", "F");
  EXPECT_EQ(code_of(c.align("M, F", "W # 64")), "contraction-packet-size") << "before all, a packet is 64 bytes";
  EXPECT_EQ(code_of(collected(rngd, bf16, c.map("M"), c.map("$(W, F) # 64"))), "contraction-flit-buffer") << "128 bytes";
}

TEST(Book, CTR_021_operand_types) {
  for (ScalarType type : {i4, i5, i8, i9, f8e4m3, f8e5m2, bf16}) EXPECT_EQ(code_of(check_operand_types(type, type)), "accepted");
  for (ScalarType type : {i16, i32, f4e2m1, f16, f32}) EXPECT_EQ(code_of(check_operand_types(type, type)), "contraction-operand-type");
}

TEST(Book, CTR_022_results_are_wide) {
  for (ScalarType type : {i4, i5, i8, i9}) EXPECT_EQ(wide_type(type), i32);
  for (ScalarType type : {f8e4m3, f8e5m2, bf16}) EXPECT_EQ(wide_type(type), f32);
  Contraction const c("M = 4, N = 8, K = 64", i8, "M, K / 32", "K % 32", "N", "K");
  EXPECT_EQ(c.contract(c.align("M", "K"), "1").value().type, i32);
}

// --- Aligner ----------------------------------------------------------------------------------------------------------------------------

TEST(Book, CTR_026_computation_mapping) {
  Contraction c("S = 4, M = 32, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  c.stream.set(Level::slice, c.map("S"));
  c.trf.set(Level::slice, c.map("S"));
  Levels const at = c.align("M", "K").value().at;
  EXPECT_EQ(at[Level::chip], c.map("1"));
  EXPECT_EQ(at[Level::cluster], c.map("1"));
  EXPECT_EQ(at[Level::slice], c.map("S"));
  EXPECT_EQ(at[Level::row], c.map("N"));
  EXPECT_EQ(at[Level::time], c.map("M"));
  EXPECT_EQ(at[Level::packet], c.map("K"));
}

TEST(Book, CTR_027_weights_may_be_reordered_data_not) {
  Contraction const c("M = 4, O = 2, N = 8, K = 16", bf16, "M, O", "K", "N", "O, M, K");
  EXPECT_EQ(code_of(c.align("M, O", "K # 32")), "accepted");
  EXPECT_EQ(code_of(c.align("O, M", "K # 32")), "contraction-time-wrong");
}

TEST(Book, CTR_028_store_of_the_example) {
  Axes const axes = parse_axes("M = 32, N = 8, K = 16, L = 2, O = 2").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  auto const trf = check_to_trf(rngd, bf16, map("N, O, M"), map("K"), map("N"), map("O, M, K"), TrfAddress::FirstHalf);
  ASSERT_TRUE(trf) << sentence_of(trf);
  EXPECT_EQ(trf->element.size, 1024);
  EXPECT_EQ(trf->row_bytes, Bytes{2048});
}

/// Batched matrix multiplication: the chapter's first program.
struct Batched : Contraction {
  explicit Batched(std::string_view time = "M, O, L", std::string_view element = "O, M, K")
      : Contraction("M = 32, N = 8, K = 16, L = 2, O = 2", bf16, time, "K", "N", element) {}
};

TEST(Book, CTR_029_main_path_of_the_example) {
  Batched const c;
  auto const pair = c.align("M, O", "L, K");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(pair->adapter.collect_flits, 2);
  EXPECT_EQ(pair->trf.read, Bytes{32});
  EXPECT_EQ(pair->trf.repeats, 2);
  EXPECT_EQ(innermost_first(pair->trf.loops), (Entries{{2, 1024}, {32, 32}}));
  auto const sums = c.contract(pair, "L");
  auto const result = c.accumulate(sums, "M, O, L", "N", Interleaved);
  EXPECT_TRUE(gives(c, result, "M, O, L", "N"));
  EXPECT_EQ(result.value().type, f32);
}

TEST(Book, CTR_030_entry_0_is_the_innermost_loop) {
  EXPECT_EQ(innermost_first(Batched().align("M, O", "L, K").value().trf.loops).front(), (BookEntry{2, 16 * 32 * 2})) << "O, in bytes";
}

TEST(Book, CTR_031_align_needs_the_same_slices) {
  Contraction c("S = 4, M = 32, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  c.stream.set(Level::slice, c.map("S"));
  EXPECT_EQ(code_of(c.align("M", "K")), "contraction-other-slices");
  c.trf.set(Level::slice, c.map("S"));
  EXPECT_EQ(code_of(c.align("M", "K")), "accepted");
  c.trf.set(Level::cluster, c.map("1 # 2"));
  EXPECT_EQ(code_of(c.align("M", "K")), "contraction-other-slices");
  c.stream.set(Level::cluster, c.map("1 # 2"));
  c.stream.set(Level::chip, c.map("1 # 2"));
  EXPECT_EQ(code_of(c.align("M", "K")), "contraction-other-slices");
}

TEST(Book, CTR_032_operations_of_the_adapter) {
  Contraction const c("M = 4, L = 2, T = 3, N = 8, K = 16", bf16, "M, L", "K", "N", "T, K");
  auto const pair = c.align("M, T", "L, K").value();
  EXPECT_EQ(pair.adapter.collect_flits, 2);
  EXPECT_EQ(pair.adapter.tiles, 3);
  EXPECT_EQ(pair.at[Level::row], c.map("N")) << "the same packet for all Rows";
}

TEST(Book, CTR_033_one_flit_and_zeros) {
  Contraction const c("M = 32, N = 8, K = 16", bf16, "M", "K", "N", "K");
  auto const pair = c.align("M", "K # 32").value();
  EXPECT_EQ(pair.adapter.collect_flits, 1);
  EXPECT_EQ(pair.at[Level::packet], c.map("K #z 32"));
  EXPECT_EQ(pair.at[Level::time], c.map("M")) << "nothing of Time is taken";
}

TEST(Book, CTR_034_two_flits) {
  auto const pair = Batched().align("M, O", "L, K").value();
  EXPECT_EQ(pair.adapter.collect_flits, 2);
  EXPECT_EQ(code_of(Contraction("M = 3, N = 8, K = 16", bf16, "M", "K", "N", "K").align("1", "M, K")), "contraction-packet-size")
      << "three flits of 96 bytes are for windows (CTR-035)";
}

TEST(Book, CTR_035_three_flits_are_for_shifts) {
  Contraction const c("M = 3, W = 16, F = 4", bf16, "M", "$(W:2, F) # 48", "1", "F");
  EXPECT_EQ(c.align("M, F / 2", "W, F % 2").value().adapter.collect_flits, 3);
}

TEST(Book, CTR_036_packets_of_64_bytes) {
  Contraction const c("M = 32, N = 8, K = 16, L = 4", bf16, "M, L", "K", "N", "K");
  EXPECT_EQ(code_of(c.align("M, L / 2", "L % 2, K")), "accepted");
  EXPECT_EQ(code_of(c.align("M", "L, K")), "contraction-packet-size") << "128 bytes";
  EXPECT_EQ(code_of(c.align("M, L", "K % 8")), "contraction-packet-size") << "16 bytes";
  // A packet of 32 bytes is the one of 64 with zeros (F-26).
  auto const short_form = c.align("M, L", "K"), long_form = c.align("M, L", "K # 32");
  EXPECT_EQ(short_form.value().at[Level::packet], long_form.value().at[Level::packet]);
}

TEST(Book, CTR_037_two_flits_make_32_elements) {
  EXPECT_EQ(Batched().align("M, O", "L, K").value().at[Level::packet], Batched().map("L, K"));
}

TEST(Book, CTR_038_flit_buffer_has_96_bytes) {
  EXPECT_EQ(rngd.contraction.flit_buffer, Bytes{96});
  Contraction const three("M = 3, W = 31, F = 3", bf16, "M", "$(W, F) # 48", "1", "F");
  EXPECT_EQ(code_of(three.align("M, F", "W # 32")), "accepted") << "33 elements in three flits";
}

TEST(Book, CTR_039_rows_are_1_2_4_or_8) {
  for (std::int64_t n : {1, 2, 4, 8}) EXPECT_EQ(code_of(check_row_count(rngd, copies(n))), "accepted") << n;
  for (std::int64_t n : {3, 5, 6, 7, 16}) EXPECT_EQ(code_of(check_row_count(rngd, copies(n))), "contraction-rows") << n;
}

TEST(Book, CTR_040_time_broadcast) {
  Contraction const c("M = 32, N = 8, K = 16, T = 5, U = 3", bf16, "M", "K", "N", "T, U, K");
  auto const pair = c.align("M, U, T", "K # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.tiles, 15) << "several axes, any size";
  EXPECT_TRUE(lanes_agree(c, *pair));
}

TEST(Book, CTR_041_order_of_time) {
  Contraction const c("M = 32, N = 8, K = 16, O = 2, T = 5", bf16, "M, O", "K", "N", "T, K");
  EXPECT_EQ(code_of(c.align("M, O, T", "K # 32")), "accepted");
  EXPECT_EQ(code_of(c.align("T, M, O", "K # 32")), "contraction-time-wrong") << "a tiling axis outside";
  EXPECT_EQ(code_of(c.align("M, T, O", "K # 32")), "contraction-time-wrong");
  EXPECT_EQ(code_of(c.align("O, M, T", "K # 32")), "contraction-time-wrong") << "Time in another order";
  Contraction const d("M = 32, N = 8, K = 16, D = 3", bf16, "M", "K", "N", "K");
  EXPECT_EQ(code_of(d.align("M, D", "K # 32")), "accepted") << "F-39, CHIP-14: an axis that neither has repeats";
}

TEST(Book, CTR_043_flit_collection) {
  Batched const c("M, O, L", "O, K");
  auto const pair = c.align("M, O", "L, K");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.collect_flits, 2);
  EXPECT_EQ(pair->at[Level::row], c.map("N"));
  EXPECT_EQ(pair->at[Level::time], c.map("M, O"));
  EXPECT_EQ(pair->at[Level::packet], c.map("L, K"));
  EXPECT_EQ(innermost_first(pair->trf.loops), (Entries{{2, 32}, {32, 0}}));
  EXPECT_EQ(pair->trf.read, Bytes{32});
}

TEST(Book, CTR_044_no_collection) {
  Contraction const c("M = 32, N = 8, K = 16", bf16, "M", "K", "N", "K");
  auto const pair = c.align("M", "K # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.collect_flits, 1);
  EXPECT_EQ(pair->at[Level::row], c.map("N"));
  EXPECT_TRUE(equivalent(pair->at[Level::packet], c.map("K # 32")));
  EXPECT_TRUE(lanes_agree(c, *pair));
}

TEST(Book, CTR_045_time_broadcast_example) {
  Contraction const c("M = 32, N = 8, K = 16, T = 5", bf16, "M", "K", "N", "T, K");
  auto const pair = c.align("M, T", "K # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.tiles, 5);
  EXPECT_EQ(pair->at[Level::time], c.map("M, T"));
  EXPECT_TRUE(lanes_agree(c, *pair));
}

// --- TRF --------------------------------------------------------------------------------------------------------------------------------

TEST(Book, CTR_046_trf_addresses) {
  EXPECT_TRUE(overlaps(TrfAddress::Full, TrfAddress::FirstHalf));
  EXPECT_TRUE(overlaps(TrfAddress::SecondHalf, TrfAddress::Full));
  EXPECT_FALSE(overlaps(TrfAddress::FirstHalf, TrfAddress::SecondHalf));
}

TEST(Book, CTR_047_to_trf) {
  Axes const axes = parse_axes("A = 4, N = 8, K = 64").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  auto const stored = [&](std::string_view time, std::string_view row, std::string_view element) {
    return code_of(check_to_trf(rngd, bf16, map(time), map("K % 16"), map(row), map(element), TrfAddress::Full));
  };
  EXPECT_EQ(stored("N, A, K / 16", "N", "A, K"), "accepted");
  EXPECT_EQ(stored("N, A, K / 16", "N / 2", "N % 2, A, K"), "accepted") << "a part of the outermost axis";
  EXPECT_EQ(stored("N, A, K / 16", "1", "N, A, K"), "accepted");
  EXPECT_EQ(stored("A, N, K / 16", "A, N / 4", "N % 4, K"), "accepted");
  EXPECT_EQ(stored("A, N, K / 16", "N", "A, K"), "trf-row-not-outermost");
  EXPECT_EQ(stored("N, A, K / 16", "N", "K, A"), "trf-element-wrong");
  EXPECT_EQ(stored("A, N, K / 16", "A, N", "K"), "memory-trf-rows") << "32 Rows";
}

TEST(Book, CTR_048_operations_of_the_sequencer) {
  Contraction const c("M = 4, L = 2, O = 2, T = 3, N = 8, K = 16", bf16, "M, O, L", "K", "N", "O, T, K");
  TrfRead const trf = c.align("M, O, T", "L, K").value().trf;
  EXPECT_EQ(trf.read, Bytes{32}) << "spatial read, repeated for L";
  EXPECT_EQ(innermost_first(trf.loops), (Entries{{3, 32}, {2, 96}, {4, 0}})) << "M is broadcast over time";
}

TEST(Book, CTR_049_mac_width) {
  EXPECT_EQ(rngd.contraction.mac_bytes, Bytes{64});
  auto const pair = Batched().align("M, O", "L, K").value();
  EXPECT_EQ(pair.trf.read * pair.trf.repeats, Bytes{64});
}

TEST(Book, CTR_050_read_sizes) {
  // K weights of i8, 1, 2, … 64 bytes, repeated for B until 64 bytes are full.
  for (std::int64_t k : {1, 2, 4, 8, 16, 32}) {
    Text const axes = text("K = ", k, ", B = ", 64 / k, ", N = 8");
    Contraction const c(axes.view(), i8, text("B / ", 32 / k).view(), text("B % ", 32 / k, ", K").view(), "N", "K");
    auto const pair = c.align("1", "B, K");
    ASSERT_TRUE(pair) << sentence_of(pair);
    EXPECT_EQ(pair->trf.read, Bytes{k});
    EXPECT_EQ(pair->trf.repeats, 64 / k);
    EXPECT_TRUE(lanes_agree(c, *pair));
  }
  Contraction const all("K = 64, N = 8", i8, "K / 32", "K % 32", "N", "K");
  EXPECT_EQ(all.align("1", "K").value().trf.read, Bytes{64});
  // Three weights are read as four, where the fourth meets padding.
  Contraction const three("B = 8, K = 3, N = 8", i8, "1", "B, K # 4", "N", "K");
  EXPECT_EQ(three.align("1", "[B, K # 4] # 64").value().trf.read, Bytes{4});
}

TEST(Book, CTR_051_read_size_is_what_both_have_in_common) {
  // The same Element, read by 32 or by 64 bytes, as the packet asks.
  Contraction const wide("M = 4, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_EQ(wide.align("M", "K").value().trf.read, Bytes{64});
  EXPECT_EQ(wide.align("M, K / 16", "K % 16 # 32").value().trf.read, Bytes{32});
  // The rest of the packet can only be repeated (F-27).
  Contraction const gap("M = 4, N = 8, K = 16, L = 2", bf16, "M, L", "K", "N", "L, M, K");
  EXPECT_EQ(code_of(gap.align("M", "L, K")), "contraction-trf-not-repeated");
  // What is in common must be a power of two where it is repeated.
  Contraction const six("M = 4, N = 8, K = 6, L = 2", i8, "1", "L # 4, K # 8", "N", "K");
  EXPECT_EQ(six.align("1", "[L # 4, K # 8] # 64").value().trf.read, Bytes{8}) << "six weights and what lies behind them";
}

TEST(Book, CTR_052_inside_and_outside) {
  EXPECT_EQ(Batched().align("M, O", "L, K").value().trf.loops.entries, 2) << "K and L are no loops of the sequencer";
}

TEST(Book, CTR_053_alignment_of_64_byte_reads) {
  Contraction c("M = 4, N = 8, K = 32, T = 3", bf16, "M, K / 16", "K % 16", "N", "T, K");
  EXPECT_EQ(code_of(c.align("M, T", "K")), "accepted") << "rows of 64 bytes";
  c.trf.set(Level::element, c.map("T, K # 48"));
  EXPECT_EQ(code_of(c.align("M, T", "K")), "contraction-trf-misaligned") << "rows of 96 bytes";
  c.trf.set(Level::element, c.map("T, K # 64"));
  EXPECT_EQ(code_of(c.align("M, T", "K")), "accepted");
}

TEST(Book, CTR_055_capacity) {
  EXPECT_EQ(trf_layout(rngd, bf16, 8, TrfAddress::Full).row_capacity, Bytes{8192});
  EXPECT_EQ(trf_layout(rngd, bf16, 8, TrfAddress::FirstHalf).row_capacity, Bytes{4096});
  Mapping const row = copies(8);
  EXPECT_EQ(code_of(check_trf(rngd, i8, row, copies(8192), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code_of(check_trf(rngd, i8, row, copies(8193), TrfAddress::Full)), "memory-trf-too-large");
  EXPECT_EQ(code_of(check_trf(rngd, i8, row, copies(4096), TrfAddress::SecondHalf)), "accepted");
  EXPECT_EQ(code_of(check_trf(rngd, i8, row, copies(4097), TrfAddress::SecondHalf)), "memory-trf-too-large");
}

TEST(Book, CTR_056_address_bits) {
  TrfLayout const full = trf_layout(rngd, i4, 8, TrfAddress::Full), half = trf_layout(rngd, i4, 8, TrfAddress::FirstHalf);
  EXPECT_EQ(rngd.levels.rows_per_slice, 1 << 3);
  EXPECT_EQ(full.lines_per_bank, 1 << 7);
  EXPECT_EQ(half.lines_per_bank, 1 << 6);
  EXPECT_EQ(rngd.trf.bank_columns, 1 << 1);
  EXPECT_EQ(full.elements_per_line * full.slots_per_element, 1 << 6);
  EXPECT_EQ(rngd.trf.slots_per_line * rngd.trf.slot_bits, 320);
}

TEST(Book, CTR_057_halves) {
  TrfLayout const first = trf_layout(rngd, bf16, 8, TrfAddress::FirstHalf), second = trf_layout(rngd, bf16, 8, TrfAddress::SecondHalf);
  EXPECT_EQ(first.first_line, 0);
  EXPECT_EQ(first.lines_per_bank, 64) << "rows 0 to 63";
  EXPECT_EQ(second.first_line, 64);
  EXPECT_EQ(second.lines_per_bank, 64) << "rows 64 to 127";
}

TEST(Book, CTR_058_elements_of_5_bits) {
  EXPECT_EQ(trf_layout(rngd, i4, 8, TrfAddress::Full).slots_per_element, 1);
  EXPECT_EQ(trf_layout(rngd, i5, 8, TrfAddress::Full).elements_per_line, 64);
}
TEST(Book, CTR_059_elements_of_10_bits) {
  EXPECT_EQ(trf_layout(rngd, i8, 8, TrfAddress::Full).slots_per_element, 2);
  EXPECT_EQ(trf_layout(rngd, i9, 8, TrfAddress::Full).elements_per_line, 32);
}
TEST(Book, CTR_060_f8_elements) {
  EXPECT_EQ(trf_layout(rngd, f8e4m3, 8, TrfAddress::Full).slots_per_element, 2);
  EXPECT_EQ(trf_layout(rngd, f8e5m2, 8, TrfAddress::Full).elements_per_line, 32);
}
TEST(Book, CTR_061_elements_of_20_bits) {
  EXPECT_EQ(trf_layout(rngd, bf16, 8, TrfAddress::Full).slots_per_element, 4);
  EXPECT_EQ(trf_layout(rngd, bf16, 8, TrfAddress::Full).elements_per_line, 16);
}

TEST(Book, CTR_062_fewer_rows_have_more_each) {
  EXPECT_EQ(trf_layout(rngd, bf16, 8, TrfAddress::Full).lines_per_bank, 128);
  EXPECT_EQ(trf_layout(rngd, bf16, 4, TrfAddress::Full).lines_per_bank, 256);
  EXPECT_EQ(trf_layout(rngd, bf16, 2, TrfAddress::Full).lines_per_bank, 512);
  EXPECT_EQ(trf_layout(rngd, bf16, 1, TrfAddress::Full).lines_per_bank, 1024);
  EXPECT_EQ(code_of(check_trf(rngd, i8, copies(4), copies(16384), TrfAddress::Full)), "accepted") << "64 KB in all (F-29)";
  EXPECT_EQ(code_of(check_trf(rngd, i8, copies(4), copies(16385), TrfAddress::Full)), "memory-trf-too-large");
}

TEST(Book, CTR_063_halves_hold_two_tensors) {
  for (std::int64_t rows : {1, 2, 4, 8}) {
    TrfLayout const full = trf_layout(rngd, i8, rows, TrfAddress::Full), half = trf_layout(rngd, i8, rows, TrfAddress::SecondHalf);
    EXPECT_EQ(full.row_capacity * rows, rngd.trf.slice_capacity);
    EXPECT_EQ(half.row_capacity * 2, full.row_capacity);
    EXPECT_EQ(half.row_base, half.row_capacity) << "behind the first half";
  }
}

TEST(Book, CTR_064_all_rows_read_alike) {
  // One sequencer for all Rows: the settings do not depend on their number.
  for (const char* row : {"1", "N / 4", "N / 2", "N"}) {
    Contraction const c("M = 32, N = 8, K = 32", bf16, "M, K / 16", "K % 16", row, "K");
    EXPECT_EQ(innermost_first(c.align("M", "K").value().trf.loops), (Entries{{32, 0}})) << row;
  }
}

TEST(Book, CTR_065_limits_of_the_sequencer) {
  EXPECT_EQ(rngd.sequencer.entries, 8);
  EXPECT_EQ(rngd.trf.stride_bits, 32);
  Contraction const most("M = 65536, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_EQ(innermost_first(most.align("M", "K").value().trf.loops), (Entries{{65536, 0}}));
  Contraction const prime("M = 65537, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_EQ(code_of(prime.align("M", "K")), "sequence-loop-too-long");
}

TEST(Book, CTR_071_store_of_the_matmul) {
  Axes const axes = parse_axes("M = 32, N = 8, K = 32").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  EXPECT_TRUE(check_to_trf(rngd, bf16, map("N, K / 16"), map("K % 16"), map("N"), map("K"), TrfAddress::Full));
}

TEST(Book, CTR_072_matmul) {
  Contraction const c("M = 32, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  auto const pair = c.align("M", "K");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->trf.read, Bytes{64});
  EXPECT_EQ(pair->trf.repeats, 1);
  EXPECT_EQ(innermost_first(pair->trf.loops), (Entries{{32, 0}}));
  EXPECT_EQ(pair->at[Level::time], c.map("M")) << "F-30";
  auto const result = c.accumulate(c.contract(pair, "1"), "M", "N", Interleaved);
  EXPECT_TRUE(gives(c, result, "M", "N"));
  EXPECT_EQ(result.value().type, f32);
}

TEST(Book, CTR_073_store_of_small_reads) {
  Axes const axes = parse_axes("M = 32, N = 8, K = 16, L = 2, O = 2").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  auto const trf = check_to_trf(rngd, bf16, map("N, O"), map("K"), map("N"), map("O, K"), TrfAddress::FirstHalf);
  ASSERT_TRUE(trf) << sentence_of(trf);
  EXPECT_EQ(trf->element.size, 32) << "F-31";
}

TEST(Book, CTR_074_small_reads) {
  Batched const c("O, M, L", "O, K");
  auto const pair = c.align("O, M", "L, K");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->trf.read, Bytes{32});
  EXPECT_EQ(innermost_first(pair->trf.loops), (Entries{{32, 0}, {2, 32}}));
  EXPECT_TRUE(gives(c, c.accumulate(c.contract(pair, "L"), "O, M, L", "N", Interleaved), "O, M, L", "N"));
}

// --- Reducer ----------------------------------------------------------------------------------------------------------------------------

TEST(Book, CTR_075_contract) {
  Batched const c;
  auto const sums = c.contract(c.align("M, O", "L, K"), "L").value();
  EXPECT_EQ(sums.at[Level::packet], c.map("L"));
  EXPECT_EQ(sums.at[Level::time], c.map("M, O")) << "Row and Time stay";
  EXPECT_EQ(sums.at[Level::row], c.map("N"));
  EXPECT_EQ(sums.type, f32);
}

TEST(Book, CTR_076_accumulate) {
  Contraction const c("A = 4, N = 8, K = 64", bf16, "A, K / 16", "K % 16", "N", "K");
  auto const sums = c.contract(c.align("A, K / 32", "K % 32"), "1");
  EXPECT_TRUE(gives(c, c.accumulate(sums, "A", "N", Interleaved), "A", "N")) << "Row in Packet";
  EXPECT_TRUE(gives(c, c.accumulate(sums, "A, N", "1 # 8", Sequential), "A, N", "1 # 8")) << "Row in Time";
  EXPECT_EQ(code_of(c.accumulate(sums, "A, N", "1 # 8", Interleaved)), "contraction-accumulate-packet");
  EXPECT_EQ(code_of(c.accumulate(sums, "A", "N", Sequential)), "contraction-accumulate-packet");
}

TEST(Book, CTR_079_matmul_types) {
  Contraction const c("A = 32, B = 32, C = 8", bf16, "A, B / 16", "B % 16", "C", "B");
  auto const sums = c.contract(c.align("A", "B"), "1");
  EXPECT_EQ(sums.value().depth, 5);
  EXPECT_TRUE(gives(c, c.accumulate(sums, "A", "C", Interleaved), "A", "C"));
}

TEST(Book, CTR_080_full_reduction_types) {
  Contraction c("A = 65536", bf16, "A / 16 % 16", "A % 16", "1", "1");
  c.stream.set(Level::slice, c.map("A / 256"));
  c.trf.set(Level::slice, c.map("A / 256"));
  auto const pair = c.align("A / 32 % 8", "A % 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  auto const sums = c.contract(pair, "1");
  EXPECT_EQ(sums.value().depth, 5);
  auto const result = c.accumulate(sums, "1", "1 # 8", Interleaved);
  ASSERT_TRUE(result) << sentence_of(result);
  EXPECT_EQ(result->loop[0], (TimeLoop{8, true}));
}

TEST(Book, CTR_081_elements_of_a_packet) {
  for (ScalarType type : {i4, i5}) EXPECT_EQ(512 / scalar_info(type).packet_bits, 128);
  Contraction const c("K = 128, N = 8", i4, "K / 64", "K % 64", "N", "K");
  EXPECT_EQ(c.align("1", "K").value().at[Level::packet].size, 128);
  Contraction const d("K = 64, N = 8", i9, "K / 32", "K % 32", "N", "K");
  EXPECT_EQ(d.align("1", "K").value().at[Level::packet].size, 64);
  Contraction const e("K = 32, N = 8", bf16, "K / 16", "K % 16", "N", "K");
  EXPECT_EQ(e.align("1", "K").value().at[Level::packet].size, 32);
}

TEST(Book, CTR_082_depth_of_the_tree) {
  EXPECT_EQ(tree_depth(rngd, i4), 7);
  EXPECT_EQ(tree_depth(rngd, i8), 6);
  EXPECT_EQ(tree_depth(rngd, f8e4m3), 6);
  EXPECT_EQ(tree_depth(rngd, bf16), 5);
  Contraction const c("K = 128, N = 8", i4, "K / 64", "K % 64", "N", "K");
  EXPECT_EQ(c.contract(c.align("1", "K"), "1").value().depth, 7);
  Contraction shallow = c;
  shallow.device.contraction.tree_depth_i4 = 6;
  EXPECT_EQ(code_of(shallow.contract(shallow.align("1", "K"), "1")), "contraction-tree-too-deep");
  EXPECT_EQ(code_of(shallow.contract(shallow.align("1", "K"), "K / 64")), "accepted");
}

TEST(Book, CTR_083_only_the_innermost_is_added) {
  Batched const c;
  auto const pair = c.align("M, O", "L, K");
  EXPECT_EQ(c.contract(pair, "L, K").value().depth, 0);
  EXPECT_EQ(c.contract(pair, "L, K / 2").value().depth, 1);
  EXPECT_EQ(c.contract(pair, "L, K / 8").value().depth, 3);
  EXPECT_EQ(c.contract(pair, "L").value().depth, 4);
  EXPECT_EQ(c.contract(pair, "1").value().depth, 5);
  EXPECT_EQ(code_of(c.contract(pair, "K")), "contraction-columns-wrong") << "L is the outer factor";
  EXPECT_EQ(code_of(c.contract(pair, "K / 8, L")), "contraction-columns-wrong");
  EXPECT_EQ(code_of(c.contract(pair, "L, K % 8")), "contraction-columns-wrong");
}

TEST(Book, CTR_084_sixty_four_products) {
  Contraction const c("K = 64, N = 8", i8, "K / 32", "K % 32", "N", "K");
  auto const sums = c.contract(c.align("1", "K"), "1").value();
  EXPECT_EQ(sums.depth, 6);
  EXPECT_EQ(sums.type, i32);
}

TEST(Book, CTR_085_reduce_max_has_one_row) {
  Contraction c("A = 4, N = 8, K = 32", bf16, "A, K / 16", "K % 16", "1", "K");
  EXPECT_EQ(code_of(c.contract(c.align("A", "K"), "1", ContractOp::Max)), "accepted");
  c.trf.set(Level::row, c.map("N"));
  EXPECT_EQ(code_of(c.contract(c.align("A", "K"), "1", ContractOp::Max)), "contraction-max-rows");
  EXPECT_EQ(code_of(c.contract(c.align("A", "K"), "1", ContractOp::Add)), "accepted");
}

TEST(Book, CTR_086_thirty_two_columns) {
  EXPECT_EQ(rngd.contraction.columns, 32);
  Contraction const c("M = 4, N = 8, K = 64", i8, "M, K / 32", "K % 32", "N", "K");
  EXPECT_EQ(code_of(c.contract(c.align("M", "K"), "K")), "contraction-too-many-columns") << "elements are never dropped (F-35)";
  EXPECT_EQ(c.contract(c.align("M, K / 32", "K % 32 # 64"), "K % 32").value().depth, 0) << "padding is";
}

TEST(Book, CTR_087_live_columns_for_i8) {
  Contraction const c("M = 4, N = 8, K = 64", i8, "M, K / 32", "K % 32", "N", "K");
  auto const pair = c.align("M", "K");
  for (std::int64_t depth : {1, 2, 3, 4, 5, 6}) {
    auto const sums = check_contract(rngd, ContractOp::Add, i8, pair.value().at, divide_by(c.map("K"), std::int64_t{1} << depth));
    EXPECT_EQ(sums.value().at[Level::packet].size, 64 >> depth);
    // Sequential fills up with zeros.
    auto const out = check_accumulate(rngd, ContractOp::Add, Sequential, i32, sums.value().at,
                                      tcp::pair(c.map("M, N"), divide_by(c.map("K"), depth > 3 ? 64 : std::int64_t{8} << depth)),
                                      depth > 3 ? pad_to(divide_by(c.map("K"), std::int64_t{1} << depth), 8, Pad::top)
                                                : modulo(divide_by(c.map("K"), std::int64_t{1} << depth), 8));
    ASSERT_TRUE(out) << sentence_of(out);
    if (depth > 3) {
      EXPECT_EQ(out->out.packet, pad_to(divide_by(c.map("K"), std::int64_t{1} << depth), 8, Pad::zero));
    }
  }
}

TEST(Book, CTR_088_accumulator) { EXPECT_EQ(rngd.contraction.accumulator_slots, 1024); }

TEST(Book, CTR_089_slots_of_the_temporal_example) {
  // The runnable form of F-38: B = 32 in two halves, eight rows of A between them.
  Contraction const c("A = 2048, B = 32", bf16, "B / 16, A % 8", "B % 16", "1", "B");
  auto const sums = c.contract(c.align("B / 16, A % 8", "B % 16"), "1");
  auto const result = c.accumulate(sums, "A % 8", "1 # 8", Interleaved);
  ASSERT_TRUE(result) << sentence_of(result);
  EXPECT_EQ(result->inner, 8);
  EXPECT_EQ(result->loop[0], (TimeLoop{2, true}));
  EXPECT_EQ(result->loop[1], (TimeLoop{8, false}));
}

/// Sums over K with `m` rows inside, Row and columns as given.
std::string buffered(std::int64_t m, AccumulationKind kind, std::int64_t rows = 8, std::int64_t columns = 1) {
  Axes const axes = parse_axes(text("K = 4, M = ", m, ", N = ", rows, ", P = ", columns).view()).value();
  auto const map = [&](std::string_view t) { return parse(t, axes).value(); };
  Levels sums;
  sums.set(Level::row, map("N")).set(Level::time, map("K, M")).set(Level::packet, map("P"));
  std::string const eight = columns < 8 ? "P # 8" : "P % 8";
  return code_of(kind == Interleaved
                     ? check_accumulate(rngd, ContractOp::Add, kind, f32, sums, map("M, P"), map("N # 8"))
                     : check_accumulate(rngd, ContractOp::Add, kind, f32, sums, map(columns < 8 ? "M, N" : "M, N, P / 8"), map(eight)));
}

TEST(Book, CTR_090_what_is_inside_the_reduced_axis_is_buffered) {
  EXPECT_EQ(buffered(128, Interleaved), "accepted");
  EXPECT_EQ(buffered(129, Interleaved), "contraction-accumulate-slots") << "F-37: the limit of the mode";
}

TEST(Book, CTR_091_limits_of_the_modes) {
  EXPECT_EQ(buffered(128, Interleaved), "accepted");
  EXPECT_EQ(buffered(130, Interleaved), "contraction-accumulate-slots");
  EXPECT_EQ(buffered(4, Sequential), "accepted") << "4 rows of 8: 32";
  EXPECT_EQ(buffered(5, Sequential), "contraction-accumulate-slots");
  // Nothing to check if no axis of Time is reduced (F-36).
  Contraction const c("M = 5000, N = 8, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_EQ(c.accumulate(c.contract(c.align("M", "K"), "1"), "M", "N", Interleaved).value().slots, 0);
}

TEST(Book, CTR_092_interleaved_formula) {
  // align_up(Row, 8) * inner: fewer Rows do not help.
  for (std::int64_t rows : {1, 2, 4, 8}) {
    EXPECT_EQ(buffered(128, Interleaved, rows), "accepted") << rows;
    EXPECT_EQ(buffered(129, Interleaved, rows), "contraction-accumulate-slots") << rows;
  }
  EXPECT_EQ(buffered(32, Interleaved, 8, 4), "accepted") << "columns count";
  EXPECT_EQ(buffered(33, Interleaved, 8, 4), "contraction-accumulate-slots");
}

TEST(Book, CTR_093_sequential_formula) {
  // align_up(columns, 32) * (inner * Row): columns do not count twice.
  EXPECT_EQ(buffered(4, Sequential, 8, 32), "accepted") << "exactly 1,024";
  EXPECT_EQ(buffered(5, Sequential, 8, 32), "contraction-accumulate-slots");
  EXPECT_EQ(buffered(32, Sequential, 1, 32), "accepted");
  EXPECT_EQ(buffered(33, Sequential, 1, 4), "contraction-accumulate-slots");
}

TEST(Book, CTR_094_interleaved_output) {
  Batched const c;
  auto const sums = c.contract(c.align("M, O", "L, K"), "L");
  EXPECT_TRUE(gives(c, c.accumulate(sums, "M, O, L", "N", Interleaved), "M, O, L", "N"));
  EXPECT_TRUE(gives(c, c.accumulate(sums, "M, L", "N", Interleaved), "M, L", "N")) << "O is added";
  EXPECT_EQ(code_of(c.accumulate(sums, "M, L, O", "N", Interleaved)), "contraction-accumulate-time") << "columns are innermost";
  Contraction const four("M = 32, N = 4, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_TRUE(gives(four, four.accumulate(four.contract(four.align("M", "K"), "1"), "M", "N # 8", Interleaved), "M", "N # 8"));
  EXPECT_EQ(code_of(four.accumulate(four.contract(four.align("M", "K"), "1"), "M", "N", Interleaved)), "contraction-accumulate-packet");
}

TEST(Book, CTR_095_only_padding_is_sliced_off) {
  Contraction const c("M = 4, N = 8, K = 64", bf16, "K / 16, M", "K % 16", "N", "K");
  auto const sums = c.contract(c.align("K / 16, M", "K % 16 # 32"), "K % 16 / 4 # 8");
  EXPECT_TRUE(c.accumulate(sums, "M, K % 16 / 4", "N", Interleaved));
  EXPECT_EQ(code_of(c.accumulate(sums, "M, K % 16 / 4 = 2", "N", Interleaved)), "contraction-accumulate-time");
}

TEST(Book, CTR_096_groups_of_columns) {
  Contraction const c("M = 4, N = 8, K = 64", bf16, "K / 16, M", "K % 16", "N", "K");
  auto const sums = c.contract(c.align("K / 16, M", "K % 16 # 32"), "K % 16 / 4");
  EXPECT_EQ(c.accumulate(sums, "M, K % 16 / 4", "N", Interleaved).value().groups, 8) << "32 / 4 (F-33)";
}

/// The example of both modes.
struct Modes : Contraction {
  Modes() : Contraction("M = 4, N = 8, K = 64", bf16, "K / 16, M", "K % 16", "N", "K") {}

  Expected<Contracted> sums() const { return contract(align("K / 16, M", "K % 16 # 32"), "K % 16 / 4"); }
};

TEST(Book, CTR_098_interleaved_example) {
  Modes const c;
  EXPECT_EQ(c.sums().value().depth, 2);
  auto const result = c.accumulate(c.sums(), "M, K % 16 / 4", "N", Interleaved);
  EXPECT_TRUE(gives(c, result, "M, K % 16 / 4", "N"));
  EXPECT_EQ(result.value().inner, 16);
}

TEST(Book, CTR_099_sequential_output) {
  Contraction const c("M = 3, N = 8, W = 32, K = 4", bf16, "M, K, W / 16", "W % 16", "N", "K");
  auto const sums = c.contract(c.align("M, K", "W"), "W");
  EXPECT_TRUE(gives(c, c.accumulate(sums, "M, N, W / 8", "W % 8", Sequential), "M, N, W / 8", "W % 8"));
  EXPECT_EQ(code_of(c.accumulate(sums, "M, N", "W", Sequential)), "contraction-accumulate-packet") << "eight at a time";
  EXPECT_EQ(code_of(c.accumulate(sums, "M, W / 8, N", "W % 8", Sequential)), "contraction-accumulate-time") << "Row is outside the columns";
  // 24 columns of 32, the rest being padding.
  Contraction const d("M = 3, N = 8, W = 20, K = 4", bf16, "M, K, W # 32 / 16", "W # 32 % 16", "N", "K");
  auto const twenty = d.contract(d.align("M, K", "W # 32"), "W # 32");
  EXPECT_TRUE(gives(d, d.accumulate(twenty, "M, N, W # 24 / 8", "W # 24 % 8", Sequential), "M, N, W # 24 / 8", "W # 24 % 8"));
}

TEST(Book, CTR_100_groups_of_rows) {
  Contraction const c("M = 4, N = 4, K = 32", bf16, "M, K / 16", "K % 16", "N", "K");
  EXPECT_EQ(c.accumulate(c.contract(c.align("M", "K"), "1"), "M, N", "1 # 8", Sequential).value().groups, 2);
}

TEST(Book, CTR_101_sequential_example) {
  Modes const c;
  auto const result = c.accumulate(c.sums(), "M, N", "K % 16 / 4 # 8", Sequential);
  EXPECT_TRUE(gives(c, result, "M, N", "K % 16 / 4 # 8"));
  EXPECT_EQ(result.value().inner, 32) << "exactly at the limit";
  EXPECT_EQ(result.value().slots, 1024);
}

TEST(Book, CTR_103_row_sizes) {
  for (const char* row : {"R # 3", "R # 16"}) {
    Contraction const c("M = 4, R = 3, K = 32", bf16, "M, K / 16", "K % 16", row, "K");
    EXPECT_EQ(code_of(c.align("M", "K")), "contraction-rows") << row;
  }
}

TEST(Book, CTR_104_pairs_of_types) {
  for (auto [a, b] : {std::pair{i4, i5}, std::pair{i5, i4}, std::pair{i8, i9}, std::pair{i9, i8}, std::pair{i9, i9}})
    EXPECT_EQ(code_of(check_operand_types(a, b)), "accepted");
  for (auto [a, b] : {std::pair{i4, i8}, std::pair{i8, bf16}, std::pair{f8e4m3, f8e5m2}, std::pair{f8e4m3, i8}, std::pair{bf16, f8e4m3}})
    EXPECT_EQ(code_of(check_operand_types(a, b)), "contraction-mixed-types");
}

TEST(Book, CTR_105_packet_within_the_tree) {
  Contraction const c("K = 64, N = 8", bf16, "K / 16", "K % 16", "N", "K");
  EXPECT_EQ(code_of(c.align("1", "K")), "contraction-packet-size") << "64 elements of bf16";
  EXPECT_EQ(code_of(c.align("K / 32", "K % 32")), "accepted");
}

TEST(Book, CTR_106_at_most_32_sums) {
  Contraction const c("K = 128, N = 8", i4, "K / 64", "K % 64", "N", "K");
  auto const pair = c.align("1", "K");
  EXPECT_EQ(code_of(c.contract(pair, "K / 2")), "contraction-too-many-columns") << "64, also at depth 1 (F-35)";
  EXPECT_EQ(c.contract(pair, "K / 4").value().depth, 2);
}

TEST(Book, CTR_109_retained_axes_keep_their_order) {
  Contraction const c("A = 4, B = 3, N = 8, K = 64", bf16, "A, K / 32, B, K / 16 % 2", "K % 16", "N", "K");
  auto const sums = c.contract(c.align("A, K / 32, B", "K % 32"), "1");
  EXPECT_TRUE(gives(c, c.accumulate(sums, "A, B", "N", Interleaved), "A, B", "N"));
  EXPECT_EQ(code_of(c.accumulate(sums, "B, A", "N", Interleaved)), "contraction-accumulate-order");
  // And padding.
  Contraction const d("A = 3, N = 8, K = 32", bf16, "A # 4, K / 16", "K % 16", "N", "K");
  auto const padded = d.contract(d.align("A # 4", "K"), "1");
  EXPECT_TRUE(gives(d, d.accumulate(padded, "A # 4", "N", Interleaved), "A # 4", "N"));
  EXPECT_EQ(code_of(d.accumulate(padded, "A", "N", Interleaved)), "contraction-accumulate-order");
  // Zeros that could be added without changing a sum stay as well: they are steps of the axis that is kept.
  for (const char* steps : {"A # 4", "A #z 4"})
    for (const char* size : {"A = 2", "A = 3"}) {
      std::string const axes = std::string(size) + ", N = 8, K = 32", fetched = std::string(steps) + ", K / 16";
      Contraction const e(axes.c_str(), bf16, fetched.c_str(), "K % 16", "N", "K");
      auto const sums_of = e.contract(e.align(steps, "K"), "1");
      EXPECT_EQ(code_of(e.accumulate(sums_of, "A", "N", Interleaved)), "contraction-accumulate-order") << steps << " of " << size;
      EXPECT_EQ(code_of(e.accumulate(sums_of, steps, "N", Interleaved)), "accepted") << steps << " of " << size;
    }
}

// --- Named in the chapter, defined in the supplement ------------------------------------------------------------------------------------

TEST(Book, SUP_04_transposes_of_a_flit) {
  auto const turns = [](ScalarType type, std::int64_t rows, std::int64_t columns) {
    Contraction const c(text("A = ", rows, ", B = ", columns, ", N = 8").view(), type, "1", "A, B", "N", "B, A");
    auto const pair = c.align("1", "B, A");
    return pair && pair->adapter.transpose == FlitTranspose{rows, columns};
  };
  EXPECT_TRUE(turns(i4, 4, 16));
  for (ScalarType type : {i8, f8e4m3, f8e5m2}) {
    EXPECT_TRUE(turns(type, 2, 16));
    EXPECT_TRUE(turns(type, 4, 8));
    EXPECT_FALSE(turns(type, 8, 4));
  }
  EXPECT_TRUE(turns(bf16, 2, 8));
  EXPECT_FALSE(turns(bf16, 4, 4));
}

TEST(Book, SUP_06_shift_stride) {
  auto const takes = [](ScalarType type, std::int64_t stride) { return check_shift(type, {.shift_stride = stride}).ok(); };
  EXPECT_TRUE(takes(i4, 0) && takes(i4, 31));
  EXPECT_FALSE(takes(i4, 32));
  EXPECT_TRUE(takes(i8, 15));
  EXPECT_FALSE(takes(i8, 16));
  EXPECT_TRUE(takes(bf16, 7));
  EXPECT_FALSE(takes(bf16, 8));
}

TEST(Book, SUP_07_dimensions_of_the_adapter) {
  // From the inside out: repeat, shift, pop.
  Contraction const c("M = 4, W = 14, F = 3, T = 5", bf16, "M", "$(W, F)", "1", "T, F");
  AdapterSettings const s = c.align("M, F, T", "W # 32").value().adapter;
  EXPECT_EQ(s.tiles, 5);
  EXPECT_EQ(s.shifts, 3);
  EXPECT_EQ(s.pops, 4);
}

TEST(Book, SUP_09_trf_capacity) {
  EXPECT_EQ(code_of(check_trf(rngd, i8, copies(2), copies(32768), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code_of(check_trf(rngd, i8, copies(2), copies(32769), TrfAddress::Full)), "memory-trf-too-large");
  EXPECT_EQ(code_of(check_trf(rngd, i8, copies(1), copies(32768), TrfAddress::FirstHalf)), "accepted");
  EXPECT_EQ(code_of(check_trf(rngd, i8, copies(1), copies(32769), TrfAddress::FirstHalf)), "memory-trf-too-large");
}

TEST(Book, SUP_10_columns_of_contract) {
  Contraction const c("M = 4, N = 8, K = 16", bf16, "M", "K", "N", "K");
  auto const pair = c.align("M", "K # 32");
  EXPECT_EQ(code_of(c.contract(pair, "K / 4 # 8")), "accepted");
  EXPECT_EQ(code_of(c.contract(pair, "K / 4")), "accepted") << "outer padding is optional";
  EXPECT_EQ(code_of(c.contract(pair, "K # 24")), "contraction-columns-wrong") << "no power of two";
  EXPECT_EQ(code_of(c.contract(pair, "K % 4")), "contraction-columns-wrong");
}

// --- Pipeline overview ------------------------------------------------------------------------------------------------------------------

TEST(Book, PIP_04_register_files) {
  Axes const axes = parse_axes("N = 8, K = 32").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, map("N, K / 16"), map("K % 16"), map("N"), map("K"), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code_of(check_to_vrf(rngd, f32, map("N, K / 8"), map("K % 8"), map("N, K"), Bytes{0})), "accepted");
  EXPECT_EQ(code_of(check_to_trf(rngd, f32, map("N, K / 8"), map("K % 8"), map("N"), map("K"), TrfAddress::Full)),
            "contraction-operand-type");
  EXPECT_EQ(code_of(check_to_vrf(rngd, bf16, map("N, K / 16"), map("K % 16"), map("N, K"), Bytes{0})), "vrf-type");
}

TEST(Book, PIP_08_contraction) {
  PassState state;
  state.after = StreamStage::Collect;
  state.type = ScalarType::bf16;
  EXPECT_EQ(code_of(check_follows(rngd, state, StageKind::Align)), "accepted");
  state.context = Tu::Sub;
  EXPECT_EQ(code_of(check_follows(rngd, state, StageKind::Align)), "stage-not-in-context") << "F-06";
}

}  // namespace

// The contractions of the first chapter, "Hello, TCP!": dot product, GEMV and GEMM, as far as collect, TRF and the Contraction Engine decide.
namespace {

struct Hello {
  Axes axes;

  explicit Hello(std::string_view declared) : axes(parse_axes(declared).value()) {}
  Mapping map(std::string_view text) const { return parse(text, axes).value(); }

  Levels stream(std::string_view slice, const Stream& s) const {
    Levels l = places(slice);
    return l.set(Level::time, s.time).set(Level::packet, s.packet);
  }
  Levels trf(std::string_view slice, const TrfStored& t) const {
    Levels l = places(slice);
    return l.set(Level::row, t.row).set(Level::element, t.element);
  }
  Levels places(std::string_view slice) const {
    Levels l;
    return l.set(Level::cluster, map("1 # 2")).set(Level::slice, map(slice));
  }
};

struct Dot : Hello {
  Dot() : Hello("A = 2048") {}

  Stream collected() const { return check_collect(rngd, bf16, map("1"), map("A"), map("A / 16"), map("A % 16")).value(); }
  Expected<TrfStored> weights() const {
    return check_to_trf(rngd, bf16, collected().time, collected().packet, map("1"), map("A"), TrfAddress::Full);
  }
  Expected<Aligned> aligned() const {
    return check_align(rngd, bf16, stream("1 # 256", collected()), bf16, trf("1 # 256", weights().value()), map("A / 32"), map("A % 32"));
  }
};

TEST(Book, HEL_18_dot_product_weights) {
  Dot const d;
  auto const trf = d.weights();
  ASSERT_TRUE(trf) << sentence_of(trf);
  EXPECT_EQ(trf->row_bytes, Bytes{4096});
  EXPECT_EQ(d.collected().time.size, 128);
}

TEST(Book, HEL_19_dot_product_types) {
  Dot const d;
  auto const pair = d.aligned();
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->at[Level::time].size, 64);
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, pair->at, d.map("1"));
  ASSERT_TRUE(sums) << sentence_of(sums);
  EXPECT_EQ(sums->type, f32);
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, sums->type, sums->at, d.map("1"), d.map("1 # 8"));
  ASSERT_TRUE(result) << sentence_of(result);
  EXPECT_EQ(result->out.packet, d.map("1 # 8"));
}

TEST(Book, HEL_21_align_pairs_two_flits) {
  Dot const d;
  EXPECT_EQ(d.aligned().value().adapter.collect_flits, 2);
  EXPECT_EQ(d.aligned().value().at[Level::time], d.map("A / 32"));
  EXPECT_EQ(d.aligned().value().at[Level::packet], d.map("A % 32"));
}

TEST(Book, HEL_22_contract_within_the_packet_accumulate_over_time) {
  Dot const d;
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, d.aligned().value().at, d.map("1")).value();
  EXPECT_EQ(sums.depth, 5);
  EXPECT_EQ(sums.at[Level::time], d.map("A / 32")) << "the tree leaves Time alone";
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, d.map("1"), d.map("1 # 8")).value();
  EXPECT_EQ(result.loop[0], (TimeLoop{64, true}));
}

TEST(Book, HEL_25_gemv_weights) {
  Hello const h("I = 256, J = 2048");
  Stream const s = check_collect(rngd, bf16, h.map("1"), h.map("J"), h.map("J / 16"), h.map("J % 16")).value();
  auto const trf = check_to_trf(rngd, bf16, s.time, s.packet, h.map("1"), h.map("J"), TrfAddress::Full);
  ASSERT_TRUE(trf) << sentence_of(trf);
  EXPECT_EQ(trf->row_bytes, Bytes{4096});
}

TEST(Book, HEL_26_gemv) {
  Hello const h("I = 256, J = 2048");
  EXPECT_EQ(code_of(check_collect(rngd, bf16, h.map("J / 32"), h.map("J % 32"), h.map("J / 32"), h.map("J % 32"))),
            "collect-packet-not-one-flit")
      << "E-03";
  Stream const s = check_collect(rngd, bf16, h.map("J / 16"), h.map("J % 16"), h.map("J / 16"), h.map("J % 16")).value();
  TrfStored const weights{h.map("1"), h.map("J")};
  auto const pair = check_align(rngd, bf16, h.stream("I", s), bf16, h.trf("I", weights), h.map("J / 32"), h.map("J % 32"));
  ASSERT_TRUE(pair) << sentence_of(pair);
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, pair->at, h.map("1")).value();
  EXPECT_EQ(code_of(check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, h.map("1"), h.map("1 # 8"))), "accepted");
}

TEST(Book, HEL_29_gemm_tiles) {
  Hello const h("I = 512, J = 512, K = 2048");
  EXPECT_EQ(h.map("I / 32, J / 32").size, 256);
  EXPECT_EQ(h.map("I % 32, J % 32").size, 32 * 32) << "E-07";
}

TEST(Book, HEL_31_gemm_weights) {
  auto const stored = [](std::string_view axes) {
    Hello const h(axes);
    return code_of(check_to_trf(rngd, bf16, h.map("J % 8, J / 8 % 4, K / 16"), h.map("K % 16"), h.map("J % 8"), h.map("J / 8 % 4, K"),
                                TrfAddress::Full));
  };
  EXPECT_EQ(stored("J = 512, K = 2048"), "memory-trf-too-large") << "E-09";
  EXPECT_EQ(stored("J = 512, K = 64"), "accepted");
  Hello const h("J = 512, K = 64");
  EXPECT_EQ(element_bytes(bf16, h.map("J / 8 % 4, K")).value(), Bytes{512});
}

TEST(Book, HEL_33_outermost_time_becomes_row) {
  Hello const h("J = 512, K = 64");
  Stream const s =
      check_collect(rngd, bf16, h.map("J % 8, J / 8 % 4"), h.map("K"), h.map("J % 8, J / 8 % 4, K / 16"), h.map("K % 16")).value();
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, s.time, s.packet, h.map("J % 8"), h.map("J / 8 % 4, K"), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, s.time, s.packet, h.map("J / 8 % 4"), h.map("J % 8, K"), TrfAddress::Full)),
            "trf-row-not-outermost");
}

TEST(Book, HEL_35_gemm_types) {
  Hello const h("I = 512, J = 512, K = 64");
  Stream const s =
      check_collect(rngd, bf16, h.map("I % 32, J / 8 % 4"), h.map("K"), h.map("I % 32, J / 8 % 4, K / 16"), h.map("K % 16")).value();
  TrfStored const weights{h.map("J % 8"), h.map("J / 8 % 4, K")};
  auto const pair = check_align(rngd, bf16, h.stream("I / 32, J / 32", s), bf16, h.trf("I / 32, J / 32", weights),
                                h.map("I % 32, J / 8 % 4, K / 32"), h.map("K % 32"));
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(innermost_first(pair->trf.loops), (std::vector<BookEntry>{{2, 64}, {4, 128}, {32, 0}}));
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, pair->at, h.map("1")).value();
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, h.map("I % 32, J / 8 % 4"), h.map("J % 8"));
  ASSERT_TRUE(result) << sentence_of(result);
  EXPECT_EQ(packed_size(result->type, Elements{result->out.packet.size}).value(), Bytes{32});
  // The prose's m![I], m![J # 8] are not what is left in a slice (E-11).
  EXPECT_EQ(code_of(check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, h.map("I"), h.map("J % 8"))),
            "contraction-accumulate-order");
}

}  // namespace
}  // namespace tcp
