// The Vector Engine's methods: what each writes down, with operands of every kind.
#include <gtest/gtest.h>

#include "recorder.hpp"

namespace tcp {
namespace {

using build::text_of_kernel;

TCP_AXES(A = 2048, R = 32, X = 2, C = 16);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
template <Scalar D>
using Dm = DmTensor<D, Chip, Cluster, Slice, Eight>;
template <Scalar D>
using Vrf = VrfTensor<D, Chip, Cluster, Slice, Eight>;

template <Scalar D>
auto entered(Context& ctx, std::int64_t address = 0) {
  return ctx.main.begin(Dm<D>::from_addr(address).view()).template fetch<D, m<1>, Eight>().template collect<m<1>, Eight>().vector_init();
}
template <Scalar D>
auto branched(Context& ctx) {
  return entered<D>(ctx).vector_intra_slice_branch(BranchMode::Unconditional);
}
template <Scalar D>
Vrf<D> operands(Context& ctx, std::int64_t address = 0) {
  return ctx.sub.begin(Dm<D>::from_addr(64).view()).template fetch<D, m<1>, Eight>().template collect<m<1>, Eight>().to_vrf(address);
}

/// The lines of the vector steps between the branch and the end.
template <class Kernel>
std::string steps_of(Kernel&& kernel) {
  std::string const text = text_of_kernel(kernel);
  std::size_t const begin = text.rfind("  .vector_init\n"), end = text.rfind("  .vector_final\n");
  return begin == text.npos || end == text.npos ? text : text.substr(begin + 15, end - begin - 15);
}

TEST(DslVector, fixed_point_and_logic) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const v = operands<i32>(ctx);
              auto const y = branched<i32>(ctx)
                                 .vector_logic(LogicBinaryOpI32::BitAnd, 0xff)
                                 .vector_logic_with_mode(LogicBinaryOpI32::BitOr, BinaryArgMode::Mode10, i32::from_int(-1))
                                 .vector_logic(LogicBinaryOpI32::LeftShift, 3)
                                 .vector_fxp(FxpBinaryOp::AddFxp, v)
                                 .vector_fxp(FxpBinaryOp::MulInt, VeRhs::constant(2))
                                 .vector_fxp_with_mode(FxpBinaryOp::ArithRightShift, BinaryArgMode::Mode01, 1)
                                 .vector_clip(ClipBinaryOpI32::Max, 0)
                                 .vector_clip(ClipBinaryOpI32::Min, 127)
                                 .vector_final()
                                 .commit<Eight>(128);
            }),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_logic(BitAnd, 255)
  .vector_logic(BitOr, mode: Mode10, -1)
  .vector_logic(LeftShift, 3)
  .vector_fxp(AddFxp, %1)
  .vector_fxp(MulInt, 2)
  .vector_fxp(ArithRightShift, 1)
  .vector_clip(Max, 0)
  .vector_clip(Min, 127)
)");
}
TEST(DslVector, floating_point_through_the_narrow_part) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const v = operands<f32>(ctx);
              auto const y = branched<f32>(ctx)
                                 .vector_logic(LogicBinaryOpF32::BitXor, 0.0f)
                                 .vector_split<m<A % 8 / 4>, m<A % 4>>()
                                 .vector_fp_unary(FpUnaryOp::Exp)
                                 .vector_fp_binary(FpBinaryOp::AddF, 1.5)
                                 .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), v)
                                 .vector_fp_div(FpDivBinaryOp::DivF, 4.0f)
                                 .vector_concat<m<1>, Eight>()
                                 .vector_clip(ClipBinaryOpF32::Max, 0.0f)
                                 .vector_final()
                                 .commit<Eight>(128);
            }),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_logic(BitXor, 0.0)
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_unary(Exp)
  .vector_fp_binary(AddF, 1.5)
  .vector_fp_binary(MulF(Mul0), %1)
  .vector_fp_div(DivF, 4.0)
  .vector_concat Time[1] Packet[A % 8]
  .vector_clip(Max, 0.0)
)");
}
TEST(DslVector, three_operands_side_by_side_and_in_slots) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const y = branched<f32>(ctx)
                                 .vector_split<m<A % 8 / 4>, m<A % 4>>()
                                 .vector_fp_ternary(FpTernaryOp::FmaF, 2.0f, f32::from_float(3))
                                 .vector_concat<m<1>, Eight>()
                                 .vector_final()
                                 .commit<Eight>(128);
            }),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_ternary(FmaF, 2.0, 3.0)
  .vector_concat Time[1] Packet[A % 8]
)");
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const y = entered<f32>(ctx)
                                 .vector_intra_slice_branch(BranchMode::AxisToggle{A})
                                 .vector_split<m<A % 8 / 4>, m<A % 4>>()
                                 .vector_fp_ternary(FpTernaryOp::FmaF, VeBranchOperand::group(TernaryOperand(1.0f, 2.0f), GroupId::Zero),
                                                    TernaryOperand(3.0f, 4.0f))
                                 .vector_concat<m<1>, Eight>()
                                 .vector_final()
                                 .commit<Eight>(128);
            }),
            R"(  .vector_intra_slice_branch(AxisToggle(A))
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_ternary(FmaF, 1.0 when {0..7}, 2.0 when {0..7}, 3.0, 4.0)
  .vector_concat Time[1] Packet[A % 8]
)");
}
TEST(DslVector, conversions_trims_and_pads) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const x = DmTensor<i32, Chip, Cluster, Slice, m<A % 4>>::from_addr(0);
              auto const y = ctx.main.begin(x.view())
                                 .fetch<i32, m<1>, m<(A % 4).pad(8)>>()
                                 .collect<m<1>, m<(A % 4).pad(8)>>()
                                 .vector_init()
                                 .vector_intra_slice_branch(BranchMode::Unconditional)
                                 .vector_fxp_to_fp(31)
                                 .vector_trim_way4<m<A % 4>>()
                                 .vector_fp_unary(FpUnaryOp::Sqrt)
                                 .vector_pad_way8<m<(A % 4).pad(8)>>()
                                 .vector_fp_to_fxp(16)
                                 .vector_final()
                                 .commit<m<A % 4>>(128);
            }),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_fxp_to_fp(31)
  .vector_trim_way4 Packet[A % 4]
  .vector_fp_unary(Sqrt)
  .vector_pad_way8 Packet[A % 4 # 8]
  .vector_fp_to_fxp(16)
)");
}
TEST(DslVector, guards_in_up_to_four_slots) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const v = operands<i32>(ctx);
              auto const y =
                  entered<i32>(ctx)
                      .vector_intra_slice_branch(BranchMode::AxisToggle{A})
                      .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::group(1, GroupId::Zero), VeBranchOperand::group(2, GroupId::One))
                      .vector_fxp(FxpBinaryOp::MulInt, VeBranchOperand::when(3, OperandGuard::id(8)), VeBranchOperand::always(v))
                      .vector_final()
                      .commit<Eight>(128);
            }),
            R"(  .vector_intra_slice_branch(AxisToggle(A))
  .vector_fxp(AddFxp, 1 when {0..7}, 2 when {8..15})
  .vector_fxp(MulInt, 3 when {8}, %1)
)");
}
TEST(DslVector, stash) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const y = branched<i32>(ctx)
                                 .vector_stash()
                                 .vector_fxp(FxpBinaryOp::AddFxp, 1)
                                 .vector_fxp(FxpBinaryOp::MulInt, Stash)
                                 .vector_final()
                                 .commit<Eight>(128);
            }),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_stash
  .vector_fxp(AddFxp, 1)
  .vector_fxp(MulInt, stash)
)");
}
TEST(DslVector, branch_logs_are_written_and_read) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              Vrf<i32> log;
              auto const y = entered<i32>(ctx)
                                 .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(3), InputCmp::Greater(7)})
                                 .vector_branch_log(64, log)
                                 .vector_fxp(FxpBinaryOp::AddFxp, 1)
                                 .vector_final()
                                 .commit<Eight>(128);
              auto const z = ctx.main.begin(y.view())
                                 .fetch<i32, m<1>, Eight>()
                                 .collect<m<1>, Eight>()
                                 .vector_init()
                                 .vector_intra_slice_branch(BranchMode::Vrf, log)
                                 .vector_fxp(FxpBinaryOp::SubFxp, VeBranchOperand::when(1, OperandGuard::id(1)))
                                 .vector_final()
                                 .commit<Eight>(192);
            }),
            R"(module entered
