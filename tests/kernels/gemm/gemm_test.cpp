// C = A B against host loops that add in the chip's order, on sizes that divide by nothing.
#include "kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gemm_oracle.hpp"
#include "kernels/gemm/gemm_on_chips.hpp"
#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp {
namespace {

using namespace gemm_tests;

int wrong(BackendKind backend, ScalarType type, const Size& s, Numbers numbers = Numbers::near_one) {
  auto ctx = context_on(backend);
  Random random(static_cast<std::uint64_t>(s.m * 1000003 + s.n * 1009 + s.k));
  kernels::Gemm const gemm(rngd, type, s.m, s.n, s.k);
  Drawn const a(random, type, dyn::map(gemm.m(), gemm.k()), numbers), b(random, type, dyn::map(gemm.n(), gemm.k()), numbers);
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, dyn::one, gemm.a_layout()), b_hbm = b.tensor.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
  return wrong_of(gemm, s, c, 0, a.value, b.value);
}

void expect_right(BackendKind backend, ScalarType type, const Size& s, Numbers numbers = Numbers::near_one) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.k << " by " << s.k << " x " << s.n << " of " << scalar_info(type).name << " on "
                                  << name_of(backend));
  try {
    EXPECT_EQ(wrong(backend, type, s, numbers), 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

constexpr ScalarType types[] = {ScalarType::bf16, ScalarType::f8e4m3, ScalarType::i8};

TEST(Gemm, any_size_on_vector) {
  for (ScalarType type : types)
    for (Size s : {Size{1, 1, 1}, {64, 64, 64}, {1, 1, 32}, {7, 5, 3}, {33, 17, 31}, {100, 130, 70}, {513, 65, 33}})
      expect_right(BackendKind::vector, type, s);
}
TEST(Gemm, random_sizes_on_vector) {
  Random random(20);
  for (int i = 0; i < nightly::cases(30); ++i) {
    auto const any = [&](int most) { return random.between(1, std::int64_t{1} << random.between(0, most)); };
    expect_right(BackendKind::vector, types[i % 3], {any(10), any(10), any(10)});
  }
  if (nightly::is_on())
    for (ScalarType type : types) expect_right(BackendKind::vector, type, {2048, 1500, 4096});
}
TEST(Gemm, parts_of_k_are_added) {
  expect_right(BackendKind::vector, ScalarType::bf16, {300, 40, 1100});
  for (ScalarType type : types) {
    expect_right(BackendKind::vector, type, {40, 33, 4100});
    expect_right(BackendKind::vector, type, {70, 80, 4096});  // equal parts, each by itself in HBM
  }
}
/// Slices that few columns leave divide K, in tiles of each width.
TEST(Gemm, slices_divide_k) {
  for (Size s : {Size{1, 128, 4096}, {1, 896, 1024}, {5, 300, 2048}, {40, 640, 2048}}) {
    EXPECT_GT(kernels::Gemm(rngd, ScalarType::bf16, s.m, s.n, s.k).tile_at(s.n - 1).split, 1) << s.m << " x " << s.n << " x " << s.k;
    expect_right(BackendKind::vector, ScalarType::bf16, s);
  }
  for (ScalarType type : types) {
    expect_right(BackendKind::vector, type, {3, 384, 2048});
    expect_right(BackendKind::vector, type, {2, 128, 2048}, Numbers::at_the_edges);
    expect_right(BackendKind::device, type, {3, 128, 1024});
  }
  expect_right(BackendKind::reference, ScalarType::bf16, {2, 30, 512});
}
TEST(Gemm, columns_handed_round_and_several_tiles) {
  expect_right(BackendKind::vector, ScalarType::bf16, {1024, 600, 40});
  expect_right(BackendKind::vector, ScalarType::bf16, {5000, 300, 20});
  for (ScalarType type : types) expect_right(BackendKind::vector, type, {512, 512, 96});
}
TEST(Gemm, vectors_and_few_rows) {
  for (Size s : {Size{1, 5000, 300}, {16, 4096, 96}, {5, 1300, 2500}, {3, 5504, 768}})
    expect_right(BackendKind::vector, ScalarType::bf16, s);
  for (ScalarType type : types) expect_right(BackendKind::vector, type, {1, 700, 4096});
  expect_right(BackendKind::device, ScalarType::bf16, {16, 600, 64});
  expect_right(BackendKind::device, ScalarType::bf16, {2, 384, 1024});
  expect_right(BackendKind::vector, ScalarType::bf16, {600, 1, 100});
}
TEST(Gemm, the_same_on_reference) {
  for (Size s : {Size{1, 1, 1}, {5, 20, 33}, {70, 40, 40}, {3, 300, 128}}) expect_right(BackendKind::reference, ScalarType::bf16, s);
  for (ScalarType type : types) expect_right(BackendKind::reference, type, {30, 20, 70});
}
TEST(Gemm, the_same_on_the_simulated_chip) {
  for (Size s : {Size{1, 1, 1}, {5, 20, 33}, {70, 40, 40}, {16, 64, 1060}, {140, 130, 32}, {512, 512, 96}, {20, 40, 2048}})
    expect_right(BackendKind::device, ScalarType::bf16, s);
  for (ScalarType type : types) expect_right(BackendKind::device, type, {30, 20, 70});
}

std::uint32_t bits_of(float f) {
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  return w;
}
/// C is as infinite, or as little a number, as the sum is; its other rows and columns know nothing of that.
TEST(Gemm, infinities_and_nan_stay_where_they_are) {
  constexpr std::uint32_t infinity = 0x7f80, nan = 0x7fc0, one = 0x3f80;
  for (BackendKind backend : {BackendKind::reference, BackendKind::vector, BackendKind::device}) {
    auto ctx = context_on(backend);
    kernels::Gemm const gemm(rngd, ScalarType::bf16, 5, 6, 7);
    dyn::HostTensor a(ScalarType::bf16, dyn::map(gemm.m(), gemm.k())), b(ScalarType::bf16, dyn::map(gemm.n(), gemm.k()));
    for (std::size_t i = 0; i < a.size(); ++i) a.data<bf16>()[i] = bf16::from_bits(one);
    for (std::size_t i = 0; i < b.size(); ++i) b.data<bf16>()[i] = bf16::from_bits(one);
    a.data<bf16>()[1 * 7 + 6] = bf16::from_bits(infinity);
    a.data<bf16>()[2 * 7 + 0] = bf16::from_bits(nan);
    b.data<bf16>()[4 * 7 + 6] = bf16::from_bits(0);  // times infinity
    auto const c = launch(gemm, ctx, a.to_hbm(ctx.pdma, dyn::one, gemm.a_layout()), b.to_hbm(ctx.pdma, dyn::one, gemm.b_layout()))
                       .get()
                       .to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t j = 0; j < 6; ++j) {
        float const is = of_bf16(c.data<bf16>()[i * 6 + j].bits), finite = j == 4 ? 6.0f : 7.0f;
        if (i == 2 || (i == 1 && j == 4)) EXPECT_TRUE(std::isnan(is)) << i << ", " << j << " on " << name_of(backend);
        else EXPECT_EQ(bits_of(is), bits_of(i == 1 ? INFINITY : finite)) << i << ", " << j << " on " << name_of(backend);
      }
  }
}

/// Zeros of both signs, subnormals, the largest and the smallest, infinities and NaN of every kind, all mixed: to the last bit what the chip's arithmetic says.
TEST(Gemm, numbers_at_the_edges_of_their_formats) {
  for (ScalarType type : types)
    for (BackendKind backend : {BackendKind::reference, BackendKind::vector, BackendKind::device})
      expect_right(backend, type, {23, 19, 37}, Numbers::at_the_edges);
  for (ScalarType type : types) {
    expect_right(BackendKind::vector, type, {5, 300, 4100}, Numbers::at_the_edges);  // parts of K
    expect_right(BackendKind::vector, type, {300, 70, 2}, Numbers::at_the_edges);
    expect_right(BackendKind::vector, type, {1, 500, 13}, Numbers::at_the_edges);
    expect_right(BackendKind::device, type, {1, 1, 1}, Numbers::at_the_edges);
  }
}
TEST(Gemm, sizes_that_are_none) {
  for (std::int64_t size :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(build::code_of([&] { kernels::Gemm(rngd, ScalarType::bf16, size, 8, 8); }), "kernel-gemm-size") << size;
    EXPECT_EQ(build::code_of([&] { kernels::Gemm(rngd, ScalarType::i8, 8, size, 8); }), "kernel-gemm-size") << size;
    EXPECT_EQ(build::code_of([&] { kernels::Gemm(rngd, ScalarType::f8e4m3, 8, 8, size); }), "kernel-gemm-size") << size;
  }
  EXPECT_EQ(build::code_of([&] { kernels::Gemm(rngd, ScalarType::f32, 8, 8, 8); }), "kernel-gemm-type");
}

/// How many elements of a batch's products are wrong.
int wrong_in_batch(BackendKind backend, ScalarType type, std::int64_t batch, const Size& s) {
  auto ctx = context_on(backend);
  Random random(7);
  auto const gemm = kernels::Gemm::batched(rngd, type, batch, s.m, s.n, s.k);
  Drawn const a(random, type, dyn::map(gemm.batch(), gemm.m(), gemm.k())), b(random, type, dyn::map(gemm.batch(), gemm.n(), gemm.k()));
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, dyn::one, gemm.a_layout()), b_hbm = b.tensor.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.batch(), gemm.m(), gemm.n()));
  int bad = 0;
  for (std::int64_t g = 0; g < batch; ++g) {
    std::vector<float> const one_a(a.value.begin() + g * s.m * s.k, a.value.begin() + (g + 1) * s.m * s.k);
    std::vector<float> const one_b(b.value.begin() + g * s.n * s.k, b.value.begin() + (g + 1) * s.n * s.k);
    bad += wrong_of(gemm, s, c, g * s.m * s.n, one_a, one_b);
  }
  return bad;
}
TEST(GemmBatch, every_product_has_its_own_matrices) {
  for (ScalarType type : types) EXPECT_EQ(wrong_in_batch(BackendKind::vector, type, 3, {20, 33, 70}), 0);
  EXPECT_EQ(wrong_in_batch(BackendKind::vector, ScalarType::bf16, 1, {9, 8, 7}), 0);
  EXPECT_EQ(wrong_in_batch(BackendKind::vector, ScalarType::bf16, 5, {1, 300, 1100}), 0);
  EXPECT_EQ(wrong_in_batch(BackendKind::vector, ScalarType::bf16, 2, {300, 256, 2048}), 0);
  EXPECT_EQ(wrong_in_batch(BackendKind::reference, ScalarType::bf16, 2, {10, 12, 40}), 0);
  EXPECT_EQ(wrong_in_batch(BackendKind::device, ScalarType::bf16, 3, {17, 130, 64}), 0);
}
TEST(GemmBatch, random_sizes) {
  Random random(21);
  for (int i = 0; i < nightly::cases(10); ++i) {
    auto const any = [&](int most) { return random.between(1, std::int64_t{1} << random.between(0, most)); };
    std::int64_t const batch = any(4);
    Size const s{any(6), any(8), any(8)};
    EXPECT_EQ(wrong_in_batch(BackendKind::vector, types[i % 3], batch, s), 0) << batch << " of " << s.m << " x " << s.n << " x " << s.k;
  }
}
TEST(GemmBatch, every_type_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device})
    for (ScalarType type : types) EXPECT_EQ(wrong_in_batch(backend, type, 2, {3, 20, 70}), 0) << name_of(backend);
}
/// Each product finds its B in a table, by a number that only the chip knows.
TEST(GemmBatch, b_is_looked_up) {
  Size const s{2, 128, 512};
  std::vector<std::int64_t> const which = {2, 0, 2, 1};
  auto const gemm = kernels::Gemm::batched(rngd, ScalarType::bf16, std::ssize(which), s.m, s.n, s.k);
  EXPECT_GT(gemm.tile_at(0).split, 1);
  for (BackendKind backend : {BackendKind::vector, BackendKind::device}) {
    auto ctx = context_on(backend);
    Random random(9);
    Drawn const a(random, ScalarType::bf16, dyn::map(gemm.batch(), gemm.m(), gemm.k())),
        b(random, ScalarType::bf16, dyn::map(dyn::axis("Of", 3), gemm.n(), gemm.k()));
    dyn::HostTensor numbers(ScalarType::i32, gemm.batch());
    for (std::size_t g = 0; g < which.size(); ++g) numbers.data<i32>()[g] = i32::from_int(which[g]);
    auto const chosen = [&](Context& inside, const dyn::Tensor& x, const dyn::Tensor& table, const dyn::Tensor& number) {
      return gemm.chosen(inside, x, table, number);
    };
    auto const c = launch(chosen, ctx, a.tensor.to_hbm(ctx.pdma, dyn::one, gemm.a_layout()),
                          b.tensor.to_hbm(ctx.pdma, dyn::one, gemm.table_layout(3)), numbers.to_hbm(ctx.pdma, dyn::one, gemm.batch()))
                       .get()
                       .to_host(ctx.pdma, dyn::map(gemm.batch(), gemm.m(), gemm.n()));
    for (std::int64_t g = 0; g < std::ssize(which); ++g) {
      std::int64_t const b0 = which[static_cast<std::size_t>(g)] * s.n * s.k;
      std::vector<float> const one_a(a.value.begin() + g * s.m * s.k, a.value.begin() + (g + 1) * s.m * s.k);
      std::vector<float> const one_b(b.value.begin() + b0, b.value.begin() + b0 + s.n * s.k);
      EXPECT_EQ(wrong_of(gemm, s, c, g * s.m * s.n, one_a, one_b), 0) << g << " on " << name_of(backend);
    }
  }
}
TEST(GemmBatch, needs_products) {
  for (std::int64_t batch : {0, -1, 1025})
    EXPECT_EQ(build::code_of([&] { kernels::Gemm::batched(rngd, ScalarType::bf16, batch, 1, 1, 1); }), "kernel-gemm-batch") << batch;
}
/// One B for all: the rows of all matrices A, one behind the other.
TEST(GemmBatch, with_one_b_is_a_product_of_more_rows) {
  auto ctx = context_on(BackendKind::vector);
  Random random(3);
  Mapping const batch = dyn::axis("Batch", 4), token = dyn::axis("Token", 9), hidden = dyn::axis("Hidden", 50);
  kernels::Gemm const gemm(rngd, ScalarType::bf16, 4 * 9, 60, 50);
  Drawn const a(random, ScalarType::bf16, dyn::map(batch, token, hidden)), b(random, ScalarType::bf16, dyn::map(gemm.n(), gemm.k()));
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, dyn::map(batch, token), hidden));
  auto const b_hbm = b.tensor.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
  EXPECT_EQ(wrong_of(gemm, {36, 60, 50}, c, 0, a.value, b.value), 0);
}
/// The result of one is an operand of the next, in one program.
TEST(GemmBatch, products_follow_each_other_in_one_launch) {
  for (BackendKind backend : {BackendKind::vector, BackendKind::device}) {
    auto ctx = context_on(backend);
    Random random(4);
    kernels::Gemm const second(rngd, ScalarType::bf16, 24, 30, 70), third(rngd, ScalarType::bf16, 24, 50, 30);
    Drawn const a(random, ScalarType::bf16, dyn::map(second.m(), second.k())),
        b(random, ScalarType::bf16, dyn::map(second.n(), second.k())), d(random, ScalarType::bf16, dyn::map(third.n(), third.k()));
    auto const chain = [&](Context& inside, const dyn::Tensor& x, const dyn::Tensor& y, const dyn::Tensor& z) {
      return third(inside, second(inside, x, y), z);
    };
    auto const c = launch(chain, ctx, a.tensor.to_hbm(ctx.pdma, dyn::one, second.a_layout()),
                          b.tensor.to_hbm(ctx.pdma, dyn::one, second.b_layout()), d.tensor.to_hbm(ctx.pdma, dyn::one, third.b_layout()))
                       .get()
                       .to_host(ctx.pdma, dyn::map(third.m(), third.n()));
    std::vector<float> between;
    for (std::int64_t i = 0; i < 24; ++i)
      for (std::int64_t j = 0; j < 30; ++j) between.push_back(of_bf16(to_bf16(dot(a.value, b.value, i, j, 70, Order(second.tile_at(j))))));
    EXPECT_EQ(wrong_of(third, {24, 50, 30}, c, 0, between, d.value), 0) << name_of(backend);
  }
}

