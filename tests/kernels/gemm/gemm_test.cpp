// C = A B against host loops that add in the chip's order, on sizes that divide by nothing.
#include "kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/gemm/gemm_on_chips.hpp"
#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

// Formats by hand: the oracle shares no code with the library.

float of_bf16(std::uint32_t bits) {
  std::uint32_t const w = bits << 16;
  float f;
  std::memcpy(&f, &w, sizeof f);
  return f;
}
/// To the nearest, ties to even; the sums here are finite.
std::uint32_t to_bf16(float f) {
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  return (w + 0x7fff + ((w >> 16) & 1)) >> 16;
}
/// No infinities and no NaN among them.
float of_f8e4m3(std::uint32_t bits) {
  int const exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  float const size =
      exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9) : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return (bits & 0x80) != 0 ? -size : size;
}

/// Packets by a tree of neighbours, these one after the other within a part of K, the parts one after the other.
float dot(const std::vector<float>& a, const std::vector<float>& b, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t part,
          std::int64_t packet) {
  float total = 0;
  std::vector<float> tree(static_cast<std::size_t>(packet));
  for (std::int64_t begin = 0; begin < k; begin += part) {
    float sum = 0;
    for (std::int64_t p = begin; p < std::min(begin + part, k); p += packet) {
      for (std::int64_t x = 0; x < packet; ++x)
        tree[static_cast<std::size_t>(x)] =
            p + x < k ? a[static_cast<std::size_t>(i * k + p + x)] * b[static_cast<std::size_t>(j * k + p + x)] : 0.0f;
      for (std::size_t width = tree.size(); width > 1; width /= 2)
        for (std::size_t x = 0; x < width / 2; ++x) tree[x] = tree[2 * x] + tree[2 * x + 1];
      sum = p == begin ? tree[0] : sum + tree[0];
    }
    total = begin == 0 ? sum : total + sum;
  }
  return total;
}

/// Random bits of a type, and what they mean.
struct Drawn {
  Drawn(Random& random, ScalarType type, const Mapping& layout) : tensor(type, layout) {
    for (std::size_t at = 0; at < tensor.size(); ++at) {
      auto const bits = static_cast<std::uint32_t>(random.next());
      if (type == ScalarType::bf16) {  // of size 1/8 to 16
        tensor.data<bf16>()[at] = bf16::from_bits((bits & 0x807f) | (124 + (bits >> 16) % 7) << 7);
        value.push_back(of_bf16(tensor.data<bf16>()[at].bits));
      } else if (type == ScalarType::f8e4m3) {
        tensor.data<f8e4m3>()[at] = f8e4m3::from_bits((bits & 0x7f) == 0x7f ? 0 : bits & 0xff);
        value.push_back(of_f8e4m3(tensor.data<f8e4m3>()[at].bits));
      } else {
        tensor.data<i8>()[at] = i8::from_bits(bits & 0xff);
        value.push_back(static_cast<float>(static_cast<std::int8_t>(bits & 0xff)));
      }
    }
  }
  dyn::HostTensor tensor;
  std::vector<float> value;
};

std::int64_t whole_dot(const std::vector<float>& a, const std::vector<float>& b, std::int64_t i, std::int64_t j, std::int64_t k) {
  std::int64_t sum = 0;
  for (std::int64_t x = 0; x < k; ++x)
    sum += static_cast<std::int64_t>(a[static_cast<std::size_t>(i * k + x)]) *
           static_cast<std::int64_t>(b[static_cast<std::size_t>(j * k + x)]);
  return sum;
}

struct Size {
  std::int64_t m, n, k;
};

Context context_on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}