axes A = 2048

from_addr dm %0: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
vrf %1: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64
dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 128
dm %3: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 192

main.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(3), Greater(7)))
  .vector_branch_log(%1)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(%2)
main.begin(%2)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Vrf(%1))
  .vector_fxp(SubFxp, 1 when {1})
  .vector_final
  .commit(%3)
)");
}
TEST(DslVector, written_operands_and_their_guards) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const v = operands<i32>(ctx);
              auto const x = DmTensor<i32, Chip, Cluster, Slice, m<C, A % 8>>::from_addr(1024);
              auto const y = ctx.main.begin(x.view())
                                 .fetch<i32, m<C>, Eight>()
                                 .collect<m<C>, Eight>()
                                 .vector_init()
                                 .vector_intra_slice_branch(BranchMode::Unconditional)
                                 .vector_fxp(FxpBinaryOp::AddFxp, v)
                                 .vector_write_operand(v, OperandGuard::id(0))
                                 .vector_final()
                                 .commit<m<C, A % 8>>(4096);
            }),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, %1)
  .vector_write_operand(%1 when {0})
)");
}
TEST(DslVector, filters_and_counts) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              VrfTensor<i32, Chip, Cluster, Slice, m<1>> count;
              auto const y = entered<i32>(ctx)
                                 .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(3)})
                                 .vector_filter<m<1>, Eight>(OperandGuard::id(1), 64, count)
                                 .vector_final()
                                 .commit<Eight>(128);
              auto const z = entered<i32>(ctx, 1024)
                                 .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(3)})
                                 .vector_filter<m<1>, Eight>(OperandGuard::id(1))
                                 .vector_final()
                                 .commit<Eight>(192);
            }),
            R"(module entered
