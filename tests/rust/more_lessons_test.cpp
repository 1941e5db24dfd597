// More lessons of examples/ in Rust (lessons/more_lessons.rs, corpus/moves.rs), equal in bits to the ones in C++, which are
// compiled in here as they stand; and the table of all lessons, which says of each what is missing or done otherwise.
#include <tcp/kernels/gemm/fixed_gemm.hpp>
#include <tcp/kernels/gemm/gemm.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tcp/dsl/dynamic.hpp>
#include <tcp/runtime/options.hpp>
#include <tcp/tcp.hpp>
#include <tcp/trace/trace.hpp>
#include <vector>

#include "emitted/emitted.hpp"
#include "same_bits.hpp"

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wshadow"
namespace lesson_01 {
namespace {
#include "../../examples/01_first_program/main.cpp"
}
}  // namespace lesson_01
namespace lesson_07 {
namespace {
#include "../../examples/07_tiling/main.cpp"
}
}  // namespace lesson_07
namespace lesson_12 {
namespace {
#include "../../examples/12_layer_normalisation/main.cpp"
}
}  // namespace lesson_12
namespace lesson_13 {
namespace {
#include "../../examples/13_convolution/main.cpp"
}
}  // namespace lesson_13
namespace lesson_14 {
namespace {
#include "../../examples/14_collectives/main.cpp"
}
}  // namespace lesson_14
namespace lesson_15 {
namespace {
#include "../../examples/15_padding_and_segments/main.cpp"
}
}  // namespace lesson_15
namespace lesson_16 {
namespace {
#include "../../examples/16_branches_and_filter/main.cpp"
}
}  // namespace lesson_16
namespace lesson_17 {
namespace {
#include "../../examples/17_embedding/main.cpp"
}
}  // namespace lesson_17
namespace lesson_19 {
namespace {
#include "../../examples/19_switch_and_transpose/main.cpp"
}
}  // namespace lesson_19
namespace lesson_20 {
namespace {
#include "../../examples/20_prefix_sums/main.cpp"
}
}  // namespace lesson_20
namespace lesson_21 {
namespace {
#include "../../examples/21_overlap/main.cpp"
}
}  // namespace lesson_21
namespace lesson_31 {
namespace {
#include "../../examples/31_gemm_taken_apart/main.cpp"
}
}  // namespace lesson_31
namespace lesson_32 {
namespace {
#include "../../examples/32_norm_and_projection/main.cpp"
}
}  // namespace lesson_32

