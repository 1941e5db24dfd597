// The Vector Engine: stages that are passed once, in order, with four or eight lanes.
#include "tcp/exec/reference/vector.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;
using namespace tcp_refuse;

#if TCP_AT_COMPILE_TIME
// For the kernels of this page:
TCP_AXES(W = 2048, I = 2);
using Slice = m<W / 8>;
using Ints = DmTensor<i32, Chip, Cluster, Slice, m<W % 8>>;
using Floats = DmTensor<f32, Chip, Cluster, Slice, m<W % 8>>;
using Operand = VrfTensor<i32, Chip, Cluster, Slice, m<W % 8>>;
using FloatOperand = VrfTensor<f32, Chip, Cluster, Slice, m<W % 8>>;

auto entered(Context& ctx, const Ints& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<W % 8>>().collect<m<1>, m<W % 8>>().vector_init();
}
auto entered(Context& ctx, const Floats& in) {
  return ctx.main.begin(in.view()).fetch<f32, m<1>, m<W % 8>>().collect<m<1>, m<W % 8>>().vector_init();
}
auto ints(Context& ctx, const Ints& in) { return entered(ctx, in).vector_intra_slice_branch(BranchMode::Unconditional); }
auto floats(Context& ctx, const Floats& in) { return entered(ctx, in).vector_intra_slice_branch(BranchMode::Unconditional); }
auto narrow(Context& ctx, const Floats& in) { return floats(ctx, in).vector_split<m<W / 4 % 2>, m<W % 4>>(); }
auto paired(Context& ctx, const Ints& a, const Ints& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I>, m<W % 8>>()
      .collect<m<I>, m<W % 8>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}
auto paired(Context& ctx, const Floats& a, const Floats& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<f32, m<I>, m<W % 8>>()
      .collect<m<I>, m<W % 8>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}
#endif

// # vector-after-final
// `vector_final` is the way out of the Vector Engine: what comes after it is the Cast, Transpose or Commit Engine. A pass goes through the
// engine once.
//
// Do the operation before `vector_final`, or commit and start another pass.
// no kernel: the order of the stages comes first: `stage-order`
namespace vector_after_final {
constexpr VectorState state{.stage = VectorStage::Output};
// error[vector-after-final]: vector_fxp after vector_final: the stream has left the Vector Engine; help: call it before vector_final, or start another pass
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::i32)));
}  // namespace vector_after_final

// # vector-already-entered
// Execution ids are given to the lanes once, at the start of the intra-slice block. Later operations choose by them; they cannot be given again
// inside the block. A condition on a computed value needs another pass, or min, max and bit operations.
namespace vector_already_entered {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::Max, 0)
      // error[vector-already-entered]: vector_intra_slice_branch inside the intra-slice block; the stream is in stage Clip, Way8, i32; help: branch once, at the start of the block
      .vector_intra_slice_branch(BranchMode::ValidCount);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_clip(ClipBinaryOpI32::Max, 0).vector_final(); }
#endif
constexpr VectorState state{.stage = VectorStage::Clip};
REFUSED(check_step(state, step_of(BranchMode::ValidCount)));
}  // namespace vector_already_entered

// # vector-alu-in-use
// Each ALU of the Vector Engine runs once per pass. Operations that share one cannot be in the same pass: AddFxp and SubFxp share FxpAdd, Tanh and
// Sqrt share FpFpu.
//
// Use an operation on another ALU where there is one (the Clip stage adds on ClipAdd; multiplications choose Mul0, Mul1 or Fma), or commit and
// start another pass.
namespace vector_alu_in_use {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-alu-in-use]: FxpBinaryOp::SubFxp needs FxpAdd, and FxpAdd is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::SubFxp, 2);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, 1).vector_fxp(FxpBinaryOp::MulInt, 2); }
#endif
constexpr VectorState state{.stage = VectorStage::Fxp, .used = 1u << static_cast<int>(VectorAlu::FxpAdd)};
REFUSED(check_step(state, step_of(FxpBinaryOp::SubFxp), Operands{}.immediate(ScalarType::i32)));
}  // namespace vector_alu_in_use

// # vector-block-twice
// The Vector Engine has an intra-slice block and an inter-slice block. A pass goes through them in one of two orders, intra-slice first or
// inter-slice first, and through each of them once. After `branch ... vector_inter_slice_reduce` only `vector_final` is left.
namespace vector_block_twice {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_inter_slice_reduce<Idle, m<1>>(InterSliceReduceOpI32::Add)
      // error[vector-block-twice]: vector_intra_slice_branch after an inter-slice reduce that followed the intra-slice block: each block is passed once; help: do all intra-slice work on one side of vector_inter_slice_reduce, or start another pass
      .vector_intra_slice_branch(BranchMode::Unconditional);
}

auto after(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_clip(ClipBinaryOpI32::Max, 0)
      .vector_inter_slice_reduce<Idle, m<1>>(InterSliceReduceOpI32::Add)
      .vector_final();
}
#endif
constexpr VectorState state{.stage = VectorStage::InterSliceReduce};
REFUSED(check_step(state, step_of(BranchMode::Unconditional)));
}  // namespace vector_block_twice

// # vector-branch-axis
// `BranchMode::AxisToggle` gives lanes an execution id by the parity of a coordinate. All slices do the same at the same time, so the coordinate
// must change with time or with the lane: the axis is in Time or Packet.
namespace vector_branch_axis {
TCP_AXES(A = 64, B = 8, C = 256);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<C>, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<A>, m<B>>()
      .collect<m<A>, m<B>>()
      .vector_init()
      // error[vector-branch-axis]: BranchMode::AxisToggle by C, which is neither in Time m![A] nor in Packet m![B]; help: name an axis of Time or Packet
      .vector_intra_slice_branch(BranchMode::AxisToggle{C});
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<C>, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<A>, m<B>>().collect<m<A>, m<B>>().vector_init().vector_intra_slice_branch(
      BranchMode::AxisToggle{A});
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, A).set(Level::packet, B);
// error[vector-branch-axis]: BranchMode::AxisToggle by A, which is neither in Time m![1] nor in Packet m![B]; help: name an axis of Time or Packet
REFUSED(check_branch(rngd, ScalarType::i32, stream, BranchMode::toggle(Name("A"))));
}  // namespace vector_branch_axis

// # vector-branch-log-missing
// `BranchMode::Vrf` takes execution ids from VRF: those that `vector_branch_log` wrote in an earlier pass, or any i32 tensor with ids in bits 0 to 3.
namespace vector_branch_log_missing {
TCP_AXES(B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const Operand& log) {
  return entered(ctx, in)
      // error[vector-branch-log-missing]: BranchMode::Vrf reads execution ids, and no VRF tensor is given that holds them; help: give the result of vector_branch_log, or an i32 tensor loaded by to_vrf
      .vector_intra_slice_branch(BranchMode::Vrf);
}

auto after(Context& ctx, const Ints& in, const Operand& log) { return entered(ctx, in).vector_intra_slice_branch(BranchMode::Vrf, log); }
#endif
constexpr Levels stream = Levels{}.set(Level::packet, B);
REFUSED(check_branch(rngd, ScalarType::i32, stream, BranchMode::Vrf));
}  // namespace vector_branch_log_missing

// # vector-branch-log-stage
// The branch log writes the execution ids as `vector_intra_slice_branch` gives them, for a later pass that reads them by `BranchMode::Vrf`. It
// is called there and nowhere else.
namespace vector_branch_log_stage {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, Operand& log) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-branch-log-stage]: vector_branch_log in stage Fxp: the ids are logged where they arise; help: call it directly after vector_intra_slice_branch
      .vector_branch_log(0, log);
}

auto after(Context& ctx, const Ints& in, Operand& log) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_branch_log(0, log)
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}
#endif
constexpr VectorState state{.stage = VectorStage::Fxp, .branch = BranchMode::Kind::Comparison};
REFUSED(check_step(state, step_of(VectorMethod::branch_log)));
}  // namespace vector_branch_log_stage

// # vector-branch-log-type
// `BranchMode::Vrf` takes execution ids from VRF: those that `vector_branch_log` wrote in an earlier pass, or any i32 tensor with ids in bits 0 to 3.
namespace vector_branch_log_type {
TCP_AXES(B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const FloatOperand& log) {
  return entered(ctx, in)
      // error[vector-branch-log-type]: execution ids are bits 0 to 3 of i32 words; the VRF tensor holds f32; help: give the result of vector_branch_log, or an i32 tensor loaded by to_vrf
      .vector_intra_slice_branch(BranchMode::Vrf, log);
}

auto after(Context& ctx, const Ints& in, const Operand& log) { return entered(ctx, in).vector_intra_slice_branch(BranchMode::Vrf, log); }
#endif
constexpr Levels stream = Levels{}.set(Level::packet, B);
constexpr Levels log = Levels{}.set(Level::element, B);
REFUSED(check_branch(rngd, ScalarType::i32, stream, BranchMode::Vrf, &log, ScalarType::f32));
}  // namespace vector_branch_log_type

// # vector-branch-log-unwanted
// Only `BranchMode::Vrf` reads execution ids from VRF; the other modes make them from the stream.
namespace vector_branch_log_unwanted {
TCP_AXES(B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const Operand& log) {
  return entered(ctx, in)
      // error[vector-branch-log-unwanted]: a VRF tensor of execution ids is read by BranchMode::Vrf only; help: write BranchMode::Vrf, or leave the tensor out
      .vector_intra_slice_branch(BranchMode::Unconditional, log);
}

auto after(Context& ctx, const Ints& in, const Operand& log) { return entered(ctx, in).vector_intra_slice_branch(BranchMode::Vrf, log); }
#endif
constexpr Levels stream = Levels{}.set(Level::packet, B);
constexpr Levels log = Levels{}.set(Level::element, B);
REFUSED(check_branch(rngd, ScalarType::i32, stream, BranchMode::Unconditional, &log));
}  // namespace vector_branch_log_unwanted

// # vector-branch-type
// A comparison of `BranchMode::Comparison` looks at the input as a number of the stream's type, and its boundary is one too: `InputCmp::Less(0)`
// for i32, `InputCmp::Less(0.0f)` for f32.
namespace vector_branch_type {
TCP_AXES(B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return entered(ctx, in)
      // error[vector-branch-type]: BranchMode::Comparison compares with a boundary of i32; the stream is f32; help: give boundaries of f32
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)});
}

