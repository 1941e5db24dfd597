// Reduces: within a slice, by the Vector Engine, and between slices.
#include "tcp/rules/reduce.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"
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
      // error[reduce-axis-absent]: there is no R in Time m![1] or Packet m![A]; help: reduce what is in Slice by vector_inter_slice_reduce
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
// no kernel: the Vector Engine asks first how wide its lanes are: `vector-needs-way4`
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
// no kernel: the Vector Engine takes no other type: `vector-type`
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

// # inter-slice-axis-start
// If an axis starts somewhere else than at 0, is folded in Slice and counted by another level too, the start would be gone with the folded factors,
// and places that hold no element could no longer be told from the others. Write the start on the factor that stays.
namespace inter_slice_axis_start {
TCP_AXES(A = 64, R = 16, B = 128);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, m<B, (R.from(8) / 4).resize(2)>, m<R % 4>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R % 4>, m<one.pad(8)>>()
      .collect<m<R % 4>, m<one.pad(8)>>()
      .vector_init()
      // error[inter-slice-axis-start]: axis R starts at 8 in Slice, where it is folded, and Time m![R % 4] counts it too; help: put the start into Time, or reduce a tile of the tensor
      .vector_inter_slice_reduce<m<B, one.pad(2)>, m<R % 4>>(InterSliceReduceOpF32::Add);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, m<B, R / 8>, m<R % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<R % 8>, m<one.pad(8)>>()
      .collect<m<R % 8>, m<one.pad(8)>>()
      .vector_init()
      .vector_inter_slice_reduce<m<B, one.pad(2)>, m<R % 8>>(InterSliceReduceOpF32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A, (R.from(8) / 4).resize(2))).set(Level::time, R % 4).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::f32, ReduceOp::Add, stream(), group(A, one.pad(2)), R % 4));
}  // namespace inter_slice_axis_start

// # inter-slice-no-such-op
// Each type has its own operations across slices: `i32` has Add, AddSat, Max and Min, `f32` has Add, Max, Min and Mul.
namespace inter_slice_no_such_op {
constexpr const char* before = R"(
axes A = 512, R = 4
dm x: i32 Cluster[1 # 2] Slice[A / 8, R] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8, 1 # 4] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_inter_slice_reduce(Mul) Slice[A / 8, 1 # 4]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 512, R = 4
dm x: i32 Cluster[1 # 2] Slice[A / 8, R] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8, 1 # 4] Element[A % 8] at 4096
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_inter_slice_reduce(Max) Slice[A / 8, 1 # 4]
  .vector_final
  .commit(y)
)";
// error[inter-slice-no-such-op]: the inter-slice reduce has no Mul of i32; help: use Add, AddSat, Max or Min
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 512, R = 4);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, R)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Mul, stream(), group(A / 8, one.pad(4)), one));
}  // namespace inter_slice_no_such_op

// # inter-slice-nothing-reduced
// Which factors an inter-slice reduce folds follows from the declared Slice: those that are in Slice before it and not after it. If Slice stays the same,
// there are none.
namespace inter_slice_nothing_reduced {
TCP_AXES(A = 512, R = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      // error[inter-slice-nothing-reduced]: Slice m![A / 8, R] is the same as before, so nothing would be reduced; help: leave the inter-slice reduce out, or fill the places of the reduced factor: 1 # n
      .vector_inter_slice_reduce<m<A / 8, R>, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, R)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A / 8, R), one));
}  // namespace inter_slice_nothing_reduced

// # inter-slice-op-of-other-type
// The operations of the two types are different types in C++ as well, so that a kernel says which arithmetic it means. The operation must be
// that of the stream's elements.
namespace inter_slice_op_of_other_type {
TCP_AXES(A = 512, R = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      // error[inter-slice-op-of-other-type]: InterSliceReduceOpF32::Max works on f32; the stream is i32; help: use InterSliceReduceOpI32::Max
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpF32::Mul);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
#endif
// error[inter-slice-op-of-other-type]: InterSliceReduceOpF32::Mul works on f32; the stream is i32; help: convert to f32 first: i32 has no Mul
REFUSED(inter_slice_op(ScalarType::i32, InterSliceReduceOpF32::Mul));
}  // namespace inter_slice_op_of_other_type