namespace tcp::rust {
namespace {

/// Compares a kernel of a crate with one in C++.
template <std::int64_t Chips = 1, class Function>
void expect_same(const char* file, const std::string& name, Function* kernel, std::optional<std::size_t> more_commands = 0) {
  SCOPED_TRACE(name);
  auto const crate = Crate::open(std::string(TCP_SOURCE_DIR "/tests/rust/corpus/") + file);
  ASSERT_TRUE(crate.ok()) << render(crate.refusal());
  for (const Kernel& k : crate->kernels()) {
    if (k.name != name) continue;
    KernelReading const reading = crate->read(k, rngd);
    ASSERT_EQ(words_of(reading.errors), "");
    emitted::expect_same_bits(*reading.module, emitted::module_of<Chips>(kernel), more_commands);
    return;
  }
  FAIL() << file << " has no kernel " << name;
}
constexpr const char* more = "../lessons/more_lessons.rs";

TEST(MoreLessons, FirstProgram) { expect_same(more, "first_program", &lesson_01::copy); }
TEST(MoreLessons, Tiling) { expect_same(more, "tiled_gemm", &lesson_07::gemm); }
TEST(MoreLessons, LayerNormalisation) { expect_same(more, "layer_norm", &lesson_12::layer_norm); }
TEST(MoreLessons, Convolution) {
  expect_same(more, "plain", &lesson_13::plain::convolution);
  expect_same(more, "strided", &lesson_13::strided::convolution);
  expect_same(more, "dilated", &lesson_13::dilated::convolution);
}
TEST(MoreLessons, Collectives) {
  expect_same<4>(more, "gather_all", &lesson_14::all_gather);
  expect_same<4>(more, "reduce_all", &lesson_14::all_reduce);
  expect_same<4>(more, "scatter_sums", &lesson_14::reduce_scatter, {});
}
TEST(MoreLessons, PaddingAndSegments) {
  expect_same(more, "permute", &lesson_15::permutation::permute);
  expect_same(more, "copy_rows", &lesson_15::permutation::copy_rows);
  expect_same(more, "tail_72", &lesson_15::tails::copy<72, 24>);
  expect_same(more, "tail_80", &lesson_15::tails::copy<80, 16>);
  expect_same(more, "tail_88", &lesson_15::tails::copy<88, 8>);
  expect_same(more, "tail_96", &lesson_15::tails::copy<96, 32>);
  expect_same(more, "copy_in_segments", &lesson_15::segments::copy);
}
/// Numbers as the lesson has them: on both sides of what it decides by.
TEST(MoreLessons, Decisions) {
  auto const crate = Crate::open(std::string(TCP_SOURCE_DIR "/tests/rust/corpus/") + more);
  ASSERT_TRUE(crate.ok());
  for (const Kernel& k : crate->kernels()) {
    if (k.name != "decide") continue;
    KernelReading const reading = crate->read(k, rngd);
    ASSERT_EQ(words_of(reading.errors), "");
    auto given = random_arguments(*reading.module, 1);
    for (std::int64_t i = 0; i < given[0].size(); ++i) given[0][i].bits = static_cast<std::uint32_t>(i % 401 - 200);
    emitted::expect_same_results(*reading.module, given, emitted::module_of<1>(&lesson_16::decide), given);
    return;
  }
  FAIL() << "no kernel decide";
}
TEST(MoreLessons, Embedding) {
  expect_same(more, "embed", &lesson_17::embed);
  expect_same(more, "store", &lesson_17::store);
}
TEST(MoreLessons, SwitchAndTranspose) {
  expect_same(more, "broadcast_gemv", &lesson_19::broadcast::gemv);
  expect_same("moves.rs", "across_slices", &lesson_19::across_slices::transpose);
}
/// The vendor's crate has no call that writes an operand on the way: a pass for each row, and one that keeps its sum.
TEST(MoreLessons, PrefixSums) { expect_same(more, "running_sum", &lesson_20::running_sum, {}); }
TEST(MoreLessons, Overlap) {
  using lesson_21::Hbm;
  expect_same(
      more, "add_and_load",
      +[](Context& ctx, const Hbm& x, const Hbm& y) { return lesson_21::add_and_load(ctx, x, y, std::int64_t{1} << 12); });
}
TEST(MoreLessons, GemmTakenApart) {
  expect_same(more, "one_cluster", &lesson_31::one_cluster);
  expect_same(more, "both_clusters", &lesson_31::both_clusters);
  expect_same(more, "packets_reused", &lesson_31::packets_reused);
}
TEST(MoreLessons, NormAndProjection) { expect_same(more, "project", &lesson_32::project); }

/// What is missing of lessons that are in Rust in part, or is done in another way to the same bits.
const std::map<std::string, std::string> only_in_part = {
    {"14_collectives", "reduce_scatter goes by one transfer; the arguments of chip_slice are not published"},
    {"16_branches_and_filter", "keep_negative: the vendor's crate has no call for the filter"},
    {"18_quantised", "decode: a table of one's own; the vendor's crate has its built-in ones"},
    {"28_collectives_over_chips", "the book's rotations: the arguments of chip_slice are not published"},
    // network_lessons_test.cpp compares the results; library_lessons_test.cpp holds the reasons against the library's kernels.
    {"25_convolution_layers",
     "the pixels of each weight are fetched; reshape is a relabelling in the vendor's crate, which makes no windows of a frame in DM"},
    {"26_flash_attention", "the mask is an argument; the library makes it from a branch log that is kept as an operand on the way"},
    {"29_mixture_of_experts", "each expert computes each token; the library sorts them by a filter and a branch log"},
    {"30_llama", "the steps of the model, one layer deep; the checkpoint is read by a host program, which is no kernel"},
};
const std::set<std::string> in_rust = {
    "01_first_program",
    "02_constant_addition",
    "03_elementwise_multiplication",
    "04_dot_product",
    "05_gemv",
    "06_gemm",
    "07_tiling",
    "08_relu_and_pipelines",
    "09_two_groups",
    "10_softmax",
    "11_padded_reduction",
    "12_layer_normalisation",
    "13_convolution",
    "14_collectives",
    "15_padding_and_segments",
    "16_branches_and_filter",
    "17_embedding",
    "18_quantised",
    "19_switch_and_transpose",
    "20_prefix_sums",
    "21_overlap",
    "22_gemm_any_size",
    "23_batches_and_chips",
    "24_rows",
    "25_convolution_layers",
    "26_flash_attention",
    "27_decode_with_cache",
    "28_collectives_over_chips",
    "29_mixture_of_experts",
    "30_llama",
    "31_gemm_taken_apart",
    "32_norm_and_projection",
};

TEST(MoreLessons, EveryLessonIsThere) {
  for (auto const& entry : std::filesystem::directory_iterator(TCP_SOURCE_DIR "/examples")) {
    std::string const name = entry.path().filename().string();
    if (!entry.is_directory() || name == "python") continue;  // lessons begin with their number
    EXPECT_TRUE(in_rust.contains(name)) << name;
  }
  for (auto const& [name, reason] : only_in_part) EXPECT_TRUE(in_rust.contains(name)) << name << ": " << reason;
  for (const std::string& name : in_rust) EXPECT_TRUE(std::filesystem::is_directory(TCP_SOURCE_DIR "/examples/" + name)) << name;
}

}  // namespace
}  // namespace tcp::rust
