// Lessons whose C++ calls the kernel library: lessons/library_lessons.rs has their kernels as a person writes them, for the lessons' sizes. Each runs to
// the bits of the library's, in as many commands. What network_lessons.rs does otherwise is held against its reasons.
#include <tcp/kernels/attention/decode.hpp>
#include <tcp/kernels/attention/flash.hpp>
#include <tcp/kernels/collectives/collectives.hpp>
#include <tcp/kernels/conv/conv.hpp>
#include <tcp/kernels/gemm/fixed_gemm.hpp>
#include <tcp/kernels/gemm/gemm.hpp>
#include <tcp/kernels/gemm/gemm_on_chips.hpp>
#include <tcp/kernels/moe/moe.hpp>
#include <tcp/kernels/rows/rows.hpp>
#include <tcp/kernels/rowwise/elementwise.hpp>
#include <tcp/kernels/rowwise/norms.hpp>
#include <tcp/kernels/rowwise/softmax/softmax.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "emitted/emitted.hpp"
#include "recorded.hpp"
#include "same_bits.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::rust {
namespace {

void expect_same(const std::string& name, const ir::Module& of_library, std::optional<std::size_t> more_commands = 0) {
  SCOPED_TRACE(name);
  static auto const crate = Crate::open(TCP_SOURCE_DIR "/tests/rust/lessons/library_lessons.rs");
  ASSERT_TRUE(crate.ok()) << render(crate.refusal());
  EXPECT_EQ(words_of(crate->errors()), "");
  for (const Kernel& k : crate->kernels()) {
    if (k.name != name) continue;
    KernelReading const reading = crate->read(k, rngd);
    ASSERT_EQ(words_of(reading.errors), "");
    emitted::expect_same_bits(*reading.module, of_library, more_commands);
    return;
  }
  FAIL() << "library_lessons.rs has no kernel " << name;
}

void expect_gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k) {
  kernels::Gemm const gemm(rngd, ScalarType::i8, m, n, k);
  expect_same(name, recorded(gemm, Given{ScalarType::i8, gemm.a_layout()}, Given{ScalarType::i8, gemm.b_layout()}));
}
TEST(LibraryLessons, GemmOfAnySize) {
  expect_gemm("gemm_1_1_1", 1, 1, 1);
  expect_gemm("gemm_7_5_3", 7, 5, 3);
  expect_gemm("gemm_33_20_65", 33, 20, 65);
  expect_gemm("gemm_1_140_520", 1, 140, 520);
  expect_gemm("gemm_60_77_90", 60, 77, 90);
}

TEST(LibraryLessons, BatchesAndChips) {
  auto const batched = kernels::Gemm::batched(rngd, ScalarType::i8, 6, 20, 33, 64);
  // HbmTensor::new is zero there: that it is written tile by tile is not seen, and a fill and its move come first.
  expect_same("batched", recorded(batched, Given{ScalarType::i8, batched.a_layout()}, Given{ScalarType::i8, batched.b_layout()}), 2);
  auto const on_chips = [](const char* name, std::int64_t n, std::int64_t k, kernels::GemmSplit over) {
    kernels::GemmOnChips const gemm(rngd, ScalarType::i8, 12, n, k, 4, over);
    expect_same(
        name, recorded<4>(gemm, Given{ScalarType::i8, gemm.a_layout(), gemm.chip()}, Given{ScalarType::i8, gemm.b_layout(), gemm.chip()}));
  };
  on_chips("over_n", 256, 64, kernels::GemmSplit::n);
  on_chips("over_k", 64, 256, kernels::GemmSplit::k);
}

void expect_add_and_norm(const std::string& name, std::int64_t rows, std::int64_t columns) {
  kernels::Residual const add(rngd, rows, columns);
  kernels::RmsNorm const norm(rngd, rows, columns, 1e-5f);
  auto const both = [&](Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y, const dyn::Tensor& weight) {
    return norm(ctx, add(ctx, x, y), weight);
  };
  Mapping const token = dyn::axis("Token", rows), hidden = dyn::axis("Hidden", columns);
  Given const matrix{ScalarType::bf16, kernels::rows_layout(rngd, ScalarType::bf16, token, hidden)};
  expect_same(name,
              recorded(both, matrix, matrix, Given{ScalarType::bf16, kernels::rows_layout(rngd, ScalarType::bf16, dyn::one, hidden)}));
}
TEST(LibraryLessons, Rows) {
  expect_add_and_norm("add_and_norm_one", 1, 4096);
  expect_add_and_norm("add_and_norm_many", 100, 1002);
  kernels::Softmax const softmax(rngd, 6, 1000);
  expect_same("softmax_of_rows", recorded(softmax, Given{ScalarType::bf16, softmax.layout()}));
}

/// The library commits into some slices only; in Rust these slices are the target of a transfer.
TEST(LibraryLessons, DecodeWithCache) {
  kernels::AttentionSizes const sizes{.q_heads = 8, .kv_heads = 2, .head_dim = 32, .capacity = 300, .sequences = 2};
  Given const query{ScalarType::bf16, kernels::query_layout(rngd, sizes, 2)},
      token{ScalarType::bf16, kernels::new_keys_layout(rngd, sizes, 2)};
  Given const cache{ScalarType::bf16, kernels::cache_layout(sizes)};
  for (int step = 0; step < 6; ++step) {
    std::int64_t const first = step + 1, second = step < 3 ? step + 1 : step - 2;  // the second one begins anew
    kernels::DecodeAttention const attend(rngd, sizes, {first, second});
    expect_same("decode_" + std::to_string(first) + "_" + std::to_string(second), recorded(attend, query, token, token, cache, cache), {});
  }
}