std::vector<float> columns_of(const std::vector<float>& matrix, std::int64_t columns, std::int64_t first, std::int64_t count) {
  std::vector<float> out;
  for (std::size_t row = 0; row < matrix.size(); row += static_cast<std::size_t>(columns))
    for (std::int64_t c = first; c < first + count; ++c) out.push_back(matrix[row + static_cast<std::size_t>(c)]);
  return out;
}
/// Over several chips, of products whose parts are those of `each`.
template <std::int64_t chips>
int wrong_on_chips(BackendKind backend, kernels::GemmSplit over, const Size& s, ScalarType type = ScalarType::bf16) {
  auto ctx = context_on(backend);
  Random random(11);
  kernels::GemmOnChips const gemm(rngd, type, s.m, s.n, s.k, chips, over);
  Drawn const a(random, type, gemm.host_a()), b(random, type, gemm.host_b());
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, gemm.chip(), gemm.a_layout()),
             b_hbm = b.tensor.to_hbm(ctx.pdma, gemm.chip(), gemm.b_layout());
  auto const c = launch<chips>(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, gemm.host_c());
  if (over != kernels::GemmSplit::k) return wrong_of(gemm.each(), s, c, 0, a.value, b.value);
  int bad = 0;
  std::int64_t const each = s.k / chips;
  for (std::int64_t chip = 0; chip < chips; ++chip)  // its own columns of A and rows of B
    bad += wrong_of(gemm.each(), {s.m, s.n, each}, c, chip * s.m * s.n, columns_of(a.value, s.k, chip * each, each),
                    columns_of(b.value, s.k, chip * each, each));
  return bad;
}
TEST(GemmOnChips, each_has_a_part) {
  using enum kernels::GemmSplit;
  for (BackendKind backend : {BackendKind::vector, BackendKind::device})
    for (kernels::GemmSplit over : {m, n, k}) EXPECT_EQ(wrong_on_chips<4>(backend, over, {12, 40, 64}), 0) << name_of(backend);
  EXPECT_EQ(wrong_on_chips<4>(BackendKind::reference, n, {8, 40, 32}), 0);
  EXPECT_EQ(wrong_on_chips<4>(BackendKind::vector, m, {100, 256, 1100}), 0);
  EXPECT_EQ(wrong_on_chips<4>(BackendKind::vector, n, {3, 1024, 300}), 0);
  EXPECT_EQ(wrong_on_chips<4>(BackendKind::vector, k, {3, 100, 4096}), 0);
}
TEST(GemmOnChips, two_and_eight_of_every_type) {
  using enum kernels::GemmSplit;
  for (ScalarType type : types)
    for (kernels::GemmSplit over : {m, n, k}) {
      EXPECT_EQ(wrong_on_chips<2>(BackendKind::vector, over, {14, 26, 38}, type), 0);
      EXPECT_EQ(wrong_on_chips<8>(BackendKind::vector, over, {24, 40, 88}, type), 0);
    }
  for (kernels::GemmSplit over : {m, n, k}) {
    EXPECT_EQ(wrong_on_chips<2>(BackendKind::reference, over, {4, 6, 10}), 0);
    EXPECT_EQ(wrong_on_chips<8>(BackendKind::device, over, {8, 16, 24}), 0);
  }
}
TEST(GemmOnChips, random_sizes) {
  using enum kernels::GemmSplit;
  Random random(22);
  for (int i = 0; i < nightly::cases(9); ++i) {
    kernels::GemmSplit const over = std::array{m, n, k}[static_cast<std::size_t>(i % 3)];
    auto const any = [&](kernels::GemmSplit of) { return random.between(1, 60) * (of == over ? 8 : 1); };
    Size const s{any(m), any(n), any(k)};
    ScalarType const type = types[i / 3 % 3];
    int const bad =
        i % 2 == 0 ? wrong_on_chips<8>(BackendKind::vector, over, s, type) : wrong_on_chips<2>(BackendKind::vector, over, s, type);
    EXPECT_EQ(bad, 0) << s.m << " x " << s.n << " x " << s.k;
  }
}
TEST(GemmOnChips, divide_evenly) {
  using enum kernels::GemmSplit;
  EXPECT_EQ(build::code_of([&] { kernels::GemmOnChips(rngd, ScalarType::bf16, 6, 8, 8, 4, m); }), "kernel-gemm-chips");
  EXPECT_EQ(build::code_of([&] { kernels::GemmOnChips(rngd, ScalarType::bf16, 8, 8, 8, 0, n); }), "kernel-gemm-chips");
  EXPECT_EQ(kernels::GemmOnChips(rngd, ScalarType::bf16, 6, 8, 8, 4, k).each().k().size, 2);
  EXPECT_EQ(kernels::GemmOnChips(rngd, ScalarType::bf16, 6, 8, 8, 4, k).work().multiply_adds, 6 * 8 * 2);
}