auto after(Context& ctx, const Floats& in) {
  return entered(ctx, in).vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0.0f)});
}
#endif
constexpr Levels stream = Levels{}.set(Level::packet, B);
REFUSED(check_branch(rngd, ScalarType::f32, stream, BranchMode::comparing(InputCmp::Less(0))));
}  // namespace vector_branch_type

// # vector-concat-odd-time
// `vector_concat` joins two packets of four lanes that follow each other, the inverse of `vector_split`. It needs an innermost factor of Time
// that falls into twos.
namespace vector_concat_odd_time {
TCP_AXES(A = 512, B = 3, C = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<B, C>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<B>, m<C.pad(8)>>()
      .collect<m<B>, m<C.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<C>>()
      // error[vector-concat-odd-time]: vector_concat joins every 2 packets that follow each other; Time m![B] with Packet m![C] does not fall into such; help: keep the factor that vector_split gave to Time, or use vector_pad_way8
      .vector_concat<m<1>, m<group(B, C).resize(8)>>();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<B, C>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<B>, m<C.pad(8)>>()
      .collect<m<B>, m<C.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<C>>()
      .vector_pad_way8<m<C.pad(8)>>();
}
#endif
// error[vector-concat-odd-time]: vector_concat joins every 2 packets that follow each other; Time m![B] with Packet m![A % 4] does not fall into such; help: keep the factor that vector_split gave to Time, or use vector_pad_way8
REFUSED(check_concat(rngd, B, A % 4, Mapping{}, A % 8));
}  // namespace vector_concat_odd_time

// # vector-concat-wrong-packet
// `vector_concat` turns `[T, P / 4], [P % 4]` into `[T], [P]`: the innermost two steps of Time become the outer factor of the packet.
namespace vector_concat_wrong_packet {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<A / 2>, m<A % 2>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<(A % 2).pad(8)>>()
      .collect<m<1>, m<(A % 2).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<one.pad(2)>, m<(A % 2).pad(4)>>()
      // error[vector-concat-wrong-packet]: Packet m![A % 8] is not what vector_concat makes of Time m![1 # 2] and Packet m![A % 2 # 4]; help: write Packet = m![A % 2 # 8], Time = m![1]
      .vector_concat<m<1>, m<A % 8>>();
}

auto after(Context& ctx, const Floats& in) { return narrow(ctx, in).vector_concat<m<1>, m<W % 8>>(); }
#endif
// error[vector-concat-wrong-packet]: Packet m![A % 4 # 8] is not what vector_concat makes of Time m![A / 4 % 2] and Packet m![A % 4]; help: write Packet = m![A % 8], Time = m![1]
REFUSED(check_concat(rngd, A / 4 % 2, A % 4, Mapping{}, (A % 4).pad(8)));
}  // namespace vector_concat_wrong_packet

// # vector-concat-wrong-time
// `vector_concat` turns `[T, P / 4], [P % 4]` into `[T], [P]`: the innermost two steps of Time become the outer factor of the packet.
namespace vector_concat_wrong_time {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-concat-wrong-time]: Time m![W / 4 % 2] is not what vector_concat leaves of Time m![W / 4 % 2]; help: write Time = m![1]
      .vector_concat<m<W / 4 % 2>, m<W % 8>>();
}

auto after(Context& ctx, const Floats& in) { return narrow(ctx, in).vector_concat<m<1>, m<W % 8>>(); }
#endif
// error[vector-concat-wrong-time]: Time m![A / 4 % 2] is not what vector_concat leaves of Time m![A / 4 % 2]; help: write Time = m![1]
REFUSED(check_concat(rngd, A / 4 % 2, A % 4, A / 4 % 2, A % 8));
}  // namespace vector_concat_wrong_time

// # vector-filter-empty
// A filter names the execution ids whose lanes stay, 0 to 15. With none nothing would come out.
namespace vector_filter_empty {
constexpr const char* before = R"(
axes A = 2048, K = 8
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[K] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_filter({}) Packet[K]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2048, K = 8
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[K] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_filter({1}) Packet[K]
  .vector_final
  .commit(y)
)";
// error[vector-filter-empty]: vector_filter keeps no execution id; help: name the ids that stay
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 64);
REFUSED(check_filter(rngd, OperandGuard{0}, A / 8, A % 8, A / 8, A % 8));
}  // namespace vector_filter_empty

// # vector-filter-overflow
// How many lanes a filter keeps is known only when it runs. The author declares an upper bound: Time after the filter, in packets of eight. Where
// more is kept than fits, lanes would be lost without a word.
//
// Declare as many steps as can be kept, or as come in.
// run time only: what a filter keeps depends on the data
namespace vector_filter_overflow {
constexpr const char* before = R"(
axes A = 32, K = 32
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[K % 8] at 4096
memset x = 0
main.begin(x)
  .fetch i32 Time[A / 8] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(1)))
  .vector_filter({1}) Time[1] Packet[K % 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 32, K = 32
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[K] at 4096
memset x = 0
main.begin(x)
  .fetch i32 Time[A / 8] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(1)))
  .vector_filter({1}) Time[K / 8] Packet[K % 8]
  .vector_final
  .commit(y)
)";
// error[vector-filter-overflow]: vector_filter keeps more than the 8 lanes that Time m![1] has room for, in slice 0; help: declare a longer Time
REFUSED_AT_RUN_TIME { return ran(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return ran(after); }
TCP_AXES(A = 32, K = 8);
REFUSED_AT_RUN_TIME {
  Levels const in = Levels{}.set(Level::time, A / 8).set(Level::packet, A % 8);
  Levels const out = Levels{}.set(Level::packet, K);
  reference::Value const stream(ScalarType::i32, reference::axes_of(in));
  return reference::filter(stream, stream, OperandGuard::id(0), in, out, 1, {}).refusal();
}
}  // namespace vector_filter_overflow

// # vector-filter-packet
// A filter puts the lanes that it keeps one after the other and fills all eight lanes of a packet before it begins the next. So the packet that
// is declared for its result has no padding. What it counts is no longer the axis that came in; an axis of its own says so: `K / 8`, `K % 8`.
namespace vector_filter_packet {
TCP_AXES(A = 64, K = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      // error[vector-filter-packet]: vector_filter fills all 8 lanes; Packet m![K % 2 # 8] has padding; help: count what is kept by an axis K of its own: Time = K / 8, Packet = K % 8
      .vector_filter<m<1>, m<(K % 2).pad(8)>>(OperandGuard::id(1));
}

auto after(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_filter<m<1>, m<K % 8>>(OperandGuard::id(1));
}
#endif
// error[vector-filter-packet]: vector_filter fills all 8 lanes; Packet m![A % 2 # 8] has padding; help: count what is kept by an axis K of its own: Time = K / 8, Packet = K % 8
REFUSED(check_filter(rngd, OperandGuard::id(1), A / 2, (A % 2).pad(8), A / 2, (A % 2).pad(8)));
}  // namespace vector_filter_packet

// # vector-filter-time
// How much a filter keeps is known only when it runs. The author declares an upper bound as Time; it cannot be more than what comes in.
namespace vector_filter_time {
TCP_AXES(A = 64, K = 128);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      // error[vector-filter-time]: Time m![K / 8] has 16 steps; vector_filter makes no more than the 1 of m![1]; help: declare at most 1 steps
      .vector_filter<m<K / 8>, m<K % 8>>(OperandGuard::id(1));
}

auto after(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_filter<m<1>, m<K % 8>>(OperandGuard::id(1));
}
#endif
// error[vector-filter-time]: Time m![K / 8] has 16 steps; vector_filter makes no more than the 8 of m![A / 8]; help: declare at most 8 steps
REFUSED(check_filter(rngd, OperandGuard::id(1), A / 8, A % 8, K / 8, K % 8));
}  // namespace vector_filter_time

// # vector-filter-unconditional
// A filter keeps the lanes whose execution id is named. After `BranchMode::Unconditional` all lanes have id 0: it would keep all of them or none.
namespace vector_filter_unconditional {
TCP_AXES(K = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-filter-unconditional]: vector_filter after BranchMode::Unconditional: every lane has execution id 0, so there is nothing to tell lanes apart by; help: branch by Comparison, AxisToggle, ValidCount or Vrf
      .vector_filter<m<1>, m<K>>(OperandGuard::id(1));
}

auto after(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_filter<m<1>, m<K>>(OperandGuard::id(1));
}
#endif
constexpr VectorState state{.stage = VectorStage::Clip};
REFUSED(check_step(state, step_of(VectorMethod::filter)));
}  // namespace vector_filter_unconditional

// # vector-groups-not-merged
// Two groups cannot leave the Vector Engine: they are two streams that share one pipeline. A `_zip` operation makes one of
// them: `op(group 0, group 1)`.
namespace vector_groups_not_merged {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& a, const Ints& b) {
  return paired(ctx, a, b)
      // error[vector-groups-not-merged]: vector_final while there are two groups; help: merge them first: vector_logic_zip, vector_fxp_zip, vector_fp_zip or vector_clip_zip
      .vector_final();
}

auto after(Context& ctx, const Ints& a, const Ints& b) { return paired(ctx, a, b).vector_clip_zip(ClipBinaryOpI32::AddFxp).vector_final(); }
#endif
constexpr VectorState state{.stage = VectorStage::Clip, .mode = VectorState::Mode::paired};
REFUSED(check_step(state, step_of(VectorMethod::output)));
}  // namespace vector_groups_not_merged

// # vector-guard-after-reduce
// Execution ids belong to the lanes as they entered. An intra-slice reduce makes one lane of many, which may have had different ids; the book does
// not say which one the result has. So after a reduce operands have no guards, and there is no filter.
namespace vector_guard_after_reduce {
TCP_AXES(R = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<W / 8>, m<R, W % 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<(W % 4).pad(8)>>()
      .collect<m<R>, m<(W % 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0.0f)})
      .vector_trim_way4<m<W % 4>>()
      .vector_intra_slice_reduce<R, m<1>, m<W % 4>>(IntraSliceReduceOpF32::Add)
      // error[vector-guard-after-reduce]: FpDivBinaryOp::DivF chooses by execution id after an intra-slice reduce; help: choose before the reduce, or branch anew in another pass
      .vector_fp_div(FpDivBinaryOp::DivF, VeBranchOperand::when(2.0f, OperandGuard::id(1)));
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<W / 8>, m<R, W % 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<(W % 4).pad(8)>>()
      .collect<m<R>, m<(W % 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0.0f)})
      .vector_trim_way4<m<W % 4>>()
      .vector_fp_binary(FpBinaryOp::AddF, VeBranchOperand::when(2.0f, OperandGuard::id(1)))
      .vector_intra_slice_reduce<R, m<1>, m<W % 4>>(IntraSliceReduceOpF32::Add);
}
#endif
constexpr VectorState state{.stage = VectorStage::IntraSliceReduce,
                            .way = Way::Way4,
                            .type = ScalarType::f32,
                            .branch = BranchMode::Kind::Comparison,
                            .reduced = true};