axes A = 2048

from_addr dm %0: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
vrf %1: i32 Cluster[1 # 2] Slice[A / 8] Element[1] at 64
dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 128
from_addr dm %3: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 1024
dm %4: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 192

main.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(3)))
  .vector_filter({1}, count: %1)
  .vector_final
  .commit(%2)
main.begin(%3)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(3)))
  .vector_filter({1})
  .vector_final
  .commit(%4)
)");
}
TEST(DslVector, reduces) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const x = DmTensor<f32, Chip, Cluster, m<A / 8>, m<R, A % 8>>::from_addr(0);
              auto const sums = ctx.main.begin(x.view())
                                    .fetch<f32, m<R>, Eight>()
                                    .collect<m<R>, Eight>()
                                    .vector_init()
                                    .vector_intra_slice_branch(BranchMode::Unconditional)
                                    .vector_split<m<R, A % 8 / 4>, m<A % 4>>()
                                    .vector_intra_slice_reduce<R, m<A % 8 / 4>, m<A % 4>>(IntraSliceReduceOpF32::Max)
                                    .vector_concat<m<1>, Eight>()
                                    .vector_final()
                                    .commit<Eight>(2048);
              auto const y = DmTensor<i32, Chip, Cluster, m<A / 8>, m<R % 8>>::from_addr(4096);
              auto const over_slices = ctx.main.begin(y.view())
                                           .fetch<i32, m<1>, m<R % 8>>()
                                           .collect<m<1>, m<R % 8>>()
                                           .vector_init()
                                           .vector_inter_slice_reduce<m<A / 32, one.pad(4)>, m<1>>(InterSliceReduceOpI32::AddSat)
                                           .vector_final()
                                           .commit<m<R % 8>>(8192);
            }),
            R"(module TestBody
