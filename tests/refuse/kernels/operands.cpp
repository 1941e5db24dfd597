// Types, operands, stash, branches and reduces of the Vector Engine, and what two groups of a stream may not do.
#include "vector_engine.hpp"

namespace {

// VEC-053: there are no shifts of f32.
[[maybe_unused]] auto shift_of_floats(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-wrong-type]: LogicBinaryOpI32::LeftShift works on i32; the stream is in stage Branch, Way8, f32; help: there are no shifts of f32: shift before vector_fxp_to_fp
      .vector_logic(LogicBinaryOpI32::LeftShift, 1);
}
[[maybe_unused]] auto fixed_point_of_floats(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-wrong-type]: FxpBinaryOp::AddFxp works on i32; the stream is in stage Branch, Way8, f32; help: do it before vector_fxp_to_fp, or in another pass
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
[[maybe_unused]] auto float_of_integers(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_trim_way4<Narrow>()
      // error[vector-wrong-type]: FpUnaryOp::Exp works on f32; the stream is in stage Narrow, Way4, i32; help: convert first: vector_fxp_to_fp
      .vector_fp_unary(FpUnaryOp::Exp);
}
[[maybe_unused]] auto clip_of_the_other_type(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-wrong-type]: ClipBinaryOpI32::Max works on i32; the stream is in stage Branch, Way8, f32; help: use the operation of ClipBinaryOpF32
      .vector_clip(ClipBinaryOpI32::Max, 1);
}
[[maybe_unused]] auto conversion_of_floats(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-wrong-type]: vector_fxp_to_fp works on i32; the stream is in stage Branch, Way8, f32; help: leave the conversion out
      .vector_fxp_to_fp(31);
}
[[maybe_unused]] auto conversion_of_integers(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-wrong-type]: vector_fp_to_fxp works on f32; the stream is in stage Branch, Way8, i32; help: leave the conversion out
      .vector_fp_to_fxp(31);
}
[[maybe_unused]] auto integer_constant(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-operand-type]: ClipBinaryOpF32::Max on f32 has an operand of i32; help: give an operand of f32
      .vector_clip(ClipBinaryOpF32::Max, 0);
}
[[maybe_unused]] auto float_constant(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-type]: FxpBinaryOp::AddFxp on i32 has an operand of f32; help: give an operand of i32
      .vector_fxp(FxpBinaryOp::AddFxp, 1.0f);
}
[[maybe_unused]] auto float_operand(Context& ctx, const Ints& in, const FloatOperand& vrf) {
  return ints(ctx, in)
      // error[vector-operand-type]: FxpBinaryOp::AddFxp on i32 has an operand of f32; help: give an operand of i32
      .vector_fxp(FxpBinaryOp::AddFxp, vrf);
}
[[maybe_unused]] auto operand_of_other_slices(Context& ctx, const Ints& in,
                                              const VrfTensor<i32, Chip, Cluster, m<B>, m<(A % 2).pad(8)>>& vrf) {
  return ints(ctx, in)
      // error[vector-operand-axis]: the VRF tensor has axis B, which the stream does not have; help: load a tensor over the stream's axes, or a tile of it
      .vector_fxp(FxpBinaryOp::AddFxp, vrf);
}
[[maybe_unused]] auto operand_with_a_new_axis(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, Slice, m<R>>& vrf) {
  return ints(ctx, in)
      // error[vector-operand-axis]: the VRF tensor has axis R, which the stream does not have; help: load a tensor over the stream's axes, or a tile of it
      .vector_fxp(FxpBinaryOp::AddFxp, vrf);
}
[[maybe_unused]] auto two_registers(Context& ctx, const Ints& in, const Operand& vrf) {
  return ints(ctx, in)
      // error[vector-operand-registers]: FxpBinaryOp::AddFxp has 2 operands from registers; there is one register port, for VRF or stash; help: make one of them a constant, or use another operation for it
      .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::group(vrf, GroupId::Zero), VeBranchOperand::group(vrf, GroupId::One));
}
[[maybe_unused]] auto register_before_a_constant(Context& ctx, const Ints& in, const Operand& vrf) {
  return ints(ctx, in)
      // error[vector-operand-register-last]: FxpBinaryOp::AddFxp has an operand from a register before constants; help: put the constants first; the first whose guard holds is taken
      .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::group(vrf, GroupId::Zero), 1);
}
[[maybe_unused]] auto four_constants(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-too-many]: FxpBinaryOp::AddFxp has 4 slots; there are three for constants and one for a register; help: join slots of equal value into one guard, or use a VRF tensor
      .vector_fxp(FxpBinaryOp::AddFxp, 1, 2, 3, 4);
}
[[maybe_unused]] auto mode_without_its_operand(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-missing]: FxpBinaryOp::AddFxp has 0 operands; each slot needs 1; help: give a constant, a VRF tensor or Stash
      .vector_fxp_with_mode(FxpBinaryOp::AddFxp, BinaryArgMode::Mode10);
}
[[maybe_unused]] auto register_that_the_mode_does_not_read(Context& ctx, const Ints& in, const Operand& vrf) {
  return ints(ctx, in)
      // error[vector-operand-not-read]: FxpBinaryOp::AddFxp does not read operand0 in this mode, and it is a VRF tensor; help: give a constant in its place, or another mode
      .vector_fxp_with_mode(FxpBinaryOp::AddFxp, BinaryArgMode::Mode00, vrf);
}
[[maybe_unused]] auto unary_of_an_operand(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-unary-operand]: FpUnaryOp::Exp with UnaryArgMode::Mode1: a unary operation has no operand to take its argument from; help: use Mode0, or make the operand the stream
      .vector_fp_unary_with_mode(FpUnaryOp::Exp, UnaryArgMode::Mode1);
}
[[maybe_unused]] auto stash_that_is_not_there(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-stash-missing]: ClipBinaryOpI32::Max reads the stash, and nothing was stashed; help: call vector_stash before it
      .vector_clip(ClipBinaryOpI32::Max, Stash);
}
// VEC-110: one stash a pass.
[[maybe_unused]] auto stash_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_stash()
      // error[vector-stash-twice]: a second vector_stash: a pass has one stash, written once; help: commit the other value and read it from VRF in another pass
      .vector_stash();
}
[[maybe_unused]] auto stash_read_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_stash()
      .vector_fxp(FxpBinaryOp::AddFxp, Stash)
      // error[vector-stash-read-twice]: ClipBinaryOpI32::Max reads the stash a second time: a pass reads it once; help: combine both uses in one operation, or start another pass
      .vector_clip(ClipBinaryOpI32::Max, Stash);
}
// VEC-108: the stash keeps bits of one type.
[[maybe_unused]] auto stash_of_another_type(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_stash()
      .vector_fxp_to_fp(31)
      // error[vector-stash-type]: ClipBinaryOpF32::Max on f32 reads a stash of i32; help: stash after the conversion, or read before it
      .vector_clip(ClipBinaryOpF32::Max, Stash);
}
// VEC-107: conversions have no tap.
[[maybe_unused]] auto stash_behind_a_conversion(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp_to_fp(31)
      // error[vector-stash-stage]: vector_stash in stage FxpToFp; it follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip; help: stash before stage FxpToFp
      .vector_stash();
}
[[maybe_unused]] auto stash_behind_widen(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_pad_way8<Pair>()
      // error[vector-stash-stage]: vector_stash in stage Widen; it follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip; help: stash before stage Widen
      .vector_stash();
}
[[maybe_unused]] auto filter_without_ids(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-filter-unconditional]: vector_filter after BranchMode::Unconditional: every lane has execution id 0, so there is nothing to tell lanes apart by; help: branch by Comparison, AxisToggle, ValidCount or Vrf
      .vector_filter<m<1>, m<Y % 8>>(OperandGuard::id(1));
}
[[maybe_unused]] auto comparison_of_the_other_type(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[vector-branch-type]: BranchMode::Comparison compares with a boundary of f32; the stream is i32; help: give boundaries of i32
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0.5f)});
}
[[maybe_unused]] auto toggle_by_an_axis_of_slices(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[vector-branch-axis]: BranchMode::AxisToggle by B, which is neither in Time m![1] nor in Packet m![A % 2 #z 8]; help: name an axis of Time or Packet
      .vector_intra_slice_branch(BranchMode::AxisToggle{B});
}
[[maybe_unused]] auto ids_without_a_log(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[vector-branch-log-missing]: BranchMode::Vrf reads execution ids, and no VRF tensor is given that holds them; help: give the result of vector_branch_log, or an i32 tensor loaded by to_vrf
      .vector_intra_slice_branch(BranchMode::Vrf);
}
[[maybe_unused]] auto ids_of_floats(Context& ctx, const Ints& in, const FloatOperand& log) {
  return entered(ctx, in)
      // error[vector-branch-log-type]: execution ids are bits 0 to 3 of i32 words; the VRF tensor holds f32; help: give the result of vector_branch_log, or an i32 tensor loaded by to_vrf
      .vector_intra_slice_branch(BranchMode::Vrf, log);
}
[[maybe_unused]] auto log_that_nobody_reads(Context& ctx, const Ints& in, const Operand& log) {
  return entered(ctx, in)
      // error[vector-branch-log-unwanted]: a VRF tensor of execution ids is read by BranchMode::Vrf only; help: write BranchMode::Vrf, or leave the tensor out
      .vector_intra_slice_branch(BranchMode::Unconditional, log);
}
[[maybe_unused]] auto log_behind_an_operation(Context& ctx, const Ints& in, Operand& log) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-branch-log-stage]: vector_branch_log in stage Fxp: the ids are logged where they arise; help: call it directly after vector_intra_slice_branch
      .vector_branch_log(0, log);
}
[[maybe_unused]] auto reduce_of_the_other_type(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[reduce-op-of-other-type]: IntraSliceReduceOpI32::Max works on i32; the stream is f32; help: use IntraSliceReduceOpF32::Max
      .vector_intra_slice_reduce<A, m<1>, m<one.pad(4)>>(IntraSliceReduceOpI32::AddSat);
}
[[maybe_unused]] auto reduce_of_an_axis_of_slices(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[reduce-axis-absent]: there is no B in Time m![1] or Packet m![A % 2 #z 4]; help: name an axis of Time or Packet; an axis of one step is in neither, and needs no reduce: leave it out
      .vector_intra_slice_reduce<B, m<1>, Narrow>(IntraSliceReduceOpF32::Add);
}
[[maybe_unused]] auto reduce_that_keeps_its_axis(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[reduce-axis-left]: the result is declared as Time m![1], Packet m![A % 2 # 4], which still counts A; help: write Time = m![1], Packet = m![1 # 4]
      .vector_intra_slice_reduce<A, m<1>, Narrow>(IntraSliceReduceOpF32::Add);
}
[[maybe_unused]] auto inter_slice_of_the_other_type(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[inter-slice-op-of-other-type]: InterSliceReduceOpF32::Max works on f32; the stream is i32; help: use InterSliceReduceOpI32::Max
      .vector_inter_slice_reduce<m<one.pad(256)>, m<1>>(InterSliceReduceOpF32::Add);
}
[[maybe_unused]] auto inter_slice_of_fewer_slices(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[inter-slice-size]: Slice m![1 # 4] has 4 positions, Slice m![A / 2] before the reduce 256; help: fill the places of the reduced factors: 1 # n, a new axis, or a factor of Time
      .vector_inter_slice_reduce<m<one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
// VEC-001, PIP-09: i32 and f32 only.
[[maybe_unused]] auto bytes_in_the_vector_engine(Context& ctx, const DmTensor<i8, Chip, Cluster, Slice, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<1>, m<R>>()
      .collect<m<1>, m<R.pad(32)>>()
      // error[vector-type]: the Vector Engine works on i32 and f32; the stream is i8; help: convert while fetching: fetch<i32, ...>
      .vector_init();
}

[[maybe_unused]] auto paired(Context& ctx, const Ints& a, const Ints& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I>, m<A % 2>>()
      .collect<m<I>, Pair>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}
[[maybe_unused]] auto paired(Context& ctx, const Floats& a, const Floats& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<f32, m<I>, m<A % 2>>()
      .collect<m<I>, Pair>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}

// VEC-149: one stream leaves the engine.
[[maybe_unused]] auto groups_not_merged(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[vector-groups-not-merged]: vector_final while there are two groups; help: merge them first: vector_logic_zip, vector_fxp_zip, vector_fp_zip or vector_clip_zip
      .vector_final();
}
// VEC-114
[[maybe_unused]] auto stash_of_two_groups(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[vector-two-group-method]: vector_stash in two-group mode, before the _zip; help: use the single-stream path, or another pass
      .vector_stash();
}
[[maybe_unused]] auto filter_of_two_groups(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[vector-two-group-method]: vector_filter in two-group mode, before the _zip; help: use the single-stream path, or another pass
      .vector_filter(OperandGuard::id(1));
}
// VEC-143 as printed: F-52.
[[maybe_unused]] auto trim_of_two_groups(Context& ctx, const Floats& in) {
  return paired(ctx, in, in)
      // error[vector-two-group-width]: vector_trim_way4 on two groups: their packets would no longer alternate as the group filter expects; help: use vector_split; padding lanes go to Time as 1 # 2 and come back
      .vector_trim_way4<Narrow>();
}
[[maybe_unused]] auto pad_of_two_groups(Context& ctx, const Floats& in) {
  return paired(ctx, in, in)
      .vector_split<m<one.pad(2)>, Narrow>()
      // error[vector-two-group-width]: vector_pad_way8 on two groups: their packets would no longer alternate as the group filter expects; help: use vector_concat; padding lanes go to Time as 1 # 2 and come back
      .vector_pad_way8<Pair>();
}
[[maybe_unused]] auto both_skipped(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[vector-neither-group]: FxpBinaryOp::AddFxp skips both groups; help: name an operand, or true, for one group at least
      .vector_fxp(FxpBinaryOp::AddFxp, skip, skip);
}
// VEC-148: an ALU is taken for both.
[[maybe_unused]] auto alu_of_the_other_group(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1, skip)
      // error[vector-alu-in-use]: FxpBinaryOp::SubFxp needs FxpAdd, and FxpAdd is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::SubFxp, skip, 1);
}
[[maybe_unused]] auto zip_of_the_same_alu(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      .vector_clip(ClipBinaryOpI32::AddFxp, 1, skip)
      // error[vector-alu-in-use]: ClipBinaryOpI32::AddFxp (_zip) needs ClipAdd, and ClipAdd is already in use; help: commit and start another pass
      .vector_clip_zip(ClipBinaryOpI32::AddFxp);
}
[[maybe_unused]] auto registers_of_both_groups(Context& ctx, const Ints& in, const Operand& vrf) {
  return paired(ctx, in, in)
      // error[vector-operand-registers]: FxpBinaryOp::AddFxp has 2 operands from registers; there is one register port, for VRF or stash; help: make one of them a constant, or use another operation for it
      .vector_fxp(FxpBinaryOp::AddFxp, vrf, vrf);
}
[[maybe_unused]] auto float_zip_of_integers(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[vector-needs-way4]: FpBinaryOp::AddF (_zip) takes four lanes; the stream is in stage Branch, Way8, i32; help: narrow first: vector_split
      .vector_fp_zip(FpBinaryOp::AddF);
}
[[maybe_unused]] auto float_zip_in_way8(Context& ctx, const Floats& in) {
  return paired(ctx, in, in)
      // error[vector-needs-way4]: FpBinaryOp::AddF (_zip) takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split
      .vector_fp_zip(FpBinaryOp::AddF);
}
[[maybe_unused]] auto zip_back_to_logic(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1, 2)
      // error[vector-stage-order]: LogicBinaryOpI32::BitAnd (_zip) of stage Logic cannot follow stage Fxp: a pass goes through the stages once, in order; help: move it before Fxp, or start another pass
      .vector_logic_zip(LogicBinaryOpI32::BitAnd);
}
[[maybe_unused]] auto stash_after_the_zip(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      .vector_logic_zip(LogicBinaryOpI32::BitAnd)
      // error[vector-two-group-method]: vector_stash in two-group mode, after the _zip; help: use the single-stream path, or another pass
      .vector_stash();
}
[[maybe_unused]] auto zip_of_one_stream(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-no-two-groups]: ClipBinaryOpI32::AddFxp (_zip) for two groups; the stream is a single one; help: enter with vector_intra_slice_unzip, or use the form without groups
      .vector_clip_zip(ClipBinaryOpI32::AddFxp);
}
[[maybe_unused]] auto commit_of_two_groups(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[stage-missing]: commit cannot follow vector_init: .vector_final() is missing; help: write .vector_final() before it
      .commit<m<A % 2>>(0);
}
[[maybe_unused]] auto inter_slice_of_two_groups(Context& ctx, const Ints& in) {
  return paired(ctx, in, in)
      // error[vector-groups-not-merged]: vector_inter_slice_reduce while there are two groups; help: merge them first: vector_logic_zip, vector_fxp_zip, vector_fp_zip or vector_clip_zip
      .vector_inter_slice_reduce<m<one.pad(256)>, m<1>>(InterSliceReduceOpI32::Add);
}
[[maybe_unused]] auto unzip_by_another_axis(Context& ctx, const Ints& in) {
  return ctx.main.begin_interleaved<I>(in.view(), in.view())
      .fetch<i32, m<I>, m<A % 2>>()
      .collect<m<I>, Pair>()
      .vector_init()
      // error[vector-unzip-axis]: the groups are told apart by B, which must be a whole axis of size 2 in Time; Time is m![I]; help: name the axis of begin_interleaved
      .vector_intra_slice_unzip<B, m<one.pad(2)>, m<1>>();
}
[[maybe_unused]] auto unzip_declared_wrongly(Context& ctx, const Ints& in) {
  return ctx.main.begin_interleaved<I>(in.view(), in.view())
      .fetch<i32, m<I>, m<A % 2>>()
      .collect<m<I>, Pair>()
      .vector_init()
      // error[vector-unzip-wrong-tile-time]: TileTime m![I] is not Time m![I] with I as 1 # 2; help: write TileTime = m![1 # 2], SplitTime = m![1]
      .vector_intra_slice_unzip<I, m<I>, m<1>>();
}

}  // namespace