REFUSED(check_step(state, step_of(FpDivBinaryOp::DivF), Operands{}.immediate(ScalarType::f32, OperandGuard::id(1))));
}  // namespace vector_guard_after_reduce

// # vector-guard-never
// A guard names the execution ids whose lanes take an operand, are written back or are kept. If no lane can have one of these ids, the operand is never used, and the
// kernel does not do what it says. Which ids lanes can have follows from the branch: 0 for `Unconditional`, 0 and 8 for an `AxisToggle` and for two groups, 0 and 1 for
// `ValidCount`, of a `Comparison` those of the comparisons that are there; any for `Vrf`. After a `_zip` all are 0.
namespace vector_guard_never {
constexpr const char* before = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_fxp(AddFxp, 5 when {2, 3})
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_fxp(AddFxp, 5 when {1})
  .vector_final
  .commit(y)
)";
// error[vector-guard-never]: FxpBinaryOp::AddFxp has a guard for execution ids 2, 3; lanes have 0, 1 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }

constexpr VectorStep add = step_of(FxpBinaryOp::AddFxp);
constexpr VectorState entered(const BranchMode& mode) { return next_state(VectorState{}, step_of(mode)); }
// error[vector-guard-never]: FxpBinaryOp::AddFxp has a guard without any execution id; help: name the ids it is for, or leave the guard out
REFUSED(check_step(entered(BranchMode::Unconditional), add, Operands{}.immediate(ScalarType::i32, OperandGuard{0})));
// error[vector-guard-never]: FxpBinaryOp::AddFxp has a guard for execution ids 4, 5, 6, 7, 12, 13, 14, 15; lanes have 0 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED(check_step(entered(BranchMode::Unconditional), add, Operands{}.immediate(ScalarType::i32, OperandGuard::bit(2))));
// error[vector-guard-never]: FxpBinaryOp::AddFxp has a guard for execution ids 8, 9, 10, 11, 12, 13, 14, 15; lanes have 0 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED(check_step(entered(BranchMode::Unconditional), add, Operands{}.immediate(ScalarType::i32, OperandGuard::group(GroupId::One))));
// error[vector-guard-never]: FxpBinaryOp::AddFxp has a guard for execution ids 1, 3, 5, 7, 9, 11, 13, 15; lanes have 0, 8 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED(check_step(next_state(VectorState{}, step_of(VectorMethod::unzip)), add,
                   Operands{}.immediate(ScalarType::i32, OperandGuard::bit(0))));
// error[vector-guard-never]: FxpBinaryOp::AddFxp has a guard for execution ids 8, 9, 10, 11, 12, 13, 14, 15; lanes have 0 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED(check_step(next_state(VectorState{}, step_of(VectorMethod::unzip)), step_of(FxpBinaryOp::AddFxp, {}, Groups::group0),
                   Operands{}.immediate(ScalarType::i32, OperandGuard::group(GroupId::One))));

// What is written back, and what a filter keeps.
constexpr const char* write_back = R"(
axes A = 2048
vrf w: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_write_operand(w when {1})
  .vector_final
  .commit(y)
)";
// error[vector-guard-never]: vector_write_operand has a guard for execution ids 1; lanes have 0 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED_AT_RUN_TIME { return checked(write_back).refusal(); }
constexpr const char* filter = R"(
axes A = 2048, K = 8
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[K] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(True, Less(0)))
  .vector_filter({0, 2}) Packet[K]
  .vector_final
  .commit(y)
)";
// error[vector-guard-never]: vector_filter has a guard for execution ids 0, 2; lanes have 1, 3 only; help: choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups
REFUSED_AT_RUN_TIME { return checked(filter).refusal(); }
}  // namespace vector_guard_never

// # vector-inter-slice-after-filter
// A filter drops other lanes in each slice, so that after it the lanes of two slices no longer belong together, and a reduce across slices would
// combine what has nothing to do with each other.
namespace vector_inter_slice_after_filter {
TCP_AXES(K = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_filter<m<1>, m<K>>(OperandGuard::id(1))
      // error[vector-inter-slice-after-filter]: vector_inter_slice_reduce after vector_filter: each slice kept other lanes; help: reduce first, or filter in another pass
      .vector_inter_slice_reduce<Idle, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_inter_slice_reduce<Idle, m<1>>(InterSliceReduceOpI32::Add)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_filter<m<1>, m<K>>(OperandGuard::id(1));
}
#endif
constexpr VectorState state{.stage = VectorStage::Filter, .branch = BranchMode::Kind::Comparison};
REFUSED(check_step(state, step_of(VectorMethod::inter_slice_reduce)));
}  // namespace vector_inter_slice_after_filter

// # vector-inter-slice-twice
// The inter-slice block reduces across the slices of a cluster, before or after the intra-slice block, once per pass.
//
// Several factors of Slice can go in one reduce; what depends on the first reduce's result needs another pass.
namespace vector_inter_slice_twice {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_inter_slice_reduce<m<W / 32, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add)
      .vector_intra_slice_branch(BranchMode::Unconditional)
      // error[vector-inter-slice-twice]: a second vector_inter_slice_reduce: the inter-slice block is passed once; help: reduce over all these slices at once, or start another pass
      .vector_inter_slice_reduce<Idle, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const Ints& in) { return entered(ctx, in).vector_inter_slice_reduce<Idle, m<1>>(InterSliceReduceOpI32::Add); }
#endif
constexpr VectorState state{.stage = VectorStage::Fxp, .order = VeOrder::InterFirst};
REFUSED(check_step(state, step_of(VectorMethod::inter_slice_reduce)));
}  // namespace vector_inter_slice_twice

// # vector-needs-way4
// The Float, IntraSliceReduce and FpDiv stages are four lanes wide. `vector_split` makes two packets of four lanes of each packet of eight;
// `vector_trim_way4` keeps the lower four, which is twice as quick if the upper four are padding.
namespace vector_needs_way4 {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-needs-way4]: FpUnaryOp::Sigmoid takes four lanes; the stream is in stage Branch, Way8, f32; help: narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding
      .vector_fp_unary(FpUnaryOp::Sigmoid);
}

auto after(Context& ctx, const Floats& in) {
  return floats(ctx, in).vector_split<m<W / 4 % 2>, m<W % 4>>().vector_fp_unary(FpUnaryOp::Sigmoid);
}
#endif
constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(FpUnaryOp::Sigmoid)));
}  // namespace vector_needs_way4

// # vector-needs-way8
// All stages but Float, IntraSliceReduce and FpDiv are eight lanes wide, the exit too. A narrowed stream is widened again by `vector_concat`
// (the inverse of `vector_split`) or `vector_pad_way8` (the inverse of `vector_trim_way4`).
namespace vector_needs_way8 {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Exp)
      // error[vector-needs-way8]: ClipBinaryOpF32::Max takes eight lanes; the stream is in stage Float, Way4, f32; help: widen first: vector_concat after vector_split, vector_pad_way8 after vector_trim_way4
      .vector_clip(ClipBinaryOpF32::Max, 0.0f);
}

auto after(Context& ctx, const Floats& in) {
  return narrow(ctx, in).vector_fp_unary(FpUnaryOp::Exp).vector_concat<m<1>, m<W % 8>>().vector_clip(ClipBinaryOpF32::Max, 0.0f);
}
#endif
constexpr VectorState state{.stage = VectorStage::Float, .way = Way::Way4, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(ClipBinaryOpF32::Max), Operands{}.immediate(ScalarType::f32)));
}  // namespace vector_needs_way8

// # vector-neither-group
// In two-group mode an operation takes one argument for each group, `()` or `false` to skip it. Skipped by both it would do nothing, and still
// take its ALU.
namespace vector_neither_group {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& a, const Ints& b) {
  return paired(ctx, a, b)
      // error[vector-neither-group]: FxpBinaryOp::AddFxp skips both groups; help: name an operand, or true, for one group at least
      .vector_fxp(FxpBinaryOp::AddFxp, skip, skip);
}

auto after(Context& ctx, const Ints& a, const Ints& b) { return paired(ctx, a, b).vector_fxp(FxpBinaryOp::AddFxp, 1, skip); }
#endif
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32, .mode = VectorState::Mode::paired};
// error[vector-neither-group]: FpUnaryOp::Exp skips both groups; help: name an operand, or true, for one group at least
REFUSED(check_step(state, step_of(FpUnaryOp::Exp, {}, Groups::neither)));
}  // namespace vector_neither_group

// # vector-no-two-groups
// `_zip` operations and the forms with one argument for each group exist in two-group mode only, between `vector_intra_slice_unzip` and the
// first `_zip`, which makes one stream of the two.
namespace vector_no_two_groups {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& a, const Ints& b) {
  return ints(ctx, a)
      // error[vector-no-two-groups]: ClipBinaryOpI32::AddFxp (_zip) for two groups; the stream is a single one; help: enter with vector_intra_slice_unzip, or use the form without groups
      .vector_clip_zip(ClipBinaryOpI32::AddFxp);
}

auto after(Context& ctx, const Ints& a, const Ints& b) { return paired(ctx, a, b).vector_clip_zip(ClipBinaryOpI32::AddFxp); }
#endif
constexpr VectorState state{.stage = VectorStage::Branch};
REFUSED(check_step(state, step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip)));
}  // namespace vector_no_two_groups

// # vector-no-zip-form
// Two groups are merged by a binary operation of the Logic, Fxp, Float or Clip stage: `vector_logic_zip`, `vector_fxp_zip`, `vector_fp_zip`,
// `vector_clip_zip`. Unary and ternary operations and the divider after the reduce have no such form.
// no kernel: no front end has such a method, and the text form no such word
namespace vector_no_zip_form {
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32, .mode = VectorState::Mode::paired};
// error[vector-no-zip-form]: vector_fp_div has no _zip form; help: merge with vector_logic_zip, vector_fxp_zip, vector_fp_zip or vector_clip_zip
REFUSED(check_step(state, step_of(FpDivBinaryOp::DivF, {}, Groups::zip)));
}  // namespace vector_no_zip_form

