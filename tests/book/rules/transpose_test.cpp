// The rows of the ledger on the Transpose Engine: what it makes of Time and Packet, its limits, and how it buffers.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/rules/pass_state.hpp"
#include "tcp/rules/transpose.hpp"
#include "written.hpp"

namespace tcp {
namespace {

struct Example {
  const char* axes;
  ScalarType type;
  const char *time, *packet, *time2, *packet2;

  Expected<TransposeResult> run(StreamStage after = StreamStage::Collect) const {
    Written const m{axes};
    return check_transpose(rngd, after, type, m(time), m(packet), m(time2), m(packet2));
  }
};

constexpr Example square{"C = 8, D = 8, E = 8", ScalarType::i8, "C, D", "E # 32", "C, E", "D # 32"};
constexpr Example small{"A = 4, B = 2", ScalarType::i8, "A", "B # 32", "B", "A # 32"};
constexpr Example large{"B = 2, C = 8, D = 4, E = 8", ScalarType::i8, "B, C, D", "E # 32", "B, D, E", "C # 32"};
constexpr Example half{"C = 8, D = 4, E = 8", ScalarType::bf16, "C, D", "E # 16", "C, E", "D # 16"};

TEST(Book, PIP_11_matrices_of_several_flits) { EXPECT_EQ(square.run()->input_flits(), 8) << "F-03: not confined to one flit"; }

TEST(Book, TRA_01_where_it_stands) {
  for (StreamStage s : {StreamStage::Collect, StreamStage::Vector, StreamStage::Cast}) EXPECT_TRUE(square.run(s)) << name_of(s);
  PassState state;
  for (StreamStage s : {StreamStage::Begin, StreamStage::Fetch, StreamStage::Switch, StreamStage::Transpose}) {
    state.after = s;
    EXPECT_EQ(code_of(check_follows(rngd, state, StageKind::Transpose)), s == StreamStage::Transpose ? "stage-order" : "stage-missing")
        << name_of(s);
  }
}

TEST(Book, TRA_02_matrix_model) {
  auto const r = large.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->in_columns, r->packets_per_column * r->elements_per_packet);
  EXPECT_EQ(r->matrices * r->in_rows * r->packets_per_column, 64) << "Time";
}

TEST(Book, TRA_03_first_elements_of_each_packet) {
  EXPECT_EQ(square.run()->elements_per_packet, 8);
  Example full = square;
  full.axes = "C = 8, D = 8, E = 32";
  full.packet = "E";
  EXPECT_EQ(code_of(full.run()), "transpose-packet-too-full");
  // CHIP-22 overrules the row here: packed, a packet has 16 elements.
  full.axes = "C = 8, D = 8, E = 16";
  full.packet = "E # 32";
  EXPECT_EQ(full.run()->elements_per_packet, 16);
}

TEST(Book, TRA_04_rows_and_columns_change_places) {
  // Element by element: what lies at (row, column) of a matrix lies at (column, row) of the result.
  for (Example const& e : {square, small, large, half}) {
    Written const m{e.axes};
    auto const r = e.run();
    ASSERT_TRUE(r);
    Mapping const in = pair(m(e.time), m(e.packet)), out = pair(r->time, r->packet);
    std::int64_t const flit = r->output_alignment;
    for (std::int64_t matrix = 0; matrix < r->matrices; ++matrix)
      for (std::int64_t row = 0; row < r->in_rows; ++row)
        for (std::int64_t p = 0; p < r->packets_per_column; ++p)
          for (std::int64_t i = 0; i < r->elements_per_packet; ++i) {
            Cell const from = cell(in, ((matrix * r->in_rows + row) * r->packets_per_column + p) * flit + i);
            std::int64_t const kept = r->kept_elements;
            if (i >= kept) {
              EXPECT_FALSE(from.live()) << "only padding is trimmed";
              continue;
            }
            Cell const to = cell(out, (matrix * r->out_rows() + p * kept + i) * flit + row);
            ASSERT_EQ(from.live(), to.live());
            if (from.live()) {
              ASSERT_EQ(from.index, to.index);
            }
          }
  }
}

TEST(Book, TRA_05_only_padding_is_trimmed) {
  auto const r = small.run();
  ASSERT_TRUE(r);
  EXPECT_EQ(r->in_columns, 8);
  EXPECT_EQ(r->out_rows(), 2);
  Example untrimmed = small;
  untrimmed.time2 = "B # 8";
  EXPECT_EQ(untrimmed.run()->out_rows(), 8);
  Example partly = small;
  partly.time2 = "B # 5";
  EXPECT_EQ(partly.run()->out_rows(), 5);
  Example too_much = square;
  too_much.time2 = "C, E = 4";
  EXPECT_EQ(code_of(too_much.run()), "transpose-trims-elements");
}

TEST(Book, TRA_06_rows_are_padded_to_a_flit) {
  EXPECT_EQ(square.run()->output_alignment, 32);
  EXPECT_EQ(text_of(square.run()->packet), "D # 32");
  EXPECT_EQ(half.run()->output_alignment, 16);
}

TEST(Book, TRA_07_output_mapping) {
  EXPECT_EQ(text_of(large.run()->time), "B, D, E");
  EXPECT_EQ(text_of(large.run()->packet), "C # 32");
  EXPECT_EQ(text_of(small.run()->time), "B") << "the live elements of a packet";
}

TEST(Book, TRA_08_elements_per_packet) {
  EXPECT_EQ(transpose_limits(rngd, ScalarType::i4).elements_per_packet, 16);
  for (ScalarType t : {ScalarType::i8, ScalarType::f8e4m3, ScalarType::bf16, ScalarType::i16, ScalarType::i32, ScalarType::f32})
    EXPECT_EQ(transpose_limits(rngd, t).elements_per_packet, 8);
}

TEST(Book, TRA_09_bus_formats) {
  // 4b x 16, 8b x 8, 16b x 8, 32b x 8, of 32 bytes.
  for (ScalarType t : {ScalarType::i4, ScalarType::i8, ScalarType::bf16, ScalarType::i32}) {
    TransposeLimits const l = transpose_limits(rngd, t);
    EXPECT_LE(l.elements_per_packet * scalar_info(t).packet_bits, 256);
    EXPECT_EQ(l.elements_per_packet, t == ScalarType::i4 ? 16 : 8);
  }
}

TEST(Book, TRA_10_sources) {
  EXPECT_EQ(code_of(square.run(StreamStage::Contraction)), "transpose-contraction-width");
  Example const wide{"C = 8, D = 2, E = 8", ScalarType::f32, "C, D", "E", "C, E", "D # 8"};
  for (StreamStage s : {StreamStage::Contraction, StreamStage::Vector, StreamStage::Collect}) EXPECT_TRUE(wide.run(s)) << name_of(s);
  Example const nibbles{"C = 8, D = 16, E = 16", ScalarType::i4, "C, D", "E # 64", "C, E", "D # 64"};
  for (StreamStage s : {StreamStage::Cast, StreamStage::Collect}) EXPECT_TRUE(nibbles.run(s)) << name_of(s);
}

/// Tries rows and columns of one type: rows up to `rows`, packets of a row of 1, 2, 4, ...
void limits(ScalarType type, std::int64_t flit, std::int64_t rows, std::initializer_list<std::int64_t> columns) {
  TransposeLimits const l = transpose_limits(rngd, type);
  EXPECT_EQ(l.output_alignment, flit);
  EXPECT_EQ(l.rows, rows);
  for (std::int64_t packets : {1, 2, 4, 8, 3}) {
    for (std::int64_t r : {rows, rows + 1}) {
      std::string const axes =
          "C = 5, D = " + std::to_string(r) + ", P = " + std::to_string(packets) + ", E = " + std::to_string(l.elements_per_packet);
      Written const m{axes.c_str()};
      Mapping const packet = pad_to(m("E"), flit, Pad::zero), packet2 = pad_to(m("D"), flit, Pad::top);
      auto const result = check_transpose(rngd, StreamStage::Collect, type, m("C, D, P"), packet, m("C, P, E"), packet2);
      std::int64_t const wanted = packets * l.elements_per_packet;
      bool const listed = std::find(columns.begin(), columns.end(), wanted) != columns.end();
      EXPECT_EQ(code_of(result), r > rows ? "transpose-too-many-rows" : listed ? "accepted" : "transpose-columns") << axes;
    }
  }
}
TEST(Book, TRA_11_limits_of_4_bits) { limits(ScalarType::i4, 64, 16, {16, 32}); }
TEST(Book, TRA_12_limits_of_8_bits) { limits(ScalarType::i8, 32, 8, {8, 16, 32}); }
TEST(Book, TRA_13_limits_of_16_bits) { limits(ScalarType::bf16, 16, 4, {8, 16, 32}); }
TEST(Book, TRA_14_limits_of_32_bits) { limits(ScalarType::f32, 8, 2, {8, 16, 32}); }

TEST(Book, TRA_15_packets_are_flits) {
  Example in = square;
  in.packet = "E # 16";
  EXPECT_EQ(code_of(in.run()), "transpose-packet-not-one-flit");
  Example out = square;
  out.packet2 = "D # 16";
  EXPECT_EQ(code_of(out.run()), "transpose-result-not-one-flit");
}

TEST(Book, TRA_17_buffering) {
  EXPECT_TRUE(square.run()->double_buffered) << "8";
  Example const sixteen{"C = 8, D = 2, E = 8", ScalarType::i8, "C, D", "E # 32", "D, E", "C # 32"};
  EXPECT_EQ(sixteen.run()->in_columns, 16);
  EXPECT_TRUE(sixteen.run()->double_buffered);
  EXPECT_EQ(large.run()->in_columns, 32);
  EXPECT_FALSE(large.run()->double_buffered);
}

TEST(Book, TRA_18_flits) {
  for (Example const& e : {square, small, large, half}) {
    auto const r = e.run();
    ASSERT_TRUE(r);
    EXPECT_EQ(r->input_flits(), r->in_rows * r->in_columns / r->elements_per_packet);
    EXPECT_EQ(r->output_flits(), r->out_rows());
    EXPECT_EQ(r->matrices, r->time.size / r->out_rows());
  }
}

TEST(Book, TRA_22_types) {
  auto const r = square.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->in_rows, 8);
  EXPECT_EQ(r->packets_per_column, 1);
  EXPECT_EQ(r->in_columns, 8);
  EXPECT_EQ(r->out_rows(), 8);
  EXPECT_EQ(r->output_alignment, 32);
  EXPECT_EQ(r->matrices, 8);
  EXPECT_TRUE(r->double_buffered);
}

