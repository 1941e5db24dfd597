// The same bits as another type: what TopK packs scores by.
#include "tcp/dsl/dynamic.hpp"

#include <gtest/gtest.h>

#include "moe_oracle.hpp"
#include "recorder.hpp"

namespace tcp {
namespace {

using namespace moe_tests;

const Mapping all = dyn::axis("A", 2048);

/// bf16 as i16, widened to i32, shifted up, and as f32 again: the exact widening, of every pattern, NaN and subnormals included.
TEST(Reinterpret, keeps_every_bit_on_every_backend) {
  for (BackendKind backend : every_backend) {
    auto ctx = context_on(backend);
    dyn::HostTensor x(ScalarType::bf16, all);
    for (std::uint32_t i = 0; i < 2048; ++i) x.data<bf16>()[i] = bf16::from_bits((i * 2654435761u) >> 16);
    auto const widen = [](Context& on, const dyn::Tensor& in) {
      auto const dm = in.reinterpret(ScalarType::i16).to_dm(on.tdma, dyn::one.pad(2), all / 8, all % 8);
      auto const bits = dyn::main(on)
                            .begin(dm)
                            .fetch(ScalarType::i32, dyn::one, all % 8)
                            .collect(dyn::one, all % 8)
                            .vector_init()
                            .vector_intra_slice_branch(BranchMode::Unconditional)
                            .vector_fxp(FxpBinaryOp::LeftShift, 16)
                            .vector_final()
                            .commit(all % 8);
      return bits.reinterpret(ScalarType::f32).to_hbm(on.tdma, all);
    };
    auto const y = launch(widen, ctx, x.to_hbm(ctx.pdma, dyn::one, all)).get().to_host(ctx.pdma, all);
    ASSERT_EQ(y.type(), ScalarType::f32);
    for (std::uint32_t i = 0; i < 2048; ++i) ASSERT_EQ(y.data<f32>()[i].bits, x.data<bf16>()[i].bits << 16) << name_of(backend);
  }
}
/// A view is written through as well.
TEST(Reinterpret, writes_through) {
  for (BackendKind backend : every_backend) {
    auto ctx = context_on(backend);
    dyn::HostTensor x(ScalarType::f32, all);
    for (std::uint32_t i = 0; i < 2048; ++i) x.data<f32>()[i] = f32::from_bits(i * 2654435761u);
    auto const copy = [](Context& on, const dyn::Tensor& in) {
      auto const out = dyn::Tensor::hbm(on, ScalarType::i32, dyn::one, all);
      dyn::dma(on.tdma, in, out.reinterpret(ScalarType::f32));
      return out;
    };
    auto const y = launch(copy, ctx, x.to_hbm(ctx.pdma, dyn::one, all)).get().to_host(ctx.pdma, all);
    for (std::uint32_t i = 0; i < 2048; ++i) ASSERT_EQ(y.data<i32>()[i].bits, x.data<f32>()[i].bits) << name_of(backend);
  }
}
TEST(Reinterpret, another_width_is_refused) {
  EXPECT_EQ(build::code_of([] {
              build::module_of([](Context& on) {
                auto const x = dyn::Tensor::hbm(on, ScalarType::f32, dyn::one, all);
                static_cast<void>(x.reinterpret(ScalarType::bf16));
              });
            }),
            "ir-view-differs");
}

}  // namespace
}  // namespace tcp