// # inter-slice-outer-changed
// The slices of a group are neighbours on the ring, so what is folded are the innermost factors of Slice, and the factors that stay are the outer ones, at
// the places they had. A factor that is to be reduced and is outside must be brought inside by the switch first.
namespace inter_slice_outer_changed {
TCP_AXES(A = 512, R = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<R, A / 8>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      // error[inter-slice-outer-changed]: Slice m![A / 8 # 256] has A at another place than Slice m![R, A / 8] before the reduce; help: bring the factors to be reduced to the inside of Slice first, by the switch
      .vector_inter_slice_reduce<m<one.pad(4), A / 8>, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(R, A / 8)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(one.pad(4), A / 8), one));
}  // namespace inter_slice_outer_changed

// # inter-slice-reduces-copies
// A bare number in a mapping stands for copies of one and the same element; it is not an axis of the tensor. Folding copies would count elements twice.
// If the slices hold different things, give them an axis.
namespace inter_slice_reduces_copies {
TCP_AXES(A = 512, R = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, 4>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      // error[inter-slice-reduces-copies]: the reduce over m![4] in Slice m![A / 8, 4] would fold 4 copies of the same elements; help: give the copies an axis of their own if they are to be folded
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, 4)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A / 8, one.pad(4)), one));
}  // namespace inter_slice_reduces_copies

// # inter-slice-size
// A reduce across slices frees places, it does not remove slices: Slice has as many positions as before. The places of the reduced factors are filled
// with a dummy (`1 # n`: the result is in the first slice of each group), with a new axis (every slice gets it), or with a factor of Time.
namespace inter_slice_size {
TCP_AXES(A = 512, R = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      // error[inter-slice-size]: Slice m![A / 8] has 64 positions, Slice m![A / 8, R] before the reduce 256; help: fill the places of the reduced factors: 1 # n, a new axis, or a factor of Time
      .vector_inter_slice_reduce<m<A / 8>, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A / 8, R>, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A / 8, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, R)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), A / 8, one));
}  // namespace inter_slice_size

// # inter-slice-type
// The Vector Engine is 32 bits wide: the inter-slice reduce takes `i32` and `f32`. Narrower elements are widened while they are fetched.
// no kernel: the Vector Engine takes no other type: `vector-type`
namespace inter_slice_type {
TCP_AXES(A = 512, R = 4);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, R)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}
// error[inter-slice-type]: the Vector Engine reduces i32 and f32; the stream is i8; help: widen it in the fetch: fetch<i32, ...>
REFUSED(check_inter_slice_reduce(target, ScalarType::i8, ReduceOp::Max, stream(), group(A / 8, one.pad(4)), one));
}  // namespace inter_slice_type

// # inter-slice-wrong-fill
// The places that a reduce across slices frees can hold three things: nothing but the one result (`1 # n`), the result in every slice (an axis that the
// stream does not have yet), or the results of different time steps (a whole factor of Time). They can be mixed.
namespace inter_slice_wrong_fill {
TCP_AXES(A = 64, P = 4, R = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A, R>, m<P>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<P.pad(8)>>()
      .collect<m<1>, m<P.pad(8)>>()
      .vector_init()
      // error[inter-slice-wrong-fill]: the places of m![R] in Slice m![A, R] cannot be filled with m![P]; help: write m![A, 1 # 4] to keep the result in the first slice of each group
      .vector_inter_slice_reduce<m<A, P>, m<1>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A, R>, m<P>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<P.pad(8)>>()
      .collect<m<1>, m<P.pad(8)>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A, one.pad(4)>, m<1>>(InterSliceReduceOpI32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A, R)).set(Level::time, one).set(Level::packet, P.pad(8));
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A, P), one));
}  // namespace inter_slice_wrong_fill

// # inter-slice-wrong-time
// A factor of Time that goes to Slice leaves Time; the others stay, in their order. The declared Time is compared with that; the help line has the
// mapping to write.
namespace inter_slice_wrong_time {
TCP_AXES(A = 64, B = 3, D = 4, R = 4, E = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A, R>, m<B, D, E>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<B, D>, m<E>>()
      .collect<m<B, D>, m<E>>()
      .vector_init()
      // error[inter-slice-wrong-time]: Time m![B, D] is not what is left of Time m![B, D] when Slice becomes m![A, D]; help: write Time = m![B]
      .vector_inter_slice_reduce<m<A, D>, m<B, D>>(InterSliceReduceOpI32::Add);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<A, R>, m<B, D, E>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<B, D>, m<E>>()
      .collect<m<B, D>, m<E>>()
      .vector_init()
      .vector_inter_slice_reduce<m<A, D>, m<B>>(InterSliceReduceOpI32::Add);
}
#endif
static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A, R)).set(Level::time, group(B, D)).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A, D), group(B, D)));
}  // namespace inter_slice_wrong_time
