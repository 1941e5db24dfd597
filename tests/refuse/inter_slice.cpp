// The inter-slice reduce adds up over the slices of a cluster.
#include "tcp/rules/inter_slice.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

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