// # vector-not-entered
// After `vector_init` the stream is before the Vector Engine's blocks. Operations belong to the intra-slice block, and
// `vector_intra_slice_branch` is its door: it gives every lane an execution id. `BranchMode::Unconditional` gives all of them 0.
namespace vector_not_entered {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      // error[vector-not-entered]: vector_fxp outside the intra-slice block; help: call vector_intra_slice_branch(BranchMode::Unconditional) first
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}

auto after(Context& ctx, const Ints& in) {
  return entered(ctx, in).vector_intra_slice_branch(BranchMode::Unconditional).vector_fxp(FxpBinaryOp::AddFxp, 1);
}
#endif
constexpr VectorState state{};
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::i32)));
}  // namespace vector_not_entered

// # vector-operand-absent
// Every slice reads its operands from its own VRF. An operand that is in slice 0 alone (`1 # 64`) does not exist for the others; one that all
// slices need is loaded into all of them (`64`, a bare number: 64 copies).
namespace vector_operand_absent {
TCP_AXES(A = 512, B = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, Idle, m<1>>& v) {
  return ints(ctx, in)
      // error[vector-operand-absent]: Slice of the VRF tensor is m![1 # 256], which is padding where the stream's m![W / 8] holds elements; help: load the operand into all slices that compute: copies are written as a bare number
      .vector_fxp(FxpBinaryOp::AddFxp, v);
}

auto after(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, m<256>, m<1>>& v) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::time, B).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, one.pad(64)).set(Level::element, B);
// error[vector-operand-absent]: Slice of the VRF tensor is m![1 # 64], which is padding where the stream's m![A / 8] holds elements; help: load the operand into all slices that compute: copies are written as a bare number
REFUSED(check_vrf_operand(stream, vrf));
}  // namespace vector_operand_absent

// # vector-operand-axis
// A VRF operand is repeated over the axes that it lacks. The reverse makes no sense: for an axis that only the operand has, nothing says which of
// its elements goes with an element of the stream.
namespace vector_operand_axis {
TCP_AXES(A = 8, B = 4, C = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, m<W / 8>, m<C, W % 8>>& v) {
  return ints(ctx, in)
      // error[vector-operand-axis]: the VRF tensor has axis C, which the stream does not have; help: load a tensor over the stream's axes, or a tile of it
      .vector_fxp(FxpBinaryOp::AddFxp, v);
}

auto after(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, m<W / 8>, m<W % 8>>& v) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::packet, A);
constexpr Levels vrf = Levels{}.set(Level::element, group(B, A));
// error[vector-operand-axis]: the VRF tensor has axis B, which the stream does not have; help: load a tensor over the stream's axes, or a tile of it
REFUSED(check_vrf_operand(stream, vrf));
}  // namespace vector_operand_axis

// # vector-operand-level-size
// A VRF tensor is in the slices of its clusters, as the stream is: Chip, Cluster and Slice of both count the same units.
namespace vector_operand_level_size {
constexpr const char* before = R"(
axes A = 512
dm x: i32 Slice[A / 8] Element[A % 8] at 0
dm y: i32 Slice[A / 8] Element[A % 8] at 4096
vrf v: i32 Slice[1] Element[A % 8] at 0
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, v)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 512
dm x: i32 Slice[A / 8] Element[A % 8] at 0
dm y: i32 Slice[A / 8] Element[A % 8] at 4096
vrf v: i32 Slice[A / 8] Element[A % 8] at 0
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, v)
  .vector_final
  .commit(y)
)";
// error[vector-operand-level-size]: Slice of the VRF tensor is m![1] with 1 positions; the stream's is m![A / 8] with 64; help: give both the same Slice
REFUSED_AT_RUN_TIME { return checked(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after, logical); }
TCP_AXES(A = 512);
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, Mapping{}).set(Level::element, A % 8);
REFUSED(check_vrf_operand(stream, vrf));
}  // namespace vector_operand_level_size

// # vector-operand-missing
// A binary operation takes one operand, a ternary one a pair; each may come as several slots with guards. Only in a mode that reads no operand
// (`Mode00`) may it be left out. In two-group mode at least one group needs one.
namespace vector_operand_missing {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-missing]: FxpBinaryOp::AddFxp has 0 operands; each slot needs 1; help: give a constant, a VRF tensor or Stash
      .vector_fxp_with_mode(FxpBinaryOp::AddFxp, BinaryArgMode::Mode10);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_fxp_with_mode(FxpBinaryOp::AddFxp, BinaryArgMode::Mode10, 1); }
#endif
constexpr VectorState state{.stage = VectorStage::Branch};
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp)));
}  // namespace vector_operand_missing

// # vector-operand-mixed-lanes
// A coarse VRF operand, `W / 16` beside a stream of `W`, serves several steps with one element. An access to the VRF then gives one cell to all
// lanes of a packet, or neighbouring cells to neighbouring lanes; a packet that falls into two blocks of the operand would need both at once.
//
// Blocks of at least eight steps are read as one cell; an operand with every step of the packet as neighbours.
namespace vector_operand_mixed_lanes {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, Slice, m<W / 4 % 2>>& v) {
  return ints(ctx, in)
      // error[vector-operand-mixed-lanes]: the lanes of Packet m![W % 8] would read several cells of the VRF tensor's Element m![W / 4 % 2], and some of them the same one; help: let all lanes of a packet fall into one block of the operand, or load an operand with every step of the packet
      .vector_fxp(FxpBinaryOp::AddFxp, v);
}

auto after(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, Slice, m<1>>& v) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::time, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::element, A / 4);
// error[vector-operand-mixed-lanes]: the lanes of Packet m![A % 8] would read several cells of the VRF tensor's Element m![A / 4], and some of them the same one; help: let all lanes of a packet fall into one block of the operand, or load an operand with every step of the packet
REFUSED(check_vrf_operand(stream, vrf));
}  // namespace vector_operand_mixed_lanes

// # vector-operand-not-read
// The argument mode says which operands an operation reads; `TernaryArgMode::Mode002` is op(stream, stream, operand1). An operand from VRF or
// the stash would occupy the register port, and the stash its one read, for nothing.
namespace vector_operand_not_read {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in, const FloatOperand& v) {
  return narrow(ctx, in)
      // error[vector-operand-not-read]: FpTernaryOp::FmaF does not read operand0 in this mode, and it is a VRF tensor; help: give a constant in its place, or another mode
      .vector_fp_ternary_with_mode(FpTernaryOp::FmaF, TernaryArgMode::Mode002, v, 1.0f);
}

auto after(Context& ctx, const Floats& in, const FloatOperand& v) {
  return narrow(ctx, in).vector_fp_ternary_with_mode(FpTernaryOp::FmaF, TernaryArgMode::Mode002, 0.0f, v);
}
#endif
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(FpTernaryOp::FmaF, TernaryArgMode::Mode002), Operands{}.vrf(ScalarType::f32).immediate(ScalarType::f32)));
}  // namespace vector_operand_not_read

// # vector-operand-number
// A constant operand is an `int`, a `float` or `double`, or an element (`i32`, `f32`). An unsigned number, or one of 64 bits, might be meant as a value or as a pattern of
// bits, and lanes have 32 bits with a sign.
//
// Write `static_cast<int>(x)` where the value is meant, `i32::from_bits(0x80000000u)` where the bits are.
namespace vector_operand_number {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-number]: a constant operand is an unsigned number of 32 bits; operands are int, float, i32 or f32; help: write static_cast<int>(x) for the value, i32::from_bits(0x80000000u) for the bits
      .vector_logic(LogicBinaryOpI32::BitAnd, 0x80000000);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_logic(LogicBinaryOpI32::BitAnd, i32::from_bits(0x80000000)); }
#endif
// error[vector-operand-number]: a constant operand is an unsigned number of 32 bits; operands are int, float, i32 or f32; help: write static_cast<int>(x) for the value, i32::from_bits(0x80000000u) for the bits
REFUSED(detail::vec::foreign_number(32, false));
}  // namespace vector_operand_number

// # vector-operand-register-last
// The operands of an operation are slots with guards: constants first, at most three, then at most one register. The first slot whose guard
// holds is taken; a lane that none of them claims passes unchanged.
namespace vector_operand_register_last {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const Operand& v) {
  return ints(ctx, in)
      // error[vector-operand-register-last]: FxpBinaryOp::AddFxp has an operand from a register before constants; help: put the constants first; the first whose guard holds is taken
      .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::group(v, GroupId::Zero), 1);
}

auto after(Context& ctx, const Ints& in, const Operand& v) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::group(1, GroupId::One), v);
}
#endif
constexpr VectorState state{.stage = VectorStage::Branch};
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp),
                   Operands{}.vrf(ScalarType::i32, OperandGuard::group(GroupId::Zero)).immediate(ScalarType::i32)));
}  // namespace vector_operand_register_last

// # vector-operand-registers
// An operation has one register port: a VRF tensor or the stash, not two of them. Constants are not read through it.
namespace vector_operand_registers {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in, const FloatOperand& v) {
  return narrow(ctx, in)
      .vector_stash()
      // error[vector-operand-registers]: FpTernaryOp::FmaF has 2 operands from registers; there is one register port, for VRF or stash; help: make one of them a constant, or use another operation for it
      .vector_fp_ternary(FpTernaryOp::FmaF, v, Stash);
}

auto after(Context& ctx, const Floats& in, const FloatOperand& v) {
  return narrow(ctx, in).vector_stash().vector_fp_ternary(FpTernaryOp::FmaF, 2.0f, Stash);
}
#endif
constexpr VectorState state{.stage = VectorStage::Narrow,
                            .way = Way::Way4,
                            .type = ScalarType::f32,
                            .stash = VectorState::Stash::kept,
                            .stash_type = ScalarType::f32};
REFUSED(check_step(state, step_of(FpTernaryOp::FmaF), Operands{}.vrf(ScalarType::f32).stash()));
}  // namespace vector_operand_registers

// # vector-operand-slices
// All slices work in step and read their own VRF at the same address. So an axis that the stream spreads over Slice must be spread alike in the
// operand; a whole copy in each slice would need another address in each.
namespace vector_operand_slices {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, m<256>, m<W>>& v) {
  return ints(ctx, in)
      // error[vector-operand-slices]: axis W is in Slice m![256] of the VRF tensor and m![W / 8] of the stream; help: load the operand with the stream's Slice
      .vector_fxp(FxpBinaryOp::AddFxp, v);
}

