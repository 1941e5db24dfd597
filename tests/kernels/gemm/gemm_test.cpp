// C = A B against host loops that add in the chip's order, on sizes that divide by nothing.
#include "kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "recorder.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/lower/lower.hpp"
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

/// The number of wrong elements.
int wrong(BackendKind backend, ScalarType type, const Size& s) {
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  Random random(static_cast<std::uint64_t>(s.m * 1000003 + s.n * 1009 + s.k));
  kernels::Gemm const gemm(rngd, type, s.m, s.n, s.k);
  Drawn const a(random, type, dyn::map(gemm.m(), gemm.k())), b(random, type, dyn::map(gemm.n(), gemm.k()));
  auto const a_hbm = a.tensor.to_hbm(ctx.pdma, dyn::one, gemm.a_layout()), b_hbm = b.tensor.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
  std::int64_t const packet = type == ScalarType::bf16 ? 32 : 64;
  int bad = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      std::int64_t const at = i * s.n + j;
      if (type == ScalarType::i8) bad += c.data<i32>()[at].to_int() != whole_dot(a.value, b.value, i, j, s.k);
      else bad += c.data<bf16>()[at].bits != to_bf16(dot(a.value, b.value, i, j, s.k, gemm.tiling().k, packet));
    }
  return bad;
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
  for (int i = 0; i < 24; ++i) {
    auto const any = [&](int most) { return random.between(1, std::int64_t{1} << random.between(0, most)); };
    expect_right(BackendKind::vector, types[i % 3], {any(10), any(10), any(9)});
  }
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
  for (Size s : {Size{1, 5000, 300}, {16, 4096, 96}, {5, 1300, 2500}}) expect_right(BackendKind::vector, ScalarType::bf16, s);
  for (ScalarType type : types) expect_right(BackendKind::vector, type, {1, 700, 4096});
  expect_right(BackendKind::device, ScalarType::bf16, {16, 600, 64});
  expect_right(BackendKind::vector, ScalarType::bf16, {600, 1, 100});
}
TEST(Gemm, the_same_on_reference) {
  for (Size s : {Size{1, 1, 1}, {5, 20, 33}, {70, 40, 40}, {16, 64, 1060}, {140, 130, 32}})
    expect_right(BackendKind::reference, ScalarType::bf16, s);
  for (ScalarType type : types) expect_right(BackendKind::reference, type, {30, 20, 70});
}
TEST(Gemm, the_same_on_the_simulated_chip) {
  for (Size s : {Size{1, 1, 1}, {5, 20, 33}, {70, 40, 40}, {16, 64, 1060}, {140, 130, 32}, {512, 512, 96}, {20, 40, 2048}})
    expect_right(BackendKind::device, ScalarType::bf16, s);
  for (ScalarType type : types) expect_right(BackendKind::device, type, {30, 20, 70});
}

/// The product as the chip would be given it.
program::Program program_of(ScalarType type, const Size& s) {
  kernels::Gemm const gemm(rngd, type, s.m, s.n, s.k);
  ir::Module module = build::module_of([&](Context& ctx) {
    auto const a = dyn::Tensor::hbm_at(0, type, dyn::one, gemm.a_layout());
    auto const b = dyn::Tensor::hbm_at(std::int64_t{1} << 30, type, dyn::one, gemm.b_layout());
    return gemm(ctx, a, b);
  });
  throw_if_refused(ir::place(module, rngd));
  throw_if_refused(verdict(ir::verify(module, rngd)));
  return value_or_throw(lower::lower(module, rngd));
}
TEST(Gemm, every_size_is_a_program) {
  Random random(1);
  for (int i = 0; i < 150; ++i) {
    auto const any = [&] { return random.between(1, std::int64_t{1} << random.between(0, 14)); };
    Size const s{any(), any(), any()};
    EXPECT_EQ(build::code_of([&] { program_of(types[i % 3], s); }), "accepted") << s.m << " x " << s.n << " x " << s.k;
  }
  for (Size s : {Size{16384, 1, 16384}, {1, 16384, 16384}, {80, 1168, 64}})
    EXPECT_EQ(build::code_of([&] { program_of(ScalarType::bf16, s); }), "accepted") << s.m << " x " << s.n << " x " << s.k;
}

/// The cycles that the book counts, against the multiply-adds of the product at the chip's full rate.
double ratio_to_bound(ScalarType type, const Size& s) {
  auto const timed = value_or_throw(plan(program_of(type, s), rngd));
  double const per_cycle = 2.0 * 256 * 8 * (type == ScalarType::bf16 ? 32 : 64);
  return static_cast<double>(timed.schedule.makespan.value) * per_cycle / static_cast<double>(s.m * s.n * s.k);
}
TEST(Gemm, is_near_its_bound_at_4096) { EXPECT_LE(ratio_to_bound(ScalarType::bf16, {4096, 4096, 4096}), 1.2); }
TEST(Gemm, the_largest_is_near_its_bound) { EXPECT_LE(ratio_to_bound(ScalarType::bf16, {16384, 16384, 16384}), 1.2); }

}  // namespace
}  // namespace tcp
