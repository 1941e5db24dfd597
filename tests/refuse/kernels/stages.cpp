// The stages of the Vector Engine are passed once, in order, four lanes wide or eight; each ALU runs once per pass.
#include "vector_engine.hpp"

namespace {

[[maybe_unused]] auto logic_after_fxp(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-stage-order]: LogicBinaryOpI32::BitAnd of stage Logic cannot follow stage Fxp: a pass goes through the stages once, in order; help: move it before Fxp, or start another pass
      .vector_logic(LogicBinaryOpI32::BitAnd, 1);
}
[[maybe_unused]] auto logic_after_conversion(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp_to_fp(31)
      // error[vector-stage-order]: LogicBinaryOpF32::BitAnd of stage Logic cannot follow stage FxpToFp: a pass goes through the stages once, in order; help: move it before FxpToFp, or start another pass
      .vector_logic(LogicBinaryOpF32::BitAnd, 1.0f);
}
[[maybe_unused]] auto logic_after_clip(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::Max, 0)
      // error[vector-stage-order]: LogicBinaryOpI32::BitAnd of stage Logic cannot follow stage Clip: a pass goes through the stages once, in order; help: move it before Clip, or start another pass
      .vector_logic(LogicBinaryOpI32::BitAnd, 1);
}
[[maybe_unused]] auto fxp_after_clip(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::Max, 0)
      // error[vector-stage-order]: FxpBinaryOp::AddFxp of stage Fxp cannot follow stage Clip: a pass goes through the stages once, in order; help: move it before Clip, or start another pass
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
[[maybe_unused]] auto fxp_after_conversion(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp_to_fp(31)
      // error[vector-stage-order]: FxpBinaryOp::AddFxp of stage Fxp cannot follow stage FxpToFp: a pass goes through the stages once, in order; help: move it before FxpToFp, or start another pass
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
[[maybe_unused]] auto conversion_twice(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_fp_to_fxp(31)
      // error[vector-stage-order]: vector_fp_to_fxp of stage FpToFxp cannot follow stage FpToFxp: a pass goes through the stages once, in order; help: move it before FpToFxp, or start another pass
      .vector_fp_to_fxp(31);
}
[[maybe_unused]] auto conversion_there_and_back(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_fp_to_fxp(31)
      // error[vector-stage-order]: vector_fxp_to_fp of stage FxpToFp cannot follow stage FpToFxp: a pass goes through the stages once, in order; help: move it before FpToFxp, or start another pass
      .vector_fxp_to_fp(31);
}
[[maybe_unused]] auto narrow_after_widen(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_pad_way8<Pair>()
      // error[vector-stage-order]: vector_trim_way4 of stage Narrow cannot follow stage Widen: a pass goes through the stages once, in order; help: move it before Widen, or start another pass
      .vector_trim_way4<Narrow>();
}
[[maybe_unused]] auto narrow_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-stage-order]: vector_trim_way4 of stage Narrow cannot follow stage Narrow: a pass goes through the stages once, in order; help: move it before Narrow, or start another pass
      .vector_trim_way4<Narrow>();
}
[[maybe_unused]] auto float_after_widen(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_pad_way8<Pair>()
      // error[vector-stage-order]: FpUnaryOp::Exp of stage Float cannot follow stage Widen: a pass goes through the stages once, in order; help: move it before Widen, or start another pass
      .vector_fp_unary(FpUnaryOp::Exp);
}
[[maybe_unused]] auto float_after_division(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_div(FpDivBinaryOp::DivF, 2.0f)
      // error[vector-stage-order]: FpUnaryOp::Exp of stage Float cannot follow stage FpDiv: a pass goes through the stages once, in order; help: move it before FpDiv, or start another pass
      .vector_fp_unary(FpUnaryOp::Exp);
}
[[maybe_unused]] auto division_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_div(FpDivBinaryOp::DivF, 2.0f)
      // error[vector-stage-order]: FpDivBinaryOp::DivF of stage FpDiv cannot follow stage FpDiv: a pass goes through the stages once, in order; help: move it before FpDiv, or start another pass
      .vector_fp_div(FpDivBinaryOp::DivF, 3.0f);
}
[[maybe_unused]] auto widen_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_pad_way8<Pair>()
      // error[vector-stage-order]: vector_pad_way8 of stage Widen cannot follow stage Widen: a pass goes through the stages once, in order; help: move it before Widen, or start another pass
      .vector_pad_way8<Pair>();
}
[[maybe_unused]] auto clip_after_filter(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_filter<m<1>, m<Y % 8>>(OperandGuard::id(1))
      // error[vector-stage-order]: ClipBinaryOpI32::Max of stage Clip cannot follow stage Filter: a pass goes through the stages once, in order; help: move it before Filter, or start another pass
      .vector_clip(ClipBinaryOpI32::Max, 0);
}
// VEC-014, VEC-032: the Float stage takes four lanes.
[[maybe_unused]] auto vec_014(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-needs-way4]: FpUnaryOp::Sigmoid takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding
      .vector_fp_unary(FpUnaryOp::Sigmoid);
}
[[maybe_unused]] auto binary_in_way8(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-needs-way4]: FpBinaryOp::AddF takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding
      .vector_fp_binary(FpBinaryOp::AddF, 1.0f);
}
[[maybe_unused]] auto ternary_in_way8(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-needs-way4]: FpTernaryOp::FmaF takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding
      .vector_fp_ternary(FpTernaryOp::FmaF, 1.0f, 2.0f);
}
[[maybe_unused]] auto division_in_way8(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-needs-way4]: FpDivBinaryOp::DivF takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding
      .vector_fp_div(FpDivBinaryOp::DivF, 1.0f);
}
[[maybe_unused]] auto reduce_in_way8(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-needs-way4]: vector_intra_slice_reduce takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding
      .vector_intra_slice_reduce<A, m<1>, m<one.pad(8)>>(IntraSliceReduceOpF32::Add);
}
// VEC-031: these stages take eight lanes.
[[maybe_unused]] auto logic_in_way4(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-stage-order]: LogicBinaryOpF32::BitAnd of stage Logic cannot follow stage Narrow: a pass goes through the stages once, in order; help: move it before Narrow, or start another pass
      .vector_logic(LogicBinaryOpF32::BitAnd, 1.0f);
}
[[maybe_unused]] auto clip_in_way4(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-needs-way8]: ClipBinaryOpF32::Max takes eight lanes; the stream is in stage Narrow, Way4, f32; help: widen first: vector_concat after vector_split, vector_pad_way8 after vector_trim_way4
      .vector_clip(ClipBinaryOpF32::Max, 1.0f);
}
[[maybe_unused]] auto conversion_in_way4(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-needs-way8]: vector_fp_to_fxp takes eight lanes; the stream is in stage Narrow, Way4, f32; help: widen first: vector_concat after vector_split, vector_pad_way8 after vector_trim_way4
      .vector_fp_to_fxp(31);
}
[[maybe_unused]] auto fxp_in_way4(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_trim_way4<Narrow>()
      // error[vector-stage-order]: FxpBinaryOp::AddFxp of stage Fxp cannot follow stage Narrow: a pass goes through the stages once, in order; help: move it before Narrow, or start another pass
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
// VEC-007: the way out is eight lanes wide.
[[maybe_unused]] auto final_in_way4(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-needs-way8]: vector_final takes eight lanes; the stream is in stage Narrow, Way4, f32; help: widen first: vector_concat after vector_split, vector_pad_way8 after vector_trim_way4
      .vector_final();
}
[[maybe_unused]] auto branch_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-already-entered]: vector_intra_slice_branch inside the intra-slice block; the stream is in stage Branch, Way8, i32; help: branch once, at the start of the block
      .vector_intra_slice_branch(BranchMode::Unconditional);
}
// HEL-12: the branch is the door of the block.
[[maybe_unused]] auto operation_before_the_branch(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[vector-not-entered]: vector_fxp outside the intra-slice block; help: call vector_intra_slice_branch(BranchMode::Unconditional) first
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
[[maybe_unused]] auto final_without_anything(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[vector-not-entered]: vector_final outside the intra-slice block; help: call vector_intra_slice_branch(BranchMode::Unconditional) first
      .vector_final();
}
[[maybe_unused]] auto unzip_inside(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-unzip-not-first]: vector_intra_slice_unzip comes directly after vector_init; the stream is in stage Branch, Way8, i32; help: unzip first, or use vector_intra_slice_branch
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}
[[maybe_unused]] auto after_the_final(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_final()
      // error[stage-order]: vector_fxp cannot follow vector_final; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
[[maybe_unused]] auto entered_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_final()
      // error[stage-order]: vector_init cannot follow vector_final; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
      .vector_init();
}
[[maybe_unused]] auto commit_inside(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[stage-missing]: commit cannot follow vector_init: .vector_final() is missing; help: write .vector_final() before it
      .commit<m<A % 2>>(4096);
}
[[maybe_unused]] auto cast_inside(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[stage-missing]: cast cannot follow vector_init: .vector_final() is missing; help: write .vector_final() before it
      .cast<bf16, m<(A % 2).pad(16)>>();
}
[[maybe_unused]] auto split_declared_wrongly(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-split-wrong-time]: Time m![A / 4 % 2] is not what vector_split makes of Time m![1] and Packet m![A % 2 #z 8]; help: write Time = m![1 #z 2]
      .vector_split<m<A / 4 % 2>, Narrow>();
}
[[maybe_unused]] auto concat_of_nothing(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-concat-odd-time]: vector_concat joins every 2 packets that follow each other; Time m![1] with Packet m![A % 2 #z 4] does not fall into such; help: keep the factor that vector_split gave to Time, or use vector_pad_way8
      .vector_concat<m<1>, Pair>();
}
[[maybe_unused]] auto pad_declared_wrongly(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-pad-wrong-packet]: Packet m![A % 8] is not what vector_pad_way8 makes of m![A % 2 #z 4]; help: write Packet = m![A % 2 # 8]
      .vector_pad_way8<m<A % 8>>();
}
[[maybe_unused]] auto inter_slice_twice(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_inter_slice_reduce<m<one.pad(256)>, m<1>>(InterSliceReduceOpI32::Add)
      // error[vector-inter-slice-twice]: a second vector_inter_slice_reduce: the inter-slice block is passed once; help: reduce over all these slices at once, or start another pass
      .vector_inter_slice_reduce<m<one.pad(256)>, m<1>>(InterSliceReduceOpI32::Max);
}
[[maybe_unused]] auto block_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_inter_slice_reduce<m<one.pad(256)>, m<1>>(InterSliceReduceOpI32::Add)
      // error[vector-block-twice]: vector_intra_slice_branch after an inter-slice reduce that followed the intra-slice block: each block is passed once; help: do all intra-slice work on one side of vector_inter_slice_reduce, or start another pass
      .vector_intra_slice_branch(BranchMode::Unconditional);
}