auto after(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, m<W / 8>, m<W % 8>>& v) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, copies(64)).set(Level::element, A);
// error[vector-operand-slices]: axis A is in Slice m![64] of the VRF tensor and m![A / 8] of the stream; help: load the operand with the stream's Slice
REFUSED(check_vrf_operand(stream, vrf));
}  // namespace vector_operand_slices

// # vector-operand-start
// An axis that only the slices of a VRF operand count is constant in each of them: every step of the stream in a slice finds the slice's one element.
// That needs blocks that begin where the axis does. With padding in front, or a window, a step of the stream belongs to another block than its slice says.
//
// Pad at the end of the axis, or load its steps into Element.
namespace vector_operand_start {
TCP_AXES(A = 508, V = 2044);
#if TCP_AT_COMPILE_TIME
using Front = m<V.pad_left(4) / 8>;
using Steps = m<V.pad_left(4) % 8>;
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Front, Steps>& in, const VrfTensor<i32, Chip, Cluster, Front, m<1>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, Steps>()
      .collect<m<1>, Steps>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      // error[vector-operand-start]: the stream steps through axis V, which only slices of the VRF tensor count, and one of them does not count it from 0: Slice m![V #< 4 / 8], Time m![1], Packet m![V = 8]; help: count V from 0, pad it at its end, or load its steps into Element
      .vector_fxp(FxpBinaryOp::AddFxp, v);
}

auto after(Context& ctx, const Ints& in, const VrfTensor<i32, Chip, Cluster, Slice, m<1>>& v) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, A.pad_left(4) / 8).set(Level::packet, A.pad_left(4) % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, A.pad_left(4) / 8);
// error[vector-operand-start]: the stream steps through axis A, which only slices of the VRF tensor count, and one of them does not count it from 0: Slice m![A #< 4 / 8], Time m![1], Packet m![A = 8]; help: count A from 0, pad it at its end, or load its steps into Element
REFUSED(check_vrf_operand(stream, vrf));
}  // namespace vector_operand_start

// # vector-operand-too-many
// The operands of an operation are slots with guards: constants first, at most three, then at most one register. The first slot whose guard
// holds is taken; a lane that none of them claims passes unchanged.
namespace vector_operand_too_many {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-too-many]: FxpBinaryOp::AddFxp has 4 slots; there are three for constants and one for a register; help: join slots of equal value into one guard, or use a VRF tensor
      .vector_fxp(FxpBinaryOp::AddFxp, 1, 2, 3, 4);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, 10); }
#endif
constexpr ScalarType type = ScalarType::i32;
constexpr VectorState state{.stage = VectorStage::Branch};
constexpr Operands operands = Operands{}
                                  .immediate(type, OperandGuard::id(0))
                                  .immediate(type, OperandGuard::id(1))
                                  .immediate(type, OperandGuard::id(2))
                                  .immediate(type);
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp), operands));
}  // namespace vector_operand_too_many

// # vector-operand-two-guards
// A slot of a ternary operation is a pair of operands under one guard.
namespace vector_operand_two_guards {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-operand-two-guards]: FpTernaryOp::FmaF has a pair of operands with two guards; help: give both operands of a pair the same guard
      .vector_fp_ternary(FpTernaryOp::FmaF, VeBranchOperand::when(1.0f, OperandGuard::id(1)), 2.0f);
}

auto after(Context& ctx, const Floats& in) { return narrow(ctx, in).vector_fp_ternary(FpTernaryOp::FmaF, 1.0f, 2.0f); }
#endif
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(FpTernaryOp::FmaF),
                   Operands{}.immediate(ScalarType::f32, OperandGuard::id(1)).immediate(ScalarType::f32)));
}  // namespace vector_operand_two_guards

// # vector-operand-type
// Operands have the type of the stream: i32 or f32. In C++ `100` is i32 and `100.0f` is f32. Bit operations on f32 take f32 patterns.
namespace vector_operand_type {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      // error[vector-operand-type]: FxpBinaryOp::AddFxp on i32 has an operand of f32; help: give an operand of i32
      .vector_fxp(FxpBinaryOp::AddFxp, 1.0f);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, 1); }
#endif
constexpr VectorState state{.stage = VectorStage::Branch};
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::f32)));
}  // namespace vector_operand_type

// # vector-operand-unknown
// In the text form `?` stands for a constant that is not known yet. A module that is run, or compiled, has no such place: the value must be known to the last bit.
// run time only: a module is built when a program runs
namespace vector_operand_unknown {
constexpr const char* before = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, ?)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 5)
  .vector_final
  .commit(y)
)";
// error[vector-operand-unknown]: FxpBinaryOp::AddFxp has a constant whose value is not known: ?; help: write the number in its place
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace vector_operand_unknown

// # vector-operand-unreachable
// The slots of an operation are tried in order, and a lane takes the first whose guard holds. A slot after one that takes every lane, or after slots that together take
// all that its own guard names, is never used.
//
// Put the operand with the narrower guard first.
namespace vector_operand_unreachable {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      // error[vector-operand-unreachable]: FxpBinaryOp::AddFxp has an operand in slot 1 that no lane reaches: the slots before it take execution ids 0, 1; help: put the operand with the narrower guard first, and the one for all other lanes last
      .vector_fxp(FxpBinaryOp::AddFxp, 5, VeBranchOperand::when(1, OperandGuard::bit(0)));
}

auto after(Context& ctx, const Ints& in) {
  return entered(ctx, in)
      .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
      .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::when(1, OperandGuard::bit(0)), 5);
}
#endif
constexpr VectorState comparing = next_state(VectorState{}, step_of(BranchMode::comparing(InputCmp::Less(0), InputCmp::Greater(9))));
constexpr Operands slots = Operands{}
                               .immediate(ScalarType::i32, OperandGuard::bit(0))
                               .immediate(ScalarType::i32, OperandGuard::bit(1))
                               .immediate(ScalarType::i32, OperandGuard::id(3));
// error[vector-operand-unreachable]: FxpBinaryOp::AddFxp has an operand in slot 2 that no lane reaches: the slots before it take execution ids 1, 2, 3; help: put the operand with the narrower guard first, and the one for all other lanes last
REFUSED(check_step(comparing, step_of(FxpBinaryOp::AddFxp), slots));
}  // namespace vector_operand_unreachable

// # vector-operand-unwanted
// Unary operations, `_zip` operations and steps that compute nothing take no operand.
namespace vector_operand_unwanted {
constexpr const char* before = R"(
axes A = 1024
dm x: f32 Cluster[1 # 2] Slice[A / 4] Element[A % 4] at 0
dm y: f32 Cluster[1 # 2] Slice[A / 4] Element[A % 4] at 4096
main.begin(x)
  .fetch f32 Time[1] Packet[A % 4 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[A % 4]
  .vector_fp_unary(Exp, 1.0)
  .vector_pad_way8 Packet[A % 4 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 1024
dm x: f32 Cluster[1 # 2] Slice[A / 4] Element[A % 4] at 0
dm y: f32 Cluster[1 # 2] Slice[A / 4] Element[A % 4] at 4096
main.begin(x)
  .fetch f32 Time[1] Packet[A % 4 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[A % 4]
  .vector_fp_unary(Exp)
  .vector_pad_way8 Packet[A % 4 # 8]
  .vector_final
  .commit(y)
)";
// error[vector-operand-unwanted]: FpUnaryOp::Exp takes no operand; help: leave the operand out
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(FpUnaryOp::Exp), Operands{}.immediate(ScalarType::f32)));
}  // namespace vector_operand_unwanted

// # vector-packet-not-one-flit
// The Vector Engine takes one flit at a time: eight elements of 32 bits. Collect makes such packets of larger ones, and gives the rest to Time.
// no kernel: collect and accumulate give flits; a compiler that asks the rule by itself meets it
namespace vector_packet_not_one_flit {
TCP_AXES(N = 256);
// error[vector-packet-not-one-flit]: Packet m![N] has 256 elements; the Vector Engine takes flits of 8; help: collect into packets of 8 elements of f32
REFUSED(check_vector_init(rngd, ScalarType::f32, N));
}  // namespace vector_packet_not_one_flit

// # vector-pad-wrong-packet
// `vector_pad_way8` turns `P` of four lanes into `P # 8`; the new lanes hold nothing.
namespace vector_pad_wrong_packet {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<A / 2>, m<A % 2>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<(A % 2).pad(8)>>()
      .collect<m<1>, m<(A % 2).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<(A % 2).pad(4)>>()
      // error[vector-pad-wrong-packet]: Packet m![A % 8] is not what vector_pad_way8 makes of m![A % 2 # 4]; help: write Packet = m![A % 2 # 8]
      .vector_pad_way8<m<A % 8>>();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<A / 2>, m<A % 2>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<(A % 2).pad(8)>>()
      .collect<m<1>, m<(A % 2).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<(A % 2).pad(4)>>()
      .vector_pad_way8<m<(A % 2).pad(8)>>();
}
#endif
REFUSED(check_pad_way8(rngd, (A % 2).pad(4), A % 8));
}  // namespace vector_pad_wrong_packet

// # vector-reinterpret-type
// `vector_reinterpret` takes the 32 bits of a lane for the other type that the Vector Engine computes on: i32 for f32, or the reverse. It costs
// nothing, and changes no bit. It may be wherever an operation may be in the intra-slice block.
//
// To get the number in another format, convert it: `vector_fxp_to_fp`, `vector_fp_to_fxp`, or a cast after `vector_final`.
namespace vector_reinterpret_type {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-reinterpret-type]: vector_reinterpret as bf16; the stream is in stage Branch, Way8, f32; help: reinterpret as i32; for numbers of bf16, cast after vector_final
      .vector_reinterpret<bf16>();
}

auto after(Context& ctx, const Floats& in) { return floats(ctx, in).vector_reinterpret<i32>(); }
#endif
constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32};
REFUSED(check_step(state, reinterpret_step(ScalarType::bf16)));
// error[vector-reinterpret-type]: vector_reinterpret as f32; the stream is in stage Branch, Way8, f32; help: leave it out: the stream has this type
REFUSED(check_step(state, reinterpret_step(ScalarType::f32)));
}  // namespace vector_reinterpret_type

// # vector-split-not-cut
// `vector_split` makes two packets of four lanes of one of eight. The border between lanes 3 and 4 must be a border of the mapping too: four
// lanes of `[A, B] # 8` with 2 times 3 elements would end in the middle of a row of B.
namespace vector_split_not_cut {
TCP_AXES(A = 2, B = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<group(A, B).pad(8)>>()
      .collect<m<1>, m<group(A, B).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      // error[vector-split-not-cut]: Packet m![[A, B] # 8] of 8 lanes cannot be cut into two of 4; help: collect other packets: pad the inner factors so that 4 lanes fall on a border
      .vector_split<m<1>, m<A>>();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<A, B.pad(4)>>()
      .collect<m<1>, m<A, B.pad(4)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<A>, m<B.pad(4)>>();
}
#endif
REFUSED(check_split(rngd, Mapping{}, group(A, B).pad(8), Mapping{}, A));
}  // namespace vector_split_not_cut

// # vector-split-wrong-packet
// `vector_split` turns `[T], [P]` into `[T, P / 4], [P % 4]`: both halves of a packet hold data, and follow each other in time.
namespace vector_split_wrong_packet {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-split-wrong-packet]: Packet m![W % 2] is not the half that vector_split makes of m![W % 8]; help: write Packet = m![W % 4], Time = m![W / 4 % 2]
      .vector_split<m<W / 4 % 2>, m<W % 2>>();
}

