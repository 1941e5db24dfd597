// What two groups of a stream may not do.
#include "vector_engine.hpp"

namespace {

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