/// Weights are uploaded once, and serve one token as well as a thousand.
TEST(Gemm, b_lies_the_same_for_every_m) {
  for (ScalarType type : types)
    for (Size s : {Size{0, 4096, 4096}, {0, 14336, 4096}, {0, 777, 555}, {0, 5, 3}, {0, 1000, 2048}, {0, 128256, 256}})
      for (std::int64_t m : {2, 16, 100, 1000, 4096})
        EXPECT_EQ(kernels::Gemm(rngd, type, m, s.n, s.k).b_layout(), kernels::Gemm(rngd, type, 1, s.n, s.k).b_layout())
            << m << " x " << s.n << " x " << s.k;
}

/// The product as the chip would be given it.
program::Program program_of(ScalarType type, const Size& s) {
  kernels::Gemm const gemm(rngd, type, s.m, s.n, s.k);
  ir::Module module = build::module_of([&](Context& ctx) {
    auto const a = dyn::Tensor::hbm_at(0, type, dyn::one, gemm.a_layout());
    auto const b = dyn::Tensor::hbm_at(std::int64_t{1} << 30, type, dyn::one, gemm.b_layout());
    return gemm(ctx, a, b);
  });
  return build::lowered(std::move(module));
}
TEST(Gemm, every_size_is_a_program) {
  Random random(1);
  for (int i = 0; i < nightly::cases(150); ++i) {
    auto const any = [&] { return random.between(1, std::int64_t{1} << random.between(0, 14)); };
    Size const s{any(), any(), any()};
    EXPECT_EQ(build::code_of([&] { program_of(types[i % 3], s); }), "accepted") << s.m << " x " << s.n << " x " << s.k;
  }
  // Rows and columns of models: narrow last tiles of a wide product, of which a slice needs more of A.
  for (int i = 0; i < nightly::cases(30); ++i) {
    Size const s{std::int64_t{1} << random.between(0, 9), 128 * random.between(1, 1024), 256 * random.between(1, 32)};
    EXPECT_EQ(build::code_of([&] { program_of(ScalarType::bf16, s); }), "accepted") << s.m << " x " << s.n << " x " << s.k;
  }
  for (Size s : {Size{16384, 1, 16384}, {1, 16384, 16384}, {80, 1168, 64}, {1, 131072, 40}, {128, 128256, 4096}, {256, 128256, 4096}})
    EXPECT_EQ(build::code_of([&] { program_of(ScalarType::bf16, s); }), "accepted") << s.m << " x " << s.n << " x " << s.k;
}