auto after(Context& ctx, const Floats& in) { return floats(ctx, in).vector_split<m<W / 4 % 2>, m<W % 4>>(); }
#endif
// error[vector-split-wrong-packet]: Packet m![A % 2] is not the half that vector_split makes of m![A % 8]; help: write Packet = m![A % 4], Time = m![A / 4 % 2]
REFUSED(check_split(rngd, Mapping{}, A % 8, A / 4 % 2, A % 2));
}  // namespace vector_split_wrong_packet

// # vector-split-wrong-time
// `vector_split` turns `[T], [P]` into `[T, P / 4], [P % 4]`: both halves of a packet hold data, and follow each other in time.
namespace vector_split_wrong_time {
TCP_AXES(A = 512, B = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-split-wrong-time]: Time m![1] is not what vector_split makes of Time m![1] and Packet m![W % 8]; help: write Time = m![W / 4 % 2]
      .vector_split<m<1>, m<W % 4>>();
}

auto after(Context& ctx, const Floats& in) { return floats(ctx, in).vector_split<m<W / 4 % 2>, m<W % 4>>(); }
#endif
// error[vector-split-wrong-time]: Time m![B] is not what vector_split makes of Time m![B] and Packet m![A % 8]; help: write Time = m![B, A / 4 % 2]
REFUSED(check_split(rngd, B, A % 8, B, A % 4));
}  // namespace vector_split_wrong_time

// # vector-stage-order
// The intra-slice block is a pipeline: Branch, Logic, Fxp, FxpToFp, Narrow, Float, IntraSliceReduce, FpDiv, Widen, FpToFxp, Clip, Filter,
// Output. A stream passes it once. Stages may be left out, but not gone back to, and only Logic, Fxp, Float and Clip take several operations.
//
// Reorder the operations, look for one of a later stage that does the same (the Clip stage can add), or start another pass.
namespace vector_stage_order {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::Max, 0)
      // error[vector-stage-order]: FxpBinaryOp::MulInt of stage Fxp cannot follow stage Clip: a pass goes through the stages once, in order; help: move it before Clip, or start another pass
      .vector_fxp(FxpBinaryOp::MulInt, 2);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_fxp(FxpBinaryOp::MulInt, 2).vector_clip(ClipBinaryOpI32::Max, 0); }
#endif
constexpr VectorState state{.stage = VectorStage::Clip};
REFUSED(check_step(state, step_of(FxpBinaryOp::MulInt), Operands{}.immediate(ScalarType::i32)));
}  // namespace vector_stage_order

// # vector-stash-after-reduce
// The stash holds the packets of the stream in step with it. An intra-slice reduce takes in many packets for each that it puts out, so that
// after it neither a stash can be taken nor one be read. Softmax therefore needs two passes: one that sums, one that divides.
namespace vector_stash_after_reduce {
TCP_AXES(R = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<W / 8>, m<R, W % 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<(W % 4).pad(8)>>()
      .collect<m<R>, m<(W % 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<W % 4>>()
      .vector_intra_slice_reduce<R, m<1>, m<W % 4>>(IntraSliceReduceOpF32::Add)
      // error[vector-stash-after-reduce]: vector_stash after an intra-slice reduce; help: stash and read before the reduce, or commit and read the tensor from VRF in another pass
      .vector_stash();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<W / 8>, m<R, W % 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<(W % 4).pad(8)>>()
      .collect<m<R>, m<(W % 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<W % 4>>()
      .vector_stash()
      .vector_fp_binary(FpBinaryOp::AddF, Stash)
      .vector_intra_slice_reduce<R, m<1>, m<W % 4>>(IntraSliceReduceOpF32::Add);
}
#endif
constexpr VectorState state{.stage = VectorStage::FpDiv, .way = Way::Way4, .type = ScalarType::f32, .reduced = true};
REFUSED(check_step(state, step_of(VectorMethod::stash)));
}  // namespace vector_stash_after_reduce

// # vector-stash-missing
// `Stash` as an operand reads what an earlier `vector_stash` of the same pass has kept.
namespace vector_stash_missing {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-stash-missing]: ClipBinaryOpI32::Max reads the stash, and nothing was stashed; help: call vector_stash before it
      .vector_clip(ClipBinaryOpI32::Max, Stash);
}

auto after(Context& ctx, const Ints& in) {
  return ints(ctx, in).vector_stash().vector_fxp(FxpBinaryOp::AddFxp, 1).vector_clip(ClipBinaryOpI32::Max, Stash);
}
#endif
constexpr VectorState state{.stage = VectorStage::Fxp};
REFUSED(check_step(state, step_of(ClipBinaryOpI32::Max), Operands{}.stash()));
}  // namespace vector_stash_missing

// # vector-stash-packet
// The stash delivers its packets lane by lane, as they were taken; upper lanes of padding do not matter.
// no kernel: a stage that changes Packet changes Time as well, or is a reduce: `vector-stash-time`, `vector-stash-after-reduce`
namespace vector_stash_packet {
TCP_AXES(A = 512, B = 8);
constexpr Stream stashed{Mapping{}, A % 8}, now{Mapping{}, B};
// error[vector-stash-packet]: the stash was taken with Packet m![A % 8] and is read with Packet m![B]; help: read it where the lanes hold the same elements
REFUSED(check_stash_read(rngd, stashed, now));
}  // namespace vector_stash_packet

// # vector-stash-read-twice
// There is one stash: it is written once and read once in a pass.
namespace vector_stash_read_twice {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_stash()
      .vector_fxp(FxpBinaryOp::AddFxp, Stash)
      // error[vector-stash-read-twice]: ClipBinaryOpI32::Max reads the stash a second time: a pass reads it once; help: combine both uses in one operation, or start another pass
      .vector_clip(ClipBinaryOpI32::Max, Stash);
}

auto after(Context& ctx, const Ints& in) {
  return ints(ctx, in).vector_stash().vector_fxp(FxpBinaryOp::AddFxp, 1).vector_clip(ClipBinaryOpI32::Max, Stash);
}
#endif
constexpr VectorState state{.stage = VectorStage::Fxp, .stash = VectorState::Stash::read};
REFUSED(check_step(state, step_of(ClipBinaryOpI32::Max), Operands{}.stash()));
}  // namespace vector_stash_read_twice

// # vector-stash-room
// A stash takes 1,024 bytes of the VRF, in one piece, beside whatever is there while the pass runs: operands of this pass or of later ones. Where
// tensors have no address, they are placed so that the end of the VRF is free.
// run time only: which tensors live together shows when the kernel is recorded
namespace vector_stash_room {
constexpr const char* before = R"(
axes A = 256, T = 225, P = 8
dm x: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
dm w: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 4096
dm y: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 65536
vrf v: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
sub.begin(w)
  .fetch i32 Time[T] Packet[P]
  .collect
  .to_vrf(v)
main.begin(w)
  .fetch i32 Time[T] Packet[P]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_stash
  .vector_fxp(AddFxp, v)
  .vector_clip(Max, stash)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 256, T = 224, P = 8
dm x: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
dm w: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 4096
dm y: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 65536
vrf v: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
sub.begin(w)
  .fetch i32 Time[T] Packet[P]
  .collect
  .to_vrf(v)
main.begin(w)
  .fetch i32 Time[T] Packet[P]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_stash
  .vector_fxp(AddFxp, v)
  .vector_clip(Max, stash)
  .vector_final
  .commit(y)
)";
// error[vector-stash-room]: a pass with vector_stash while operands take 7200 bytes of VRF, and leave 992 bytes in a row; the stash needs 1024 bytes; help: load fewer of them or place them closer, or recompute the value instead of stashing it
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace vector_stash_room

// # vector-stash-stage
// A snapshot of the stream can be taken in the stages Branch, Logic, Fxp, Narrow, Float, FpDiv and Clip. The conversions, the reduce, Widen,
// Filter and Output have no tap.
namespace vector_stash_stage {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp_to_fp(31)
      // error[vector-stash-stage]: vector_stash in stage FxpToFp; it follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip; help: stash before stage FxpToFp
      .vector_stash();
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_stash().vector_fxp_to_fp(31); }
#endif
constexpr VectorState state{.stage = VectorStage::FxpToFp, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(VectorMethod::stash)));
}  // namespace vector_stash_stage

// # vector-stash-time
// The stash delivers its packets step by step, as they were taken. It can be read where Time is what it was: in Way8 and, after
// `vector_trim_way4`, in Way4; between `vector_split` and `vector_concat` there are two steps for each that was stashed.
namespace vector_stash_time {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_stash()
      .vector_split<m<W / 4 % 2>, m<W % 4>>()
      // error[vector-stash-time]: the stash was taken with Time m![1] and is read with Time m![W / 4 % 2]; help: read it where Time is the same again: after vector_concat if it was taken before vector_split
      .vector_fp_binary(FpBinaryOp::AddF, Stash);
}

auto after(Context& ctx, const Floats& in) {
  return floats(ctx, in).vector_split<m<W / 4 % 2>, m<W % 4>>().vector_stash().vector_fp_binary(FpBinaryOp::AddF, Stash);
}
#endif
constexpr Stream stashed{Mapping{}, A % 8}, now{A / 4 % 2, A % 4};
// error[vector-stash-time]: the stash was taken with Time m![1] and is read with Time m![A / 4 % 2]; help: read it where Time is the same again: after vector_concat if it was taken before vector_split
REFUSED(check_stash_read(rngd, stashed, now));
}  // namespace vector_stash_time