TEST(Book, TRA_23_types) {
  auto const r = small.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->in_rows, 4);
  EXPECT_EQ(r->in_columns, 8);
  EXPECT_EQ(r->out_rows(), 2) << "6 rows trimmed";
  EXPECT_EQ(r->matrices, 1);
}

TEST(Book, TRA_24_types) {
  auto const r = large.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->in_rows, 8);
  EXPECT_EQ(r->packets_per_column, 4);
  EXPECT_EQ(r->in_columns, 32);
  EXPECT_EQ(r->out_rows(), 32);
  EXPECT_EQ(r->matrices, 2);
  EXPECT_FALSE(r->double_buffered);
}

TEST(Book, TRA_25_types) {
  auto const r = half.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->in_rows, 4);
  EXPECT_EQ(r->in_columns, 8);
  EXPECT_EQ(r->out_rows(), 8);
  EXPECT_EQ(r->output_alignment, 16);
  EXPECT_EQ(r->matrices, 8);
  EXPECT_EQ(r->input_flits(), 4);
  EXPECT_EQ(r->output_flits(), 8);
}

TEST(Book, TRA_26_refusals) {
  Example const rows{"C = 8, D = 16, E = 8", ScalarType::i8, "C, D", "E # 32", "C, E", "D # 32"};
  EXPECT_EQ(code_of(rows.run()), "transpose-too-many-rows");
  Example const columns{"B = 2, C = 8, D = 8, E = 8", ScalarType::i8, "B, C, D", "E # 32", "B, D, E", "C # 32"};
  EXPECT_EQ(code_of(columns.run()), "transpose-columns") << "64";
  Example absent = square;
  absent.axes = "C = 8, D = 8, E = 8, F = 8";
  absent.packet2 = "F # 32";
  EXPECT_EQ(code_of(absent.run()), "transpose-rows-not-in-time");
  Example more = square;
  more.time2 = "C, E # 16";
  EXPECT_EQ(code_of(more.run()), "transpose-too-many-out-rows");
  Example less = square;
  less.time2 = "C, E = 6";
  EXPECT_EQ(code_of(less.run()), "transpose-trims-elements");
  Example outer = large;
  outer.time2 = "D, B, E";
  EXPECT_EQ(code_of(outer.run()), "transpose-wrong-time");
}

TEST(Book, SUP_17_types) {
  Example const bytes{"N = 2, C = 8, D = 2, E = 8", ScalarType::i8, "N, C, D", "E # 32", "N, D, E", "C # 32"};
  EXPECT_EQ(bytes.run()->in_rows * 100 + bytes.run()->in_columns, 816);
  Example const nibbles{"N = 4, C = 16, E = 16", ScalarType::i4, "N, C", "E # 64", "N, E", "C # 64"};
  EXPECT_EQ(nibbles.run()->in_rows * 100 + nibbles.run()->in_columns, 1616);
  Example const words{"N = 4, C = 2, E = 8", ScalarType::f32, "N, C", "E", "N, E", "C # 8"};
  EXPECT_EQ(words.run()->in_rows * 100 + words.run()->in_columns, 208);
}

}  // namespace
}  // namespace tcp
