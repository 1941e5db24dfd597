// The reduce within a slice adds up over Time and Packet in the Vector Engine.
#include "tcp/rules/reduce.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # reduce-axis-absent
// An intra-slice reduce folds what one slice holds: the factors of its axis in Time and Packet. An axis that is in neither cannot be reduced
// this way; what is in Slice is folded across slices, by `vector_inter_slice_reduce`.
namespace reduce_axis_absent {
TCP_AXES(A = 4, R = 16, B = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<B, R>, m<A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<A.pad(8)>>()
      .collect<m<1>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      // error[reduce-axis-absent]: there is no R in Time m![1] or Packet m![A]; help: reduce what lies in Slice by vector_inter_slice_reduce
      .vector_intra_slice_reduce<R, m<1>, m<A>>(IntraSliceReduceOpF32::Add);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<B, R>, m<A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<A.pad(8)>>()
      .collect<m<1>, m<A.pad(8)>>()
      .vector_init()
      .vector_inter_slice_reduce<m<B, one.pad(16)>, m<1>>(InterSliceReduceOpF32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R).set(Level::time, one).set(Level::packet, A);
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), one, A));
}  // namespace reduce_axis_absent

// # reduce-axis-in-group
// `[A, R] # 16` pads a group as a whole: its padding begins somewhere in the middle of the group's steps. Without R the rest of the group would
// have no such place. Pad the axis itself, `A, R # 6`, and the padding goes with it.
namespace reduce_axis_in_group {
TCP_AXES(A = 3, R = 5);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A, R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<group(A, R).pad(16)>, m<one.pad(8)>>()
      .collect<m<group(A, R).pad(16)>, m<one.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      // error[reduce-axis-in-group]: Time m![[A, R] # 16] pads a group that holds R together with other factors; help: pad R itself instead of the group
      .vector_intra_slice_reduce<R, m<A>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A, R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<A, R.pad(8)>, m<one.pad(8)>>()
      .collect<m<A, R.pad(8)>, m<one.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      .vector_intra_slice_reduce<R, m<A>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(A, R).pad(16)).set(Level::packet, one.pad(4));
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), A, one.pad(4)));
}  // namespace reduce_axis_in_group

// # reduce-axis-in-window
// A window such as `$(R, F)` is one place counted by several axes at once: its positions belong to several elements, and none of the axes is
// a factor that could be taken out. The fetch or the stream adapter takes the filter's axis out of the window first.
namespace reduce_axis_in_window {
constexpr const char* before = R"(
axes F = 3, R = 5
dm x: f32 Cluster[1 # 2] Slice[1 # 256] Element[$(R, F)] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[F, 1 # 8] at 4096
main.begin(x)
  .fetch f32 Time[$(R, F)] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Add) Time[F] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes F = 3, R = 5
dm x: f32 Cluster[1 # 2] Slice[1 # 256] Element[$(R, F)] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[F, 1 # 8] at 4096
main.begin(x)
  .fetch f32 Time[F, R] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Add) Time[F] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[reduce-axis-in-window]: axis R is part of a window in Time m![$(R, F)], Packet m![1 # 4]; help: take the filter's axis out of the window first, by the fetch or the stream adapter
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(F = 3, R = 5);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, slide(R, F)).set(Level::packet, one.pad(4));
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), F, one.pad(4)));
}  // namespace reduce_axis_in_window

// # reduce-axis-left
// A reduce folds its axis wholly: every factor of it in Time and Packet goes, and the result is declared without them. To fold only a part of
// an axis, keep the other part in Slice, or give the two parts axes of their own.
namespace reduce_axis_left {
TCP_AXES(A = 4, R = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<A.pad(8)>>()
      .collect<m<R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      // error[reduce-axis-left]: the result is declared as Time m![R / 4], Packet m![A], which still counts R; help: write Time = m![1], Packet = m![A]
      .vector_intra_slice_reduce<R, m<R / 4>, m<A>>(IntraSliceReduceOpF32::Max);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<A.pad(8)>>()
      .collect<m<R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      .vector_intra_slice_reduce<R, m<1>, m<A>>(IntraSliceReduceOpF32::Max);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R).set(Level::packet, A);
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Max, Name("R"), stream(), R / 4, A));
}  // namespace reduce_axis_left