// # vector-stash-twice
// There is one stash: it is written once and read once in a pass.
namespace vector_stash_twice {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_stash()
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-stash-twice]: a second vector_stash: a pass has one stash, written once; help: commit the other value and read it from VRF in another pass
      .vector_stash();
}

auto after(Context& ctx, const Ints& in) {
  return ints(ctx, in).vector_stash().vector_fxp(FxpBinaryOp::AddFxp, 1).vector_clip(ClipBinaryOpI32::Max, Stash);
}
#endif
constexpr VectorState state{.stage = VectorStage::Fxp, .stash = VectorState::Stash::kept};
REFUSED(check_step(state, step_of(VectorMethod::stash)));
}  // namespace vector_stash_twice

// # vector-stash-type
// The stash keeps bits. What was stashed as f32 can be read by operations on f32 only, and i32 likewise; between the two are
// `vector_fxp_to_fp` and `vector_fp_to_fxp`.
namespace vector_stash_type {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_stash()
      .vector_fxp_to_fp(31)
      .vector_split<m<W / 4 % 2>, m<W % 4>>()
      // error[vector-stash-type]: FpBinaryOp::AddF on f32 reads a stash of i32; help: stash after the conversion, or read before it
      .vector_fp_binary(FpBinaryOp::AddF, Stash);
}

auto after(Context& ctx, const Ints& in) {
  return ints(ctx, in).vector_fxp_to_fp(31).vector_split<m<W / 4 % 2>, m<W % 4>>().vector_stash().vector_fp_binary(FpBinaryOp::AddF, Stash);
}
#endif
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32, .stash = VectorState::Stash::kept};
REFUSED(check_step(state, step_of(FpBinaryOp::AddF), Operands{}.stash()));
}  // namespace vector_stash_type

// # vector-trim-live-lanes
// `vector_trim_way4` keeps the lower four lanes of each packet. That is for packets whose upper four lanes are padding; it never drops an element.
// `vector_split` keeps both halves, in twice as many time steps.
namespace vector_trim_live_lanes {
TCP_AXES(R = 19, D = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R.pad(24) / 8>, m<R.pad(24) % 8>>()
      .collect<m<R.pad(24) / 8>, m<R.pad(24) % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      // error[vector-trim-live-lanes]: vector_trim_way4 would drop elements: lanes 4 to 7 of Packet m![R = 8] are not all padding; help: use vector_split, which keeps both halves
      .vector_trim_way4<m<R.pad(24) % 4>>();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R.pad(24) / 8>, m<R.pad(24) % 8>>()
      .collect<m<R.pad(24) / 8>, m<R.pad(24) % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<R.pad(24) / 4>, m<R.pad(24) % 4>>();
}
#endif
REFUSED(check_trim_way4(rngd, R.pad(24) % 8, R.pad(24) % 4));
}  // namespace vector_trim_live_lanes

// # vector-trim-wrong-packet
// `vector_trim_way4` turns `P # 8` into `P # 4`: four lanes, the padding among them included.
namespace vector_trim_wrong_packet {
TCP_AXES(R = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<R.pad(8)>>()
      .collect<m<1>, m<R.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      // error[vector-trim-wrong-packet]: Packet m![R] is not what vector_trim_way4 leaves of m![R # 8]; help: write Packet = m![R # 4]
      .vector_trim_way4<m<R>>();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<R.pad(8)>>()
      .collect<m<1>, m<R.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<R.pad(4)>>();
}
#endif
REFUSED(check_trim_way4(rngd, R.pad(8), R));
}  // namespace vector_trim_wrong_packet

// # vector-two-group-method
// In two-group mode the execution ids tell the two groups apart, and the stash would have to hold both. So `vector_stash`, `vector_filter`,
// `vector_branch_log` and `vector_write_operand` do not exist there, neither while there are two groups nor after their `_zip`.
namespace vector_two_group_method {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& a, const Ints& b) {
  return paired(ctx, a, b)
      .vector_clip_zip(ClipBinaryOpI32::AddFxp)
      // error[vector-two-group-method]: vector_stash in two-group mode, after the _zip; help: use the single-stream path, or another pass
      .vector_stash();
}

auto after(Context& ctx, const Ints& a, const Ints& b) { return ints(ctx, a).vector_stash(); }
#endif
constexpr VectorState state{.stage = VectorStage::Clip, .mode = VectorState::Mode::merged};
REFUSED(check_step(state, step_of(VectorMethod::stash)));
}  // namespace vector_two_group_method

// # vector-two-group-reduce
// The intra-slice reducer has one set of accumulators, and a pass of two groups cannot use it: neither while there are two groups nor after their
// `_zip`. The inter-slice reduce after a `_zip` is another engine, and there.
namespace vector_two_group_reduce {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& a, const Floats& b) {
  return paired(ctx, a, b)
      .vector_split<m<W / 4 % 2>, m<W % 4>>()
      .vector_fp_zip(FpBinaryOp::AddF)
      // error[vector-two-group-reduce]: vector_intra_slice_reduce in two-group mode, after the _zip; help: commit what the _zip makes, and reduce it in another pass
      .vector_intra_slice_reduce<W, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add);
}

auto after(Context& ctx, const Floats& a, const Floats& b) {
  return paired(ctx, a, b)
      .vector_split<m<W / 4 % 2>, m<W % 4>>()
      .vector_fp_zip(FpBinaryOp::AddF)
      .vector_concat<m<1>, m<W % 8>>()
      .vector_final();
}
#endif
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .mode = VectorState::Mode::paired};
// error[vector-two-group-reduce]: vector_intra_slice_reduce in two-group mode, before the _zip; help: commit what the _zip makes, and reduce it in another pass
REFUSED(check_step(state, step_of(VectorMethod::intra_slice_reduce)));
}  // namespace vector_two_group_reduce

// # vector-two-group-width
// Two groups alternate from packet to packet. `vector_split` and `vector_concat` keep that; `vector_trim_way4` and `vector_pad_way8` change how
// many packets there are and would put the groups out of step, so on two groups they do not exist. After the `_zip` there is one stream, and
// `vector_pad_way8` is available again.
//
// For `Packet = A % 2 # 8`, `vector_split` gives `Time = ..., 1 # 2` and `Packet = A % 2 # 4`, and `vector_concat` takes it back.
namespace vector_two_group_width {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& a, const Floats& b) {
  return paired(ctx, a, b)
      // error[vector-two-group-width]: vector_trim_way4 on two groups: their packets would no longer alternate as the group filter expects; help: use vector_split; padding lanes go to Time as 1 # 2 and come back
      .vector_trim_way4<m<W % 4>>();
}

auto after(Context& ctx, const Floats& a, const Floats& b) { return paired(ctx, a, b).vector_split<m<W / 4 % 2>, m<W % 4>>(); }
#endif
constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32, .mode = VectorState::Mode::paired};
REFUSED(check_step(state, step_of(VectorMethod::trim_way4)));
}  // namespace vector_two_group_width

// # vector-type
// Every ALU of the Vector Engine is 32 bits wide and works on i32 or f32. Narrower data is widened while it is fetched, or by the Contraction
// Engine, whose results are i32 or f32.
namespace vector_type {
TCP_AXES(A = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<A / 16, 8>, m<A % 16>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<A % 16>>()
      .collect<m<1>, m<A % 16>>()
      // error[vector-type]: the Vector Engine works on i32 and f32; the stream is bf16; help: convert while fetching: fetch<f32, ...>
      .vector_init();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<A / 16, 8>, m<A % 16>>& in) {
  return ctx.main.begin(in.view()).fetch<f32, m<1>, m<A % 16>>().collect<m<A / 8 % 2>, m<A % 8>>().vector_init();
}
#endif
REFUSED(check_vector_init(rngd, ScalarType::bf16, A % 16));
}  // namespace vector_type

// # vector-unary-operand
// `UnaryArgMode::Mode1` would apply a function to an operand instead of the stream, but `vector_fp_unary` takes no operand. Only `Mode0` exists.
namespace vector_unary_operand {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      // error[vector-unary-operand]: FpUnaryOp::Exp with UnaryArgMode::Mode1: a unary operation has no operand to take its argument from; help: use Mode0, or make the operand the stream
      .vector_fp_unary_with_mode(FpUnaryOp::Exp, UnaryArgMode::Mode1);
}

auto after(Context& ctx, const Floats& in) { return narrow(ctx, in).vector_fp_unary(FpUnaryOp::Exp); }
#endif
constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(FpUnaryOp::Exp, UnaryArgMode::Mode1)));
}  // namespace vector_unary_operand

// # vector-unzip-axis
// Two-group mode tells its groups apart by an axis of size 2 in Time, the one that `begin_interleaved` puts there: where its coordinate is 0 the
// packet belongs to group 0, where it is 1 to group 1.
namespace vector_unzip_axis {
TCP_AXES(B = 4, C = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<B, I>, m<C>>()
      .collect<m<B, I>, m<C>>()
      .vector_init()
      // error[vector-unzip-axis]: the groups are told apart by B, which must be a whole axis of size 2 in Time; Time is m![B, I]; help: name the axis of begin_interleaved
      .vector_intra_slice_unzip<B, m<B, one.pad(2)>, m<B>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<B, I>, m<C>>()
      .collect<m<B, I>, m<C>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<B, one.pad(2)>, m<B>>();
}
#endif
// error[vector-unzip-axis]: the groups are told apart by B, which must be a whole axis of size 2 in Time; Time is m![B]; help: name the axis of begin_interleaved
REFUSED(check_unzip(target, B, Name("B"), one.pad(2), one));
}  // namespace vector_unzip_axis

