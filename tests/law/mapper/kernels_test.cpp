// Every kernel that the mapper makes has the bits of its formula: all mappings that a search schedules, on every
// executor.
#include <gtest/gtest.h>

#include <string>

#include "running.hpp"

namespace tcp {
namespace {

using namespace mapper_tests;

/// The chosen mapping on these executors, and of the others that were scheduled one in four on the simulated chip,
/// which is the fastest of the three for small sizes that end in padding.
constexpr std::initializer_list<BackendKind> all_backends = {BackendKind::reference, BackendKind::vector, BackendKind::device};
void expect_all_right(const std::string& formula, std::uint64_t seed, bool dual = true,
                      std::initializer_list<BackendKind> backends = all_backends) {
  SCOPED_TRACE(formula);
  mapper::SearchOptions options;
  options.plans = 16;
  options.dual = dual;
  auto const found = mapper::search(rngd, product(formula), options);
  ASSERT_TRUE(found.ok()) << render(found.refusal());
  EXPECT_EQ(found->refused, 0) << render(found->first_refused);
  expect_right(found->best.mapping, backends, seed);
  for (std::size_t i = 1; i < found->tried.size(); i += 4) expect_right(found->tried[i].mapping, {BackendKind::device}, seed + i);
}

TEST(MapperKernels, SizesThatDivideByNothing) {
  expect_all_right("C[m,n] = sum[k] A[m,k] * B[n,k]{any} where m=37, n=150, k=40", 1);
  expect_all_right("C[m,n] = sum[k] A[m,k] * B[n,k] where m=3, n=130, k=33", 3);
  expect_all_right("C[m,n] = sum[k] A[m,k] * B[n,k] where m=70, n=2, k=35", 4);
  expect_all_right("C[m,n] = sum[k] A[m,k] * B[n,k] where m=1, n=1, k=1", 5);
}
TEST(MapperKernels, VectorsAndBlocks) {
  expect_all_right("y[n] = sum[k] x[k] * W[n,k]{any} where n=128, k=512", 6);
  expect_all_right("C[m,n] = sum[k] A[m,k] * B[n,k]{any} where m=8, n=128, k=256", 9, false);
}
TEST(MapperKernels, AllTypes) {
  expect_all_right("C[m,n] = sum[k] A: f8e4m3[m,k] * B: f8e4m3[n,k] where m=20, n=140, k=70", 10);
  expect_all_right("C[m,n] = sum[k] A: i8[m,k] * B: i8[n,k] where m=33, n=40, k=70", 12);
}
TEST(MapperKernels, StepsAfterTheSum) {
  expect_all_right("C[m,n] = gelu(sum[k] A[m,k] * B[n,k] + bias[n]) where m=37, n=150, k=20", 14);
  expect_all_right("C[m,n] = relu((sum[k] A[m,k] * B[n,k]) * scale[m] - 0.5) where m=40, n=50, k=20", 15);
  expect_all_right("C: f32[m,n] = min(max(tanh(sum[k] A[m,k] * B[n,k]), -0.5), 0.5) where m=17, n=33, k=20", 17);
}
/// The interpreters take seconds for a convolution, whatever its size: both of them only for the last one.
TEST(MapperKernels, Convolutions) {
  expect_all_right("y[h,w,f] = sum[r,s,c] x[h+r-1 : 5, w+s-1 : 6, c]{any} * W[f,r,s,c]{any} where h=5, w=6, f=20, r=3, s=3, c=32", 30, true,
                   {BackendKind::reference, BackendKind::device});
  expect_all_right(
      "y[h,w,f] = relu(sum[r,s,c] x[2*h+r-1 : 5, 2*w+s-1 : 10, c]{any} * W[f,r,s,c]{any} + b[f]) where h=3, w=5, f=9, r=3, s=3, c=12", 31,
      true, {BackendKind::vector, BackendKind::device});
  expect_all_right("y[n,h,w,f] = sum[r,s,c] x[n, h+r, w+2*s, c]{any} * W[f,r,s,c] where n=2, h=3, w=4, f=6, r=2, s=2, c=32", 32, true,
                   {BackendKind::device});
  expect_all_right("y[h,w,f] = sum[c] x[h,w,c]{any} * W[f,c] where h=3, w=20, f=8, c=32", 33, false, {BackendKind::device});
  expect_all_right("y[h,w,f] = sum[s,c] x: i8[h, w+s-1 : 8, c]{any} * W: i8[f,s,c]{any} where h=2, w=8, f=12, s=3, c=64", 34);
}
TEST(MapperKernels, Batches) {
  expect_all_right("C[b,m,n] = sum[k] A[b,m,k] * B[b,n,k] where b=5, m=7, n=40, k=33", 40);
  // Heads within the rows of both operands.
  expect_all_right("S[h,q,s] = (sum[d] Q[q,h,d] * K[s,h,d]) * 0.125 where h=3, q=20, s=33, d=64", 41);
  expect_all_right("O[q,h,d] = sum[s] P[h,q,s] * V[h,s,d]{any} + v[d] where h=6, q=9, s=64, d=32", 42, false);
  expect_all_right("y[b,n] = sum[k] x: i8[b,k] * W: i8[n,b,k] where b=9, n=5, k=70", 43);
  expect_all_right("y[b] = sum[k] A[b,k] * B[b,k] where b=3, k=40", 44);
}
TEST(MapperKernels, GreatestProducts) {
  expect_all_right("C[m,n] = max[k] A[m,k] * B[n,k] where m=20, n=40, k=64", 50);
  expect_all_right("C: f32[b,m,n] = relu((max[k] A[b,m,k] * B[b,n,k]{any}) - 0.5) where b=3, m=7, n=33, k=96", 51);
  expect_all_right("C[m,n] = max[k] A: i8[m,k] * B: i8[n,k] where m=9, n=5, k=64", 52, false);
}
TEST(MapperKernels, RandomFormulas) {
  Random random(20);
  for (int i = 0; i < 4; ++i) {
    auto const size = [&] { return std::to_string(random.between(1, std::int64_t{1} << random.between(0, 6))); };
    const char* const types[] = {"bf16", "bf16", "f8e4m3", "i8"};
    std::string const type = types[random.between(0, 3)], layout = random.between(0, 1) == 0 ? "{any}" : "";
    std::string sum = "sum[k] A: " + type + "[m,k] * B: " + type + "[n,k]" + layout;
    if (type != "i8") {
      const char* const around[] = {"SUM", "SUM + v[n]", "gelu(SUM)", "relu(SUM + v[n])", "(SUM) * v[m]", "sigmoid(SUM - 1.5) * 3"};
      std::string steps = around[random.between(0, 5)];
      sum = steps.replace(steps.find("SUM"), 3, sum);
    }
    expect_all_right("C[m,n] = " + sum + " where m=" + size() + ", n=" + size() + ", k=" + size(), 100 + static_cast<std::uint64_t>(i),
                     random.between(0, 3) > 0);
  }
}

}  // namespace
}  // namespace tcp