// # reduce-axis-start
// Factors of the axis that are in Slice stay when the rest is folded. If the axis also starts somewhere else than at 0, and the start is
// written in Time or Packet, then it would be gone with them, and slices that hold no element could no longer be told from the others.
// Write the start on the factor in Slice: `R @ 4 / 4` in Slice, `R % 4` in Time.
namespace reduce_axis_start {
TCP_AXES(R = 16, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<B, R % 4>, m<R / 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R.from(4) / 4>, m<one.pad(8)>>()
      .collect<m<R.from(4) / 4>, m<one.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      // error[reduce-axis-start]: axis R starts at 4 in Time or Packet, and Slice m![B, R % 4] counts it too; help: put the start into Slice, or reduce a tile of the tensor
      .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<B, R % 4>, m<R / 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R / 4>, m<one.pad(8)>>()
      .collect<m<R / 4>, m<one.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R % 4).set(Level::time, R.from(4) / 4).set(Level::packet, one.pad(4));
  return l;
}
// error[reduce-axis-start]: axis R starts at 4 in Time or Packet, and Slice m![R % 4] counts it too; help: put the start into Slice, or reduce a tile of the tensor
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), one, one.pad(4)));
}  // namespace reduce_axis_start

// # reduce-identity-not-fetched
// Where the Valid Count Generator cannot tell the padding of a reduced axis, the fetch can fill it with the identity of the operation, a value
// that changes nothing. The fetch pads before it casts, so the value must exist in the type that is in memory: the smallest `i32`, which is the
// identity of Max, is no `i8`. Choose a placement that can be counted, or widen the tensor in memory.
namespace reduce_identity_not_fetched {
constexpr const char* before = R"(
axes R = 10
dm x: i8 Cluster[1 # 2] Slice[R # 16 / 8 # 256] Element[R # 16 % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[R # 16 / 8 # 256] Element[1 # 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[R # 16 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_split Time[R # 16 / 4 % 2] Packet[R # 16 % 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 10
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[R # 16] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 4096
main.begin(x)
  .fetch i32 Time[R # 16 / 8] Packet[R # 16 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_split Time[R # 16 / 4] Packet[R # 16 % 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[reduce-identity-not-fetched]: the padding of this reduce cannot be counted, and a fetch of i8 cannot make the identity of Max, -2147483648; help: choose a placement that can be counted, or keep the tensor as i32 in memory
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 10);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R.pad(16) / 8).set(Level::time, one).set(Level::packet, R.pad(16) % 8);
  return l;
}
REFUSED(plan_reduce_padding(target, ScalarType::i32, ReduceOp::Max, stream(), ValidCountAsk{Name("R")},
                            {.moves_only = true, .fetched = ScalarType::i8}));
}  // namespace reduce_identity_not_fetched

// # reduce-no-such-op
// Each type has its own operations: the intra-slice reduce of `i32` has AddSat, Max and Min, that of `f32` Add, Max and Min. Sums of integers
// saturate; a wrapping sum of integers exists across slices only (`InterSliceReduceOpI32::Add`).
namespace reduce_no_such_op {
constexpr const char* before = R"(
axes A = 4, R = 16
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R, A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch i32 Time[R] Packet[A # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[A]
  .vector_intra_slice_reduce(R, Add) Time[1] Packet[A]
  .vector_pad_way8 Packet[A # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 4, R = 16
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R, A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch i32 Time[R] Packet[A # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[A]
  .vector_intra_slice_reduce(R, AddSat) Time[1] Packet[A]
  .vector_pad_way8 Packet[A # 8]
  .vector_final
  .commit(y)
)";
// error[reduce-no-such-op]: the intra-slice reduce has no Add of i32; help: use AddSat, Max or Min
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R).set(Level::packet, A);
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::i32, ReduceOp::Add, Name("R"), stream(), one, A));
}  // namespace reduce_no_such_op