/// The number of elements of one product that are not what the host computes; `place` is where they begin.
int wrong_of(const kernels::Gemm& gemm, const Size& s, const dyn::HostTensor& c, std::int64_t place, const std::vector<float>& a,
             const std::vector<float>& b) {
  ScalarType const type = gemm.type();
  std::int64_t const packet = type == ScalarType::bf16 ? 32 : 64;
  int bad = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      std::int64_t const at = place + i * s.n + j;
      if (type == ScalarType::i8) bad += c.data<i32>()[at].to_int() != whole_dot(a, b, i, j, s.k);
      else bad += c.data<bf16>()[at].bits != to_bf16(dot(a, b, i, j, s.k, gemm.tiling().k, packet));
    }
  return bad;
}
int wrong(BackendKind backend, ScalarType type, const Size& s) {
  auto ctx = context_on(backend);
  Random random(static_cast<std::uint64_t>(s.m * 1000003 + s.n * 1009 + s.k));
  kernels::Gemm const gemm(rngd, type, s.m, s.n, s.k);
  Drawn const a(random, type, dyn::map(gemm.m(), gemm.k())), b(random, type, dyn::map(gemm.n(), gemm.k()));
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, dyn::one, gemm.a_layout()), b_hbm = b.tensor.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
  return wrong_of(gemm, s, c, 0, a.value, b.value);
}

void expect_right(BackendKind backend, ScalarType type, const Size& s) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.k << " by " << s.k << " x " << s.n << " of " << scalar_info(type).name << " on "
                                  << name_of(backend));
  try {
    EXPECT_EQ(wrong(backend, type, s), 0);
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

/// Of all products of a batch.
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
      for (std::int64_t j = 0; j < 30; ++j) between.push_back(of_bf16(to_bf16(dot(a.value, b.value, i, j, 70, second.tiling().k, 32))));
    EXPECT_EQ(wrong_of(third, {24, 50, 30}, c, 0, between, d.value), 0) << name_of(backend);
  }
}

/// Over four chips, of products whose parts are those of `each`.
int wrong_on_chips(BackendKind backend, kernels::GemmSplit over, const Size& s) {
  constexpr std::int64_t chips = 4;
  auto ctx = context_on(backend);
  Random random(11);
  kernels::GemmOnChips const gemm(rngd, ScalarType::bf16, s.m, s.n, s.k, chips, over);
  Drawn const a(random, ScalarType::bf16, gemm.host_a()), b(random, ScalarType::bf16, gemm.host_b());
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, gemm.chip(), gemm.a_layout()),
             b_hbm = b.tensor.to_hbm(ctx.pdma, gemm.chip(), gemm.b_layout());
  auto const c = launch<chips>(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, gemm.host_c());
  std::int64_t const part = gemm.each().tiling().k, each = s.k / chips;
  int bad = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      if (over != kernels::GemmSplit::k) {
        bad += c.data<bf16>()[i * s.n + j].bits != to_bf16(dot(a.value, b.value, i, j, s.k, part, 32));
        continue;
      }
      for (std::int64_t chip = 0; chip < chips; ++chip) {  // its own columns of A and rows of B
        std::vector<float> const row(a.value.begin() + i * s.k + chip * each, a.value.begin() + i * s.k + (chip + 1) * each);
        std::vector<float> const column(b.value.begin() + j * s.k + chip * each, b.value.begin() + j * s.k + (chip + 1) * each);
        bad += c.data<bf16>()[(chip * s.m + i) * s.n + j].bits != to_bf16(dot(row, column, 0, 0, each, part, 32));
      }
    }
  return bad;
}
TEST(GemmOnChips, each_has_a_part) {
  using enum kernels::GemmSplit;
  for (BackendKind backend : {BackendKind::vector, BackendKind::device})
    for (kernels::GemmSplit over : {m, n, k}) EXPECT_EQ(wrong_on_chips(backend, over, {12, 40, 64}), 0) << name_of(backend);
  EXPECT_EQ(wrong_on_chips(BackendKind::reference, n, {8, 40, 32}), 0);
  EXPECT_EQ(wrong_on_chips(BackendKind::vector, m, {100, 256, 1100}), 0);
  EXPECT_EQ(wrong_on_chips(BackendKind::vector, n, {3, 1024, 300}), 0);
  EXPECT_EQ(wrong_on_chips(BackendKind::vector, k, {3, 100, 4096}), 0);
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
  for (Size s : {Size{16384, 1, 16384}, {1, 16384, 16384}, {80, 1168, 64}, {1, 131072, 40}})
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