axes A = 2048, R = 32

from_addr dm %0: f32 Cluster[1 # 2] Slice[A / 8] Element[R, A % 8] at 0
dm %1: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 2048
from_addr dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[R % 8] at 4096
dm %3: i32 Cluster[1 # 2] Slice[A / 32, 1 # 4] Element[R % 8] at 8192

main.begin(%0)
  .fetch f32 Time[R] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_split Time[R, A / 4 % 2] Packet[A % 4]
  .vector_intra_slice_reduce(R, Max) Time[A / 4 % 2]
  .vector_concat Time[1] Packet[A % 8]
  .vector_final
  .commit(%1)
main.begin(%2)
  .fetch i32 Time[1] Packet[R % 8]
  .collect
  .vector_init
  .vector_inter_slice_reduce(AddSat) Slice[A / 32, 1 # 4]
  .vector_final
  .commit(%3)
)");
}
TEST(DslVector, two_groups) {
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const v = operands<i32>(ctx);
              auto const y = ctx.main.begin_interleaved<X>(Dm<i32>::from_addr(128).view(), Dm<i32>::from_addr(256).view())
                                 .fetch<i32, m<X>, Eight>()
                                 .collect<m<X>, Eight>()
                                 .vector_init()
                                 .vector_intra_slice_unzip<X, m<one.pad(2)>, m<1>>()
                                 .vector_logic(LogicBinaryOpI32::BitAnd, 1, 2)
                                 .vector_fxp(FxpBinaryOp::AddFxp, 3, skip)
                                 .vector_fxp_with_mode(FxpBinaryOp::MulInt, BinaryArgMode::Mode10, skip, v)
                                 .vector_fxp_to_fp(31)
                                 .vector_split<m<A % 8 / 4>, m<A % 4>>()
                                 .vector_fp_unary(FpUnaryOp::Exp, true, false)
                                 .vector_fp_binary(FpBinaryOp::AddF, 1.0f, 2.0f)
                                 .vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))
                                 .vector_concat<m<1>, Eight>()
                                 .vector_clip(ClipBinaryOpF32::Max, 0.0f)
                                 .vector_final()
                                 .commit<Eight>(512);
            }),
            R"(  .vector_intra_slice_unzip(X, tile_time: [1 # 2]) Time[1]
  .vector_logic(BitAnd, 1 when {0..7}, 2 when {8..15})
  .vector_fxp(AddFxp, groups: group0, 3 when {0..7})
  .vector_fxp(MulInt, mode: Mode10, groups: group1, %1 when {8..15})
  .vector_fxp_to_fp(31)
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_unary(Exp, groups: group0)
  .vector_fp_binary(AddF, 1.0 when {0..7}, 2.0 when {8..15})
  .vector_fp_zip(MulF(Mul0))
  .vector_concat Time[1] Packet[A % 8]
  .vector_clip(Max, 0.0)
)");
  EXPECT_EQ(steps_of([](Context& ctx) {
              auto const y = ctx.main.begin_interleaved<X>(Dm<i32>::from_addr(128).view(), Dm<i32>::from_addr(256).view())
                                 .fetch<i32, m<X>, Eight>()
                                 .collect<m<X>, Eight>()
                                 .vector_init()
                                 .vector_intra_slice_unzip<X>(m<one.pad(2)>{}, m<1>{})
                                 .vector_clip_zip(ClipBinaryOpI32::Max)
                                 .vector_final()
                                 .commit<Eight>(512);
            }),
            R"(  .vector_intra_slice_unzip(X, tile_time: [1 # 2]) Time[1]
  .vector_clip_zip(Max)
)");
}

}  // namespace
}  // namespace tcp