/// The cycles that the book counts, against the bound of what the product cannot do without.
double ratio_to_bound(ScalarType type, const Size& s) {
  auto const timed = value_or_throw(plan(program_of(type, s), rngd));
  auto const bound = kernels::cycles_of(kernels::Gemm(rngd, type, s.m, s.n, s.k).work(), rngd).bound();
  return static_cast<double>(timed.schedule.makespan.value) / static_cast<double>(bound.value);
}
TEST(Gemm, is_near_its_bound_at_4096) {
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {4096, 4096, 4096}), 1.15);
  EXPECT_LE(ratio_to_bound(ScalarType::f8e4m3, {4096, 4096, 4096}), 1.35);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {4095, 4095, 4095}), 1.25);  // of which nothing is a whole unit
}
TEST(Gemm, the_largest_is_near_its_bound) { EXPECT_LE(ratio_to_bound(ScalarType::bf16, {16384, 16384, 8192}), 1.2); }
/// The matrices of a decoder layer and the LM head of 8B, of a few tokens: B is read at nearly the full rate of HBM.
TEST(Gemm, few_rows_take_as_long_as_reading_b) {
  for (std::int64_t m : {1, 16})
    for (Size s : {Size{m, 4096, 4096}, {m, 6144, 4096}, {m, 14336, 4096}, {m, 28672, 4096}, {m, 4096, 14336}, {m, 128256, 4096}})
      EXPECT_LE(ratio_to_bound(ScalarType::bf16, s), 1.3) << s.m << " x " << s.n << " x " << s.k;
}
/// The shares of eight chips of 70B, of 64 tokens: few columns, of which no slice is left out.
TEST(Gemm, few_columns_of_few_rows) {
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {64, 3584, 8192}), 1.5);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {64, 1280, 8192}), 1.85);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {1, 1280, 8192}), 1.45);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {64, 6144, 4096}), 1.45);
}
/// On the chip engines that read the same bytes for all slices wait for each other.
TEST(Gemm, a_is_copied_by_the_switch) {
  for (Size s : {Size{64, 6144, 4096}, {64, 3584, 8192}, {16, 14336, 4096}, {1, 6144, 4096}}) {
    program::Program const program = program_of(ScalarType::bf16, s);
    for (const program::Command& command : program.commands) {
      const auto* dma = std::get_if<program::Dma>(&command.what);
      if (dma == nullptr) continue;
      for (const program::DmaDescriptor& d : dma->descriptors)
        for (const program::DmaLoop& l : d.loops)
          EXPECT_FALSE(l.size > 8 && l.read_stride == 0 && l.index_stride == 0) << s.m << " x " << s.n << " x " << s.k;
    }
  }
}
/// To write less than a unit costs fifty times as much as to write it whole.
TEST(Gemm, no_unit_of_hbm_is_written_in_part) {
  for (ScalarType type : types)
    for (Size s : {Size{1000, 1000, 1000}, {1023, 777, 555}, {5, 20, 33}, {1, 300, 1100}, {1, 1, 1}, {300, 896, 64}, {2, 65, 4096}}) {
      auto const timed = value_or_throw(plan(program_of(type, s), rngd));
      for (const program::Scheduled& command : timed.schedule.commands)
        for (const program::StallCycles& stall : command.cost.stalls)
          EXPECT_NE(stall.cause, program::Stall::PartialWrite) << s.m << " x " << s.n << " x " << s.k << " of " << scalar_info(type).name;
    }
}
/// In the middle the copies of B that each group of slices needs take longer than the multiplications; no odd size falls off a cliff.
TEST(Gemm, middle_and_odd_sizes) {
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {2048, 2048, 2048}), 1.45);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {1024, 1024, 1024}), 2.7);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {1000, 1000, 1000}), 3.6);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {1500, 1500, 1500}), 3.5);
  EXPECT_LE(ratio_to_bound(ScalarType::bf16, {1023, 777, 555}), 7.5);
}

}  // namespace
}  // namespace tcp