// # vector-unzip-group-size
// The flits of group 0 wait in the engine until those of group 1 come, and there is room for 1 KiB of them: 32 flits. With the axis of the groups
// innermost in Time they alternate flit by flit, and any length goes.
namespace vector_unzip_group_size {
TCP_AXES(B = 64, I = 2, C = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I, B>, m<C>>()
      .collect<m<I, B>, m<C>>()
      .vector_init()
      // error[vector-unzip-group-size]: Time m![I, B] brings 64 flits of a group, 2048 bytes, before one of the other; a group has at most 1024 bytes; help: fetch with I further inside Time: at most 32 steps inside of it
      .vector_intra_slice_unzip<I, m<one.pad(2), B>, m<B>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<B / 32, I, B % 32>, m<C>>()
      .collect<m<B / 32, I, B % 32>, m<C>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<B / 32, one.pad(2), B % 32>, m<B>>();
}
#endif
// error[vector-unzip-group-size]: Time m![I, B] brings 64 flits of a group, 2048 bytes, before one of the other; a group has at most 1024 bytes; help: fetch with I further inside Time: at most 32 steps inside of it
REFUSED(check_unzip(target, group(I, B), Name("I"), group(one.pad(2), B), B));
}  // namespace vector_unzip_group_size

// # vector-unzip-not-first
// Two-group mode treats the stream as two from its first step on: `vector_intra_slice_unzip` is available directly after `vector_init` only,
// neither inside the intra-slice block nor after an inter-slice reduce.
namespace vector_unzip_not_first {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& a, const Ints& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I>, m<W % 8>>()
      .collect<m<I>, m<W % 8>>()
      .vector_init()
      .vector_inter_slice_reduce<Idle, m<I>>(InterSliceReduceOpI32::Add)
      // error[vector-unzip-not-first]: vector_intra_slice_unzip comes directly after vector_init; the stream is in stage InterSliceReduce, Way8, i32; help: unzip first, or use vector_intra_slice_branch
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}

auto after(Context& ctx, const Ints& a, const Ints& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I>, m<W % 8>>()
      .collect<m<I>, m<W % 8>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}
#endif
constexpr VectorState state{.stage = VectorStage::InterSliceReduce, .order = VeOrder::InterFirst};
REFUSED(check_step(state, step_of(VectorMethod::unzip)));
}  // namespace vector_unzip_not_first

// # vector-unzip-wrong-split-time
// `vector_intra_slice_unzip<I, TileTime, SplitTime>`: TileTime is Time with the factor I replaced by `1 # 2` (what one group sees: every other
// step), SplitTime is Time without I (what is left when the groups go their ways).
namespace vector_unzip_wrong_split_time {
TCP_AXES(B = 4, I = 2, C = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<B, I>, m<C>>()
      .collect<m<B, I>, m<C>>()
      .vector_init()
      // error[vector-unzip-wrong-split-time]: SplitTime m![B, I] is not Time m![B, I] without I; help: write SplitTime = m![B]
      .vector_intra_slice_unzip<I, m<B, one.pad(2)>, m<B, I>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<B, C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<B, I>, m<C>>()
      .collect<m<B, I>, m<C>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<B, one.pad(2)>, m<B>>();
}
#endif
REFUSED(check_unzip(target, group(B, I), Name("I"), group(B, one.pad(2)), group(B, I)));
}  // namespace vector_unzip_wrong_split_time

// # vector-unzip-wrong-tile-time
// `vector_intra_slice_unzip<I, TileTime, SplitTime>`: TileTime is Time with the factor I replaced by `1 # 2` (what one group sees: every other
// step), SplitTime is Time without I (what is left when the groups go their ways).
namespace vector_unzip_wrong_tile_time {
TCP_AXES(I = 2, C = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I>, m<C>>()
      .collect<m<I>, m<C>>()
      .vector_init()
      // error[vector-unzip-wrong-tile-time]: TileTime m![1] is not Time m![I] with I as 1 # 2; help: write TileTime = m![1 # 2], SplitTime = m![1]
      .vector_intra_slice_unzip<I, m<1>, m<1>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<C>>& a, const DmTensor<i32, Chip, Cluster, Idle, m<C>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view())
      .fetch<i32, m<I>, m<C>>()
      .collect<m<I>, m<C>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>();
}
#endif
REFUSED(check_unzip(target, I, Name("I"), one, one));
}  // namespace vector_unzip_wrong_tile_time

// # vector-write-operand-lanes
// In each time step every lane writes to a place of its own. Over axes of Time the places may repeat: that is what a running sum does. Over axes of
// Packet they may not.
namespace vector_write_operand_lanes {
TCP_AXES(B = 8, T = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<256>, m<T, B>>& in, const VrfTensor<i32, Chip, Cluster, m<256>, m<1>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<T>, m<B>>()
      .collect<m<T>, m<B>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-write-operand-lanes]: several lanes of Packet m![B] would write to one place of the VRF tensor, whose Element is m![1]; help: give the VRF tensor the axes of Packet
      .vector_write_operand(v);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<256>, m<T, B>>& in, const VrfTensor<i32, Chip, Cluster, m<256>, m<B>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<T>, m<B>>()
      .collect<m<T>, m<B>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_write_operand(v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::time, T).set(Level::packet, B);
constexpr Levels vrf = Levels{};
REFUSED(check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32));
}  // namespace vector_write_operand_lanes

// # vector-write-operand-slices
// Each slice writes into its own VRF. A tensor that is the same in all slices would hold another number in each of them afterwards, and so be no longer what its type says.
namespace vector_write_operand_slices {
TCP_AXES(A = 256, B = 8, T = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A>, m<T, B>>& in, const VrfTensor<i32, Chip, Cluster, m<256>, m<B>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<T>, m<B>>()
      .collect<m<T>, m<B>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-write-operand-slices]: the stream has axis A in Slice m![A]; the VRF tensor does not have it, and would hold another number in every copy; help: give the VRF tensor the stream's Slice
      .vector_write_operand(v);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A>, m<T, B>>& in, const VrfTensor<i32, Chip, Cluster, m<A>, m<B>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<T>, m<B>>()
      .collect<m<T>, m<B>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_write_operand(v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, A).set(Level::time, T).set(Level::packet, B);
constexpr Levels vrf = Levels{}.set(Level::slice, copies(256)).set(Level::element, B);
REFUSED(check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32));
}  // namespace vector_write_operand_slices

// # vector-write-operand-steps
// An operand that is read may be coarse: one element for several steps, or one in each slice. One that is written may not: each of these steps
// would write another number into it, and the tensor's type says that it has one for all of them.
namespace vector_write_operand_steps {
TCP_AXES(A = 256, B = 8, T = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A>, m<T, B>>& in,
            const VrfTensor<i32, Chip, Cluster, m<A>, m<T / 2, B>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<T>, m<B>>()
      .collect<m<T>, m<B>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      // error[vector-write-operand-steps]: the stream steps through axis T in Time m![T]; the VRF tensor counts that axis by fewer steps, for its Element is m![T / 2, B]; help: give Element the steps of T, or leave the axis out of the VRF tensor
      .vector_write_operand(v);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A>, m<T, B>>& in, const VrfTensor<i32, Chip, Cluster, m<A>, m<T, B>>& v) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<T>, m<B>>()
      .collect<m<T>, m<B>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_write_operand(v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, A / 8);
// error[vector-write-operand-steps]: the stream steps through axis A in Packet m![A % 8]; the VRF tensor counts that axis by fewer steps, for its Element is m![1]; help: give Element the steps of A, or leave the axis out of the VRF tensor
REFUSED(check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32));
}  // namespace vector_write_operand_steps

// # vector-write-operand-stage
// `vector_write_operand` keeps the value that an operation has just made, for the same operation to read in a later time step (a running
// sum). It follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip, like `vector_stash`.
namespace vector_write_operand_stage {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in, const FloatOperand& v) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Exp)
      .vector_concat<m<1>, m<W % 8>>()
      // error[vector-write-operand-stage]: vector_write_operand in stage Widen; it follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip; help: write directly after the operation whose result is to be kept
      .vector_write_operand(v);
}

auto after(Context& ctx, const Floats& in, const FloatOperand& v) {
  return narrow(ctx, in).vector_fp_unary(FpUnaryOp::Exp).vector_write_operand(v).vector_concat<m<1>, m<W % 8>>();
}
#endif
constexpr VectorState state{.stage = VectorStage::Widen};
REFUSED(check_step(state, step_of(VectorMethod::write_operand)));
}  // namespace vector_write_operand_stage

// # vector-write-operand-twice
// One operand is written back per pass.
namespace vector_write_operand_twice {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Ints& in, const Operand& v, const Operand& w) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_write_operand(v)
      .vector_clip(ClipBinaryOpI32::Max, 0)
      // error[vector-write-operand-twice]: a second vector_write_operand: a pass writes one operand back; help: start another pass
      .vector_write_operand(w);
}

auto after(Context& ctx, const Ints& in, const Operand& v, const Operand& w) {
  return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, 1).vector_write_operand(v).vector_clip(ClipBinaryOpI32::Max, 0);
}
#endif
constexpr VectorState state{.stage = VectorStage::Fxp, .wrote = true};
REFUSED(check_step(state, step_of(VectorMethod::write_operand)));
}  // namespace vector_write_operand_twice

// # vector-write-operand-type
// `vector_write_operand` keeps the stream's values in VRF, for a later time step to read them as operands of the same type.
namespace vector_write_operand_type {
TCP_AXES(B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in, const Operand& v) {
  return floats(ctx, in)
      .vector_clip(ClipBinaryOpF32::Max, 0.0f)
      // error[vector-write-operand-type]: vector_write_operand writes f32 into a VRF tensor of i32; help: give a VRF tensor of f32
      .vector_write_operand(v);
}

auto after(Context& ctx, const Floats& in, const FloatOperand& v) {
  return floats(ctx, in).vector_clip(ClipBinaryOpF32::Max, 0.0f).vector_write_operand(v);
}
#endif
constexpr Levels stream = Levels{}.set(Level::packet, B);
constexpr Levels vrf = Levels{}.set(Level::element, B);
REFUSED(check_write_operand(stream, ScalarType::f32, vrf, ScalarType::i32));
}  // namespace vector_write_operand_type

// # vector-wrong-type
// Every operation is for i32 or for f32: the Fxp stage for i32, Float and FpDiv for f32; Logic and Clip have one enumeration for each.
// `vector_fxp_to_fp` and `vector_fp_to_fxp` convert, each at its place in the pipeline.
namespace vector_wrong_type {
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      // error[vector-wrong-type]: FxpBinaryOp::AddFxp works on i32; the stream is in stage Branch, Way8, f32; help: do it before vector_fxp_to_fp, or in another pass
      .vector_fxp(FxpBinaryOp::AddFxp, 1);
}

auto after(Context& ctx, const Ints& in) { return ints(ctx, in).vector_fxp(FxpBinaryOp::AddFxp, 1); }
#endif
constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32};
REFUSED(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::f32)));
}  // namespace vector_wrong_type