// # reduce-op-of-other-type
// The operations of the two types are different types in C++ as well, so that a kernel says which arithmetic it means. The operation must be
// that of the stream's elements.
namespace reduce_op_of_other_type {
TCP_AXES(A = 4, R = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<A.pad(8)>>()
      .collect<m<R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      // error[reduce-op-of-other-type]: IntraSliceReduceOpI32::Max works on i32; the stream is f32; help: use IntraSliceReduceOpF32::Max
      .vector_intra_slice_reduce<R, m<1>, m<A>>(IntraSliceReduceOpI32::AddSat);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<A.pad(8)>>()
      .collect<m<R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      .vector_intra_slice_reduce<R, m<1>, m<A>>(IntraSliceReduceOpF32::Add);
}
#endif
// error[reduce-op-of-other-type]: IntraSliceReduceOpI32::AddSat works on i32; the stream is f32; help: use IntraSliceReduceOpF32::Add
REFUSED(intra_slice_op(ScalarType::f32, IntraSliceReduceOpI32::AddSat));
}  // namespace reduce_op_of_other_type

// # reduce-packet-mixed
// The tree folds all four lanes of a packet into one, or none of them. So an axis that is reduced has the packet for itself, padding aside.
// Put the other factors into Time, or the reduced axis: over time it is folded lane by lane.
namespace reduce_packet_mixed {
TCP_AXES(A = 2, R = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R / 2>, m<group(R % 2, A).pad(8)>>()
      .collect<m<R / 2>, m<group(R % 2, A).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<R % 2, A>>()
      // error[reduce-packet-mixed]: Packet m![R % 2, A] holds R together with other factors; the tree folds all 4 lanes or none; help: put the others into Time: Packet = R % 4, or R into Time alone
      .vector_intra_slice_reduce<R, m<1>, m<A.pad(4)>>(IntraSliceReduceOpF32::Add);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R>, m<A.pad(8)>>()
      .collect<m<R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A.pad(4)>>()
      .vector_intra_slice_reduce<R, m<1>, m<A.pad(4)>>(IntraSliceReduceOpF32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R / 2).set(Level::packet, group(R % 2, A));
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), one, A.pad(4)));
}  // namespace reduce_packet_mixed

// # reduce-packet-not-narrow
// The tree of the intra-slice reduce has four inputs, so it is in the narrow part of the pipeline: a flit of eight lanes must be narrowed
// first. `vector_split` makes two packets of four of it; `vector_trim_way4` drops the upper four lanes if they are padding.
namespace reduce_packet_not_narrow {
TCP_AXES(A = 8, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, A / 2).set(Level::time, R).set(Level::packet, (A % 2).pad(8));
  return l;
}
// error[reduce-packet-not-narrow]: Packet m![A = 2 # 8] has 8 lanes; the intra-slice reduce takes 4; help: narrow first, by vector_split or vector_trim_way4
REFUSED(check_intra_slice_reduce(target, ScalarType::i32, ReduceOp::Max, Name("R"), stream(), one, (A % 2).pad(8)));
}  // namespace reduce_packet_not_narrow