template <std::int64_t Chips>
void expect_all_reduce(const std::string& name, std::int64_t rows) {
  kernels::AllReduce const reduce(rngd, ScalarType::bf16, Chips, rows, 4096);
  Mapping const layout = kernels::rows_layout(rngd, ScalarType::bf16, dyn::axis("R", rows), dyn::axis("C", 4096));
  expect_same(name, recorded<Chips>(reduce, Given{ScalarType::bf16, layout, dyn::axis("Chips", Chips)}));
}
TEST(LibraryLessons, CollectivesOverChips) {
  expect_all_reduce<2>("two_chips", 1);
  expect_all_reduce<4>("four_chips", 1);
  expect_all_reduce<8>("eight_chips", 1);
  expect_all_reduce<2>("two_chips_32_rows", 32);
  expect_all_reduce<4>("four_chips_32_rows", 32);
  expect_all_reduce<8>("eight_chips_32_rows", 32);
}

template <std::int64_t Ring>
void expect_taken_apart(const std::string& name) {
  using Product = kernels::FixedGemm<512, 2048, 128, Ring>;
  using Kernel = void(Context&, const typename Product::A&, const typename Product::B&, typename Product::C&);
  Kernel* const kernel = [](Context& ctx, const typename Product::A& a, const typename Product::B& b, typename Product::C& c) {
    Product()(ctx, a, b, c);
  };
  expect_same(name, emitted::module_of<1>(kernel));
}
TEST(LibraryLessons, GemmTakenApart) {
  expect_taken_apart<128>("one_tile");
  expect_taken_apart<64>("two_tiles");
}

// Why other lessons go another way (network_lessons_test.cpp).

/// Whether the vendor's crate has a call with this word in its form, in any edition.
bool vendor_has(const std::string& word) {
  auto const calls = vendor_calls();
  return std::any_of(calls.begin(), calls.end(), [&](const VendorCall& c) { return c.form.find(word) != std::string::npos; });
}
bool has(const ir::Module& module, const std::string& word) { return ir::print(module).find(word) != std::string::npos; }

TEST(LibraryLessons, WhatTheVendorsCrateHasNoCallForIsNeeded) {
  kernels::AttentionSizes const sizes{.q_heads = 4, .kv_heads = 2, .head_dim = 32, .capacity = 200};
  kernels::FlashAttention const flash(rngd, sizes, 150);
  Given const cache{ScalarType::bf16, kernels::cache_layout(sizes)};
  auto const prefill = recorded(flash, Given{ScalarType::bf16, flash.layout()}, cache, cache);
  EXPECT_TRUE(has(prefill, ".vector_write_operand(") && has(prefill, ".vector_branch_log("));

  kernels::MoeFfn const moe(rngd, 6, 32, 48, 8, 2, 4);
  auto const layer = recorded(moe, Given{ScalarType::bf16, moe.rows()}, Given{ScalarType::bf16, moe.router_layout()},
                              Given{ScalarType::bf16, moe.up_layout()}, Given{ScalarType::bf16, moe.down_layout()},
                              Given{ScalarType::i32, moe.numbers().element()});
  EXPECT_TRUE(has(layer, ".vector_filter(") && has(layer, ".vector_branch_log("));

  kernels::AllReduce const rotations(rngd, ScalarType::bf16, 4, 1, 4096, kernels::Moves::rotations);
  Mapping const row = kernels::rows_layout(rngd, ScalarType::bf16, dyn::axis("R", 1), dyn::axis("C", 4096));
  EXPECT_TRUE(has(recorded<4>(rotations, Given{ScalarType::bf16, row, dyn::axis("Chips", 4)}), "chip_slice "));

  for (const char* word : {"write_operand", "branch_log", "vector_filter"}) EXPECT_FALSE(vendor_has(word)) << word;
}

/// Lesson 25 looks at a frame in DM as windows of it, which `reshape` of the vendor's crate, a relabelling, does not do.
TEST(LibraryLessons, AWindowOfWhatIsInDmIsNoRelabelling) {
  kernels::Conv2d const conv(
      rngd, {.images = 2, .channels = 16, .filters = 24, .rows = 14, .columns = 14, .filter_rows = 3, .filter_columns = 3, .padding = 1});
  EXPECT_TRUE(has(recorded(conv, Given{ScalarType::bf16, conv.image_layout()}, Given{ScalarType::bf16, conv.filter_layout()}),
                  "Element[$(Bk:2, R), Fx] = "));
  Crate const crate = Crate::of_text("frame.rs", R"(axes![Row = 16, Column = 16, Block = 7, Height = 4];
type Cluster = m![1 # 2];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![Row, Column]>) -> HbmTensor<bf16, m![1], m![Row, Column]> {
    let frame: DmTensor<bf16, m![1], Cluster, m![1 # 256], m![Row, Column]> = x.to_dm(&mut ctx.tdma);
    let blocks: DmTensor<bf16, m![1], Cluster, m![1 # 256], m![$(Block:2, Height), Column]> = unsafe { frame.reshape() };
    frame.to_hbm(&mut ctx.tdma)
}
)");
  auto const errors = crate.read(crate.kernels().at(0), rngd).errors;
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_STREQ(errors[0].refusal.code, "relabel-window");
  EXPECT_EQ(std::string(errors[0].refusal.advice.view()), "give the tensor the window when it is loaded: x.to_dm() into m![$(H, Fh), ...]");
}

}  // namespace
}  // namespace tcp::rust