// VEC-035: AddFxp and SubFxp share the adder.
[[maybe_unused]] auto vec_035(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 10)
      .vector_fxp(FxpBinaryOp::MulInt, 2)
      // error[vector-alu-in-use]: FxpBinaryOp::SubFxp needs FxpAdd, and FxpAdd is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::SubFxp, 5);
}
// VEC-034: tanh(sqrt(x)) needs two passes.
[[maybe_unused]] auto vec_034(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Sqrt)
      // error[vector-alu-in-use]: FpUnaryOp::Tanh needs FpFpu, and FpFpu is already in use; help: commit and start another pass
      .vector_fp_unary(FpUnaryOp::Tanh);
}
[[maybe_unused]] auto and_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::BitAnd, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::BitAnd needs LogicAnd, and LogicAnd is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::BitAnd, 3);
}
[[maybe_unused]] auto or_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::BitOr, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::BitOr needs LogicOr, and LogicOr is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::BitOr, 3);
}
[[maybe_unused]] auto xor_twice(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_logic(LogicBinaryOpF32::BitXor, 1.0f)
      // error[vector-alu-in-use]: LogicBinaryOpF32::BitXor needs LogicXor, and LogicXor is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpF32::BitXor, 3.0f);
}
[[maybe_unused]] auto left_shift_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::LeftShift, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::LeftShift needs LogicLshift, and LogicLshift is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::LeftShift, 3);
}
[[maybe_unused]] auto both_right_shifts(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::LogicRightShift, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::ArithRightShift needs LogicRshift, and LogicRshift is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::ArithRightShift, 3);
}
[[maybe_unused]] auto fxp_shift_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::LeftShift, 1)
      // error[vector-alu-in-use]: FxpBinaryOp::LeftShiftSat needs FxpLshift, and FxpLshift is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::LeftShiftSat, 3);
}
[[maybe_unused]] auto fxp_multiply_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::MulInt, 5)
      // error[vector-alu-in-use]: FxpBinaryOp::MulFxp needs FxpMul, and FxpMul is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::MulFxp, 3);
}
[[maybe_unused]] auto fxp_right_shift_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::ArithRightShift, 1)
      // error[vector-alu-in-use]: FxpBinaryOp::ArithRightShiftRound needs FxpRshift, and FxpRshift is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::ArithRightShiftRound, 3);
}
[[maybe_unused]] auto fma_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::AddF, 1.0f)
      // error[vector-alu-in-use]: FpTernaryOp::FmaF needs FpFma, and FpFma is already in use; help: commit and start another pass
      .vector_fp_ternary(FpTernaryOp::FmaF, 2.0f, 3.0f);
}
[[maybe_unused]] auto multiplier_0_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 1.0f)
      // error[vector-alu-in-use]: FpBinaryOp::MaskMulF(FpMulAlu::Mul0) needs FpMul0, and FpMul0 is already in use; help: choose another multiplier, or commit and start another pass
      .vector_fp_binary(FpBinaryOp::MaskMulF(FpMulAlu::Mul0), 2.0f);
}
[[maybe_unused]] auto multiplier_1_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 1.0f)
      // error[vector-alu-in-use]: FpBinaryOp::MulF(FpMulAlu::Mul1) needs FpMul1, and FpMul1 is already in use; help: choose another multiplier, or commit and start another pass
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 2.0f);
}
[[maybe_unused]] auto add_then_multiply_on_fma(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::SubF, 1.0f)
      // error[vector-alu-in-use]: FpBinaryOp::MulF(FpMulAlu::Fma) needs FpFma, and FpFma is already in use; help: commit and start another pass
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Fma), 2.0f);
}
[[maybe_unused]] auto exponential_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Exp)
      // error[vector-alu-in-use]: FpUnaryOp::NegExp needs FpExp, and FpExp is already in use; help: commit and start another pass
      .vector_fp_unary(FpUnaryOp::NegExp);
}
[[maybe_unused]] auto division_on_a_busy_fpu(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Sigmoid)
      // error[vector-alu-in-use]: FpBinaryOp::DivF needs FpFpu, and FpFpu is already in use; help: commit and start another pass
      .vector_fp_binary(FpBinaryOp::DivF, 2.0f);
}
[[maybe_unused]] auto clip_minimum_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::Min, 1)
      // error[vector-alu-in-use]: ClipBinaryOpI32::AbsMin needs ClipMin, and ClipMin is already in use; help: commit and start another pass
      .vector_clip(ClipBinaryOpI32::AbsMin, 3);
}
[[maybe_unused]] auto clip_maximum_twice(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_clip(ClipBinaryOpF32::Max, 1.0f)
      // error[vector-alu-in-use]: ClipBinaryOpF32::AbsMax needs ClipMax, and ClipMax is already in use; help: commit and start another pass
      .vector_clip(ClipBinaryOpF32::AbsMax, 3.0f);
}
[[maybe_unused]] auto clip_add_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::AddFxp, 1)
      // error[vector-alu-in-use]: ClipBinaryOpI32::AddFxpSat needs ClipAdd, and ClipAdd is already in use; help: commit and start another pass
      .vector_clip(ClipBinaryOpI32::AddFxpSat, 3);
}

}  // namespace