// # reduce-too-many-slots
// The intra-slice reduce has 8 accumulators. All results that are inside the outermost factor of the reduced axis in Time are open at once, one
// accumulator each: with Time `R, A % 3, B % 4` that is 3 x 4 = 12. Factors outside of the axis cost nothing, because their results come one
// after the other: `A % 3, R, B % 4` takes 4.
namespace reduce_too_many_slots {
TCP_AXES(A = 6, B = 16, R = 16, D = 128);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 3, D>, m<R, A % 3, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<R, A % 3, B % 4>, m<(B / 4).pad(8)>>()
      .collect<m<R, A % 3, B % 4>, m<(B / 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<B / 4>>()
      // error[reduce-too-many-slots]: Time m![R, A % 3, B % 4] holds 12 results inside its outermost factor of R; there are 8 accumulators; help: move other factors outside of R, or into Slice or Packet
      .vector_intra_slice_reduce<R, m<A % 3, B % 4>, m<B / 4>>(IntraSliceReduceOpI32::AddSat);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 3, D>, m<R, A % 3, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<A % 3, R, B % 4>, m<(B / 4).pad(8)>>()
      .collect<m<A % 3, R, B % 4>, m<(B / 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<B / 4>>()
      .vector_intra_slice_reduce<R, m<A % 3, B % 4>, m<B / 4>>(IntraSliceReduceOpI32::AddSat);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, A / 3).set(Level::time, group(R, A % 3, B % 4)).set(Level::packet, B / 4);
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::i32, ReduceOp::AddSat, Name("R"), stream(), group(A % 3, B % 4), B / 4));
}  // namespace reduce_too_many_slots

// # reduce-type
// The Vector Engine is 32 bits wide: all its operations, reduces included, take `i32` or `f32`. Narrower elements are widened while they are
// fetched, by the fetch adapter's cast; what comes out of a contraction is wide already.
namespace reduce_type {
TCP_AXES(A = 4, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R).set(Level::packet, A);
  return l;
}
// error[reduce-type]: the Vector Engine reduces i32 and f32; the stream is bf16; help: widen it in the fetch: fetch<f32, ...>
REFUSED(check_intra_slice_reduce(target, ScalarType::bf16, ReduceOp::Max, Name("R"), stream(), one, A));
}  // namespace reduce_type

// # reduce-wrong-packet
// The lanes of a packet stay as they are when the reduced axis is in Time only. When it is in Packet, the tree folds all lanes into the first:
// the result is `1 # 4`, one element and three lanes that hold nothing.
namespace reduce_wrong_packet {
TCP_AXES(A = 2, R = 16, B = 128);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<A, B>, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R / 4>, m<(R % 4).pad(8)>>()
      .collect<m<R / 4>, m<(R % 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<R % 4>>()
      // error[reduce-wrong-packet]: Packet m![1] is not what the reduce of R makes of Packet m![R % 4]; help: write Packet = m![1 # 4]
      .vector_intra_slice_reduce<R, m<1>, m<1>>(IntraSliceReduceOpF32::Max);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<A, B>, m<R>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R / 4>, m<(R % 4).pad(8)>>()
      .collect<m<R / 4>, m<(R % 4).pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<R % 4>>()
      .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Max);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, A).set(Level::time, R / 4).set(Level::packet, R % 4);
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Max, Name("R"), stream(), one, one));
}  // namespace reduce_wrong_packet

// # reduce-wrong-time
// What comes out of an intra-slice reduce is fixed: Time without the factors of the reduced axis. Other factors stay, in their order. The
// declared mapping is compared with that, so that a kernel says what it means; the help line has the mapping to write.
namespace reduce_wrong_time {
TCP_AXES(A = 4, B = 2, R = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<B, R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<B, R>, m<A.pad(8)>>()
      .collect<m<B, R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      // error[reduce-wrong-time]: Time m![1] is not Time m![B, R] without R; help: write Time = m![B]
      .vector_intra_slice_reduce<R, m<1>, m<A>>(IntraSliceReduceOpF32::Max);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<B, R, A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<B, R>, m<A.pad(8)>>()
      .collect<m<B, R>, m<A.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<A>>()
      .vector_intra_slice_reduce<R, m<B>, m<A>>(IntraSliceReduceOpF32::Max);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(B, R)).set(Level::packet, A);
  return l;
}
REFUSED(check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Max, Name("R"), stream(), one, A));
}  // namespace reduce_wrong_time
