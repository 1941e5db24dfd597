// The typed product against a host loop that adds in the chip's order, on every backend, and against the cycles of the
// kernel for any size.
#include "kernels/gemm/fixed_gemm.hpp"

#include <gtest/gtest.h>

#include "gemm_oracle.hpp"
#include "kernels/lowered.hpp"
#include "recorder.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp {
namespace {

using namespace gemm_tests;

template <class Layout>
HostTensor<bf16, Layout> host_tensor(const Drawn& drawn) {
  HostTensor<bf16, Layout> t;
  for (std::size_t i = 0; i < drawn.tensor.size(); ++i) t[i] = drawn.tensor.data<bf16>()[i];
  return t;
}

template <std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t Ring>
int wrong(BackendKind backend, Numbers numbers = Numbers::near_one) {
  using Product = kernels::FixedGemm<M, N, K, Ring>;
  auto ctx = context_on(backend);
  Random random(M + N + K + Ring);
  Drawn const a(random, ScalarType::bf16, dyn::axis("A", M * K), numbers), b(random, ScalarType::bf16, dyn::axis("B", N * K), numbers);
  using Chip = m<1>;
  auto const a_hbm = host_tensor<typename Product::LayoutA>(a).template to_hbm<Chip, typename Product::LayoutA>(ctx.pdma, 0);
  auto const b_hbm = host_tensor<typename Product::LayoutB>(b).template to_hbm<Chip, typename Product::LayoutB>(ctx.pdma, 1 << 28);
  using LayoutC = typename Product::LayoutC;
  auto c_hbm = HostTensor<bf16, LayoutC>().template to_hbm<Chip, LayoutC>(ctx.pdma, 2 << 28);
  launch(Product(), ctx, a_hbm, b_hbm, c_hbm).get();
  auto const c = c_hbm.template to_host<LayoutC>(ctx.pdma);

  kernels::GemmTiling undivided;
  undivided.depth = undivided.k = K;
  Order const order(undivided);
  int bad = 0;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j)
      bad += c[static_cast<std::size_t>(i * N + j)].bits != to_bf16(dot(a.value, b.value, i, j, K, order));
  return bad;
}

TEST(FixedGemm, is_right_on_vector) {
  EXPECT_EQ((wrong<512, 1024, 96, 32>(BackendKind::vector)), 0);    // two tiles
  EXPECT_EQ((wrong<1024, 384, 64, 8>(BackendKind::vector)), 0);     // three tiles, two rows of A in a slice
  EXPECT_EQ((wrong<512, 1024, 1024, 64>(BackendKind::vector)), 0);  // the longest K
  EXPECT_EQ((wrong<512, 4096, 32, 256>(BackendKind::vector)), 0);   // one group of slices
}
TEST(FixedGemm, the_same_on_the_simulated_chip_and_on_reference) {
  EXPECT_EQ((wrong<512, 1024, 64, 32>(BackendKind::device)), 0);
  EXPECT_EQ((wrong<512, 256, 32, 8>(BackendKind::reference)), 0);
}
TEST(FixedGemm, numbers_at_the_edges_of_their_format) {
  EXPECT_EQ((wrong<512, 256, 32, 8>(BackendKind::vector, Numbers::at_the_edges)), 0);
  EXPECT_EQ((wrong<512, 256, 32, 8>(BackendKind::device, Numbers::at_the_edges)), 0);
}
TEST(FixedGemm, the_work_is_what_it_cannot_do_without) {
  kernels::Work const work = kernels::FixedGemm<512, 1024, 256>().work();
  EXPECT_EQ(work.multiply_adds, 512 * 1024 * 256);
  EXPECT_EQ(work.hbm_bytes, 2 * (512 * 256 + 1024 * 256 + 512 * 1024));
}

template <class Record>
program::Schedule scheduled(Record&& record) {
  return value_or_throw(plan(build::lowered(build::module_of(record)), rngd)).schedule;
}
template <std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t Ring>
program::Schedule schedule_of_fixed() {
  return scheduled([](Context& ctx) {
    using Product = kernels::FixedGemm<M, N, K, Ring>;
    auto c = Product::C::from_addr(2 << 28);
    Product()(ctx, Product::A::from_addr(0), Product::B::from_addr(1 << 28), c);
    return c;
  });
}
/// What the typed front end cannot do is choose; where the choice is the same, it costs nothing.
TEST(FixedGemm, takes_as_long_as_the_kernel_for_any_size_that_chose_the_same) {
  kernels::Gemm const gemm(rngd, ScalarType::bf16, 512, 2048, 128);
  ASSERT_EQ(gemm.tiling().ring, 128);
  auto const any_size = scheduled([&](Context& ctx) {
    return gemm(ctx, dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, gemm.a_layout()),
                dyn::Tensor::hbm_at(1 << 28, ScalarType::bf16, dyn::one, gemm.b_layout()));
  });
  EXPECT_EQ((schedule_of_fixed<512, 2048, 128, 128>().makespan.value), any_size.makespan.value);
}
TEST(FixedGemm, two_tiles_are_faster_than_one_where_multiplying_is_long) {
  EXPECT_LT((schedule_of_fixed<1024, 2048, 256, 64>().makespan.value), (schedule_of_fixed<1024, 2048, 256, 128>().makespan.value));
}
TEST(FixedGemm, no_unit_of_hbm_is_written_in_part) {
  for (const program::Scheduled& command : schedule_of_fixed<512, 2048, 128, 64>().commands)
    for (const program::StallCycles& stall : command.cost.stalls) EXPECT_NE(stall.cause, program::Stall::PartialWrite);
}

}  // namespace
}  // namespace tcp
