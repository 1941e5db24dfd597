// The Fetch Engine reads a tensor in DM as a stream of packets, and may convert the elements on the way.
#include "tcp/rules/fetch.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # fetch-axis-not-read
// A stream may repeat what it reads along an axis that the tensor does not have, and it may read a part of an axis. A tensor of E and K
// that is fetched as EK and K is neither: EK is E by the wrong name, every step would be the one of E = 0, and no number would tell.
namespace fetch_axis_not_read {
TCP_AXES(E = 4, EK = 4, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<E, K>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-axis-not-read]: the stream repeats along EK, which the tensor does not have, and reads only the first step of E of its Element m![E, K]; help: write E for EK, or fetch from tile(E, 1, 0) to repeat one step of it
      .fetch<i8, m<EK>, m<K>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<E, K>>& in) { return ctx.main.begin(in.view()).fetch<i8, m<E>, m<K>>(); }
#endif
constexpr Levels source = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<E, K>{});
REFUSED(check_fetch(rngd, {}, ScalarType::i8, source, ScalarType::i8, m<EK>{}, m<K>{}));
}  // namespace fetch_axis_not_read

// # fetch-dual-in-sub
// In dual-channel mode the main context takes the sub context's switch channel as well, and flits are 64 bytes wide. The sub context
// cannot be used meanwhile, so it has no such mode itself.
// no kernel: in the front ends the main context alone takes both channels
namespace fetch_dual_in_sub {
TCP_AXES(A = 64);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow dual{.context = Tu::Sub, .dual = true};
// error[fetch-dual-in-sub]: the sub context cannot fetch by two channels; help: fetch in the main context, or by one channel
REFUSED(check_fetch(rngd, dual, ScalarType::i8, tensor, ScalarType::i8, one, A));
}  // namespace fetch_dual_in_sub

// # fetch-half-byte
// Two 4-bit elements share a byte, and a fetch begins at a whole byte. Rows of an odd number of 4-bit elements begin, every second time,
// in the middle of one.
//
// Pad the rows in memory to an even number of elements.
namespace fetch_half_byte {
TCP_AXES(A = 4, C = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i4, Chip, Cluster, Idle, m<A, C>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-half-byte]: the walk [4 : 3, 16 : 1] : 16 from 0 on begins a fetch in the middle of a byte of two i4 elements; help: pad the inner factors of Element to even sizes
      .fetch<i4, m<A>, m<C.pad(16)>>();
}

auto after(Context& ctx, const DmTensor<i4, Chip, Cluster, Idle, m<A, C.pad(4)>>& in) {
  return ctx.main.begin(in.view()).fetch<i4, m<A>, m<C.pad(16)>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, C>{});
REFUSED(check_fetch(rngd, {}, ScalarType::i4, tensor, ScalarType::i4, A, C.pad(16)));
}  // namespace fetch_half_byte

// # fetch-interleave-axis
// `begin_interleaved` reads two tensors in turn, and an axis of two steps says whose turn it is. The sequencer has two base addresses and
// no more.
//
// Combine the third tensor with the result in another pass, or stack the tensors in one.
namespace fetch_interleave_axis {
TCP_AXES(A = 4, I = 3, J = 2);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& b) {
  // error[fetch-interleave-axis]: axis I has 3 steps; a fetch interleaves exactly 2 tensors; help: declare I = 2; combine further tensors in a second pass
  return ctx.main.begin_interleaved<I>(a.view(), b.view());
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& b) {
  return ctx.main.begin_interleaved<J>(a.view(), b.view());
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
REFUSED(check_begin_interleaved(rngd, Name("I"), 3, ScalarType::i8, tensor, ScalarType::i8, tensor));
}  // namespace fetch_interleave_axis

// # fetch-interleave-axis-used
// The axis that tells two interleaved tensors apart is new: neither of them may count it already.
namespace fetch_interleave_axis_used {
TCP_AXES(I = 2, B = 32, J = 2);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<I, B>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<I, B>>& b) {
  // error[fetch-interleave-axis-used]: axis I tells the interleaved tensors apart, but Element = m![I, B] already counts it; help: declare an axis of its own for the turn
  return ctx.main.begin_interleaved<I>(a.view(), b.view());
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<I, B>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<I, B>>& b) {
  return ctx.main.begin_interleaved<J>(a.view(), b.view());
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<I, B>{});
REFUSED(check_begin_interleaved(rngd, Name("I"), 2, ScalarType::i8, tensor, ScalarType::i8, tensor));
}  // namespace fetch_interleave_axis_used

// # fetch-interleave-differs
// Interleaved tensors are read by one sequencer, which changes its base address and nothing else. So they have one type and one mapping on
// every level, kinds of padding included.
namespace fetch_interleave_differs {
TCP_AXES(A = 4, B = 32, I = 2);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<B, A>>& b) {
  // error[fetch-interleave-differs]: a tensor with Element = m![A, B] is interleaved with one with Element = m![B, A]; help: bring both into one layout first
  return ctx.main.begin_interleaved<I>(a.view(), b.view()).fetch<i8, m<A, I>, m<B>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view()).fetch<i8, m<A, I>, m<B>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B>{});
constexpr Levels other = Levels{tensor}.set(Level::element, m<B, A>{});
REFUSED(check_begin_interleaved(rngd, Name("I"), 2, ScalarType::i8, tensor, ScalarType::i8, other));
}  // namespace fetch_interleave_differs

// # fetch-interleave-not-in-time
// The turn of interleaved tensors is a loop of the sequencer between packets: its axis is a whole factor of Time. As the innermost one,
// packets alternate; further out, so do rows or whole tensors.
namespace fetch_interleave_not_in_time {
TCP_AXES(A = 4, B = 32, I = 2);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& b) {
  return ctx.main
      .begin_interleaved<I>(a.view(), b.view())
      // error[fetch-interleave-not-in-time]: the tensors are told apart by axis I, which must be a whole factor of Time; Time is m![A], Packet m![I, B]; help: put I into Time, innermost for packets that alternate
      .fetch<i8, m<A>, m<I, B>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& a, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& b) {
  return ctx.main.begin_interleaved<I>(a.view(), b.view()).fetch<i8, m<A, I>, m<B>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B>{});
constexpr FetchHow how{.interleaved = Name("I")};
REFUSED(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i8, A, m<I, B>{}));
}  // namespace fetch_interleave_not_in_time

// # fetch-lift-not-copies
// A lift names copies: slices that hold the same elements read parts of their own, from where a table says. Where Slice is padded there is
// nothing to read, and where it counts an axis already, every slice holds other elements: a name would make them what they are not.
//
// Load the tensor with copies (m<4, P>), or let a switch move the elements.
namespace fetch_lift_not_copies {
TCP_AXES(A = 4, P = 64, W = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<one.pad(4), P>, m<A, W>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-lift-not-copies]: a fetch makes Slice m![A, P] of Slice m![P # 256], which differs where there are no copies; help: leave all factors of Slice but the copies, such as the 4 of m![4, P], as they are, or move the elements by a switch
      .fetch_slice_lift<m<A, P>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<4, P>, m<A, W>>& in) {
  return ctx.main.begin(in.view()).fetch_slice_lift<m<A, P>>().fetch<i32, m<1>, m<W>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, copies(2)).set(Level::slice, P.pad(256)).set(Level::element, m<A, W>{});
constexpr Mapping turned = m<P, A>{};
// error[fetch-lift-not-copies]: a fetch makes Slice m![P, A] of Slice m![P # 256], which differs where there are no copies; help: leave all factors of Slice but the copies, such as the 4 of m![4, P], as they are, or move the elements by a switch
REFUSED(lifted(tensor, nullptr, nullptr, &turned));
}  // namespace fetch_lift_not_copies

// # fetch-lift-not-held
// What tells the parts of a copy apart are steps of its Element: a slice begins so many of them further on. An axis that Element does not
// have, or some steps of one that leave no whole blocks, cannot be lifted.
namespace fetch_lift_not_held {
TCP_AXES(A = 8, B = 4, P = 64, W = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<4, P>, m<A, W>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-lift-not-held]: a fetch lifts m![B] into Slice m![B, P]; Element m![A, W] has no such factor; help: lift a whole factor of Element, or the blocks of one (A / 8 or A % 8 of A), and leave the rest to Time and Packet
      .fetch_slice_lift<m<B, P>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<4, P>, m<A, W>>& in) {
  return ctx.main.begin(in.view()).fetch_slice_lift<m<A / 2, P>>().fetch<i32, m<A % 2>, m<W>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::slice, m<4, P>{}).set(Level::element, m<A, W>{});
constexpr Mapping some = m<A.resize(3).pad(4), P>{};
// error[fetch-lift-not-held]: a fetch lifts m![A = 3] into Slice m![A = 3 # 4, P]; Element m![A, W] has no such factor; help: lift a whole factor of Element, or the blocks of one (A / 8 or A % 8 of A), and leave the rest to Time and Packet
REFUSED(lifted(tensor, nullptr, nullptr, &some));
}  // namespace fetch_lift_not_held

// # fetch-lift-size
// A lift names the units where they are, all of them: Slice has as many positions after it as before.
namespace fetch_lift_size {
TCP_AXES(A = 3, P = 64, W = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, m<4, P>, m<A, W>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-lift-size]: a fetch makes Slice m![A, P] with 192 positions of Slice m![4, P] with 256; help: give Slice 256 positions, with padding after the last step: # 256
      .fetch_slice_lift<m<A, P>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, m<4, P>, m<A, W>>& in) {
  return ctx.main.begin(in.view()).fetch_slice_lift<m<A.pad(4), P>>().fetch<i32, m<1>, m<W>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::slice, m<4, P>{}).set(Level::element, m<A, W>{});
constexpr Mapping fewer = m<A, P>{};
// error[fetch-lift-size]: a fetch makes Slice m![A, P] with 192 positions of Slice m![4, P] with 256; help: give Slice 256 positions, with padding after the last step: # 256
REFUSED(lifted(tensor, nullptr, nullptr, &fewer));
}  // namespace fetch_lift_size

// # fetch-mask-by-slice
// All slices run the same sequencer with the same masking registers. Here Slice counts `A % 16`, so that the last of the four blocks ends
// one step early in three of the slices: no register setting is right for all.
//
// Zero padding that the tensor holds itself needs no masking.
namespace fetch_mask_by_slice {
TCP_AXES(A = 61);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<(A.pad(64) % 16).pad(256)>, m<A.pad(64) / 16>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-mask-by-slice]: which positions of Time m![1] and Packet m![A #z 64 / 16 #z 8] are padding depends on the slice; help: keep zero padding in the tensor itself, or give the finer factor to Element
      .fetch<i8, m<1>, m<(A.pad_zero(64) / 16).pad_zero(8)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<(A.pad(64) / 16).pad(256)>, m<A.pad(64) % 16>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<1>, m<A.pad(64) % 16>>();
}
#endif
constexpr Levels tensor =
    Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, (A.pad(64) % 16).pad(256)).set(Level::element, A.pad(64) / 16);
REFUSED(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, one, (A.pad_zero(64) / 16).pad_zero(8)));
}  // namespace fetch_mask_by_slice

// # fetch-mask-impossible
// The masking registers know the innermost loop of the sequencer and two others. They mask its first elements in the first round of one
// loop and its last elements in the last round of that loop, by one count, or by eight counts for the steps of another loop.
//
// One axis padded at its end can be masked nearly always; two at once rarely. Zero padding that the tensor holds itself (`#z` in Element)
// needs no masking, and padding on which nothing depends is written `#`.
namespace fetch_mask_impossible {
TCP_AXES(A = 29, B = 5, C = 30);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B, C>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-mask-impossible]: the zeros that Time m![A #z 32, B #z 8] and Packet m![C #z 32] of i8 promise fit none of the ways to mask; help: keep zero padding in the tensor itself, zero-pad one axis only, or pad with #
      .fetch<i8, m<A.pad_zero(32), B.pad_zero(8)>, m<C.pad_zero(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B, C>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A, B>, m<C.pad_zero(32)>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B, C>{});
REFUSED(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, m<A.pad_zero(32), B.pad_zero(8)>{}, C.pad_zero(32)));
}  // namespace fetch_mask_impossible

// # fetch-mask-in-sub
// Zero padding in Time or Packet asks for the masking registers, unless the tensor has zero padding at the same places already. Only the
// main context has such registers.
//
// Let the tensor be zero-padded in DM, so that the fetch finds the zeros there; or promise less, with `#`. What Collect adds to fill the
// last flit is zero in any case.
namespace fetch_mask_in_sub {
TCP_AXES(A = 63);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.sub
      .begin(in.view())
      // error[fetch-mask-in-sub]: Time m![1] and Packet m![A #z 64] promise zeros that m![A] does not hold; help: keep zero padding in the tensor itself, pad with #, or fetch in the main context
      .fetch<i8, m<1>, m<A.pad_zero(64)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<1>, m<A.pad_zero(64)>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow sub{.context = Tu::Sub};
REFUSED(check_fetch(rngd, sub, ScalarType::i8, tensor, ScalarType::i8, one, A.pad_zero(64)));
}  // namespace fetch_mask_in_sub

// # fetch-mask-no-zero
// Masking is the adapter's first stage: what it puts into the padding goes through the table, the cast and the zero point like any
// element. For the result to be zero there must be a stored value that becomes zero: the zero point itself, or the index of a zero entry.
// Two tensors with different zero points have no such value in common.
namespace fetch_mask_no_zero {
constexpr const char* before = R"(
axes A = 30, I = 2
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
dm z: i32 Cluster[1 # 2] Slice[1 # 256] Element[I, A # 32] at 8192
main.begin_interleaved(I, x, y)
  .fetch(zero_points: (100, -100)) i32 Time[I] Packet[A #z 32]
  .collect Time[I, A #z 32 / 8] Packet[A #z 32 % 8]
  .commit(z)
)";
constexpr const char* after = R"(
axes A = 30, I = 2
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
dm z: i32 Cluster[1 # 2] Slice[1 # 256] Element[I, A # 32] at 8192
main.begin_interleaved(I, x, y)
  .fetch(zero_points: (100, -100)) i32 Time[I] Packet[A # 32]
  .collect Time[I, A # 32 / 8] Packet[A # 32 % 8]
  .commit(z)
)";
// error[fetch-mask-no-zero]: zero padding in Time m![I] or Packet m![A #z 32], and no stored value becomes zero for both zero points; help: use one zero point for both tensors, or pad with #
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 30, I = 2);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 2, .zero_point = {100, -100}, .interleaved = Name("I")};
REFUSED(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, I, A.pad_zero(32)));
}  // namespace fetch_mask_no_zero

// # fetch-no-such-cast
// The fetch adapter widens what was stored: `i4` to `i5` and `i32`, `i8` to `i9` and `i32`, `i16` to `i32`, the 8-bit floats, `f16` and
// `bf16` to `f32`; it narrows `f32` to `bf16`. RNGD-S has four casts more. Any type can be fetched as itself.
//
// Other conversions have other places: between `i32` and `f32` the Vector Engine converts by fixed point, and the Cast Engine narrows
// results.
namespace fetch_no_such_cast {
TCP_AXES(A = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-no-such-cast]: the fetch adapter has no cast from i8 to f32; help: fetch i8 as i8 or i9 or i32
      .fetch<f32, m<1>, m<A>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) { return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A>>(); }
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
REFUSED(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::f32, one, A));
}  // namespace fetch_no_such_cast

// # fetch-packet-not-aligned
// A fetch makes packets of 8, 16, 24, … bytes, measured in the type of the stream: rows of DM are 8 bytes wide, and the sequencer reads
// whole rows.
//
// Pad the packet. The padding is read along with the data, from whatever is after it, and means nothing: `#` marks it as undefined.
namespace fetch_packet_not_aligned {
TCP_AXES(A = 3, C = 2);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, C>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-packet-not-aligned]: Packet m![C] of i8 is 2 bytes; a fetch makes packets of a multiple of 8 bytes; help: pad it: C # 8
      .fetch<i8, m<A>, m<C>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, C>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A>, m<C.pad(8)>>();
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, C>{});
REFUSED(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, A, C));
}  // namespace fetch_packet_not_aligned

// # fetch-sub-run-too-short
// The sub context fetches exactly 8 bytes at once (4 when it widens `i4` to `i32`). They must be neighbours in memory and belong to one
// packet.
//
// Here a packet takes every fourth byte. Give the axis that is contiguous in memory to the packet, or fetch in the main context, which can
// fetch single bytes.
namespace fetch_sub_run_too_short {
TCP_AXES(A = 8, B = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.sub
      .begin(in.view())
      // error[fetch-sub-run-too-short]: the sub context fetches 8 bytes at once; packets of 8 elements of i8 are in runs of 1, so that 1 comes at once; help: make the innermost factors of Element and Packet agree on 8 bytes, or fetch in the main context
      .fetch<i8, m<B>, m<A>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) { return ctx.main.begin(in.view()).fetch<i8, m<B>, m<A>>(); }
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B>{});
constexpr FetchHow sub{.context = Tu::Sub};
REFUSED(check_fetch(rngd, sub, ScalarType::i8, tensor, ScalarType::i8, B, A));
}  // namespace fetch_sub_run_too_short

// # fetch-table-and-zero-point
// The adapter looks up first and subtracts afterwards, so a zero point would be subtracted from the table's output, and no longer from the
// stored value that it was measured for. The table can do both: put `f(x - zero point)` into its entries.
namespace fetch_table_and_zero_point {
constexpr const char* before = R"(
axes A = 32
table half: i4 -> i8 (0, 1, 2, 3, 4, 5, 6, 7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff)
dm x: i4 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch(table: half, zero_points: (1)) i32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 32
table half: i4 -> i8 (0, 1, 2, 3, 4, 5, 6, 7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff)
dm x: i4 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
main.begin(x)
  .fetch(zero_points: (1)) i32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
// error[fetch-table-and-zero-point]: a table and a zero point are asked for in one fetch; help: put the subtraction into the table's entries
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow both{.with_table = true, .zero_points = 1, .zero_point = {10}};
REFUSED(check_fetch(rngd, both, ScalarType::i8, tensor, ScalarType::i32, one, A));
}  // namespace fetch_table_and_zero_point

// # fetch-table-in-sub
// Lookup tables belong to the fetch adapter of the main context. The adapter of the sub context casts, subtracts zero points and joins
// fetches to packets.
namespace fetch_table_in_sub {
TCP_AXES(A = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in, const LookupTable<i8, i8>& gelu) {
  return ctx.sub
      .begin(in.view())
      // error[fetch-table-in-sub]: the sub context has no lookup table; help: fetch with the table in the main context
      .fetch_with_table<i8, m<1>, m<A>>(gelu);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in, const LookupTable<i8, i8>& gelu) {
  return ctx.main.begin(in.view()).fetch_with_table<i8, m<1>, m<A>>(gelu);
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow with_table{.context = Tu::Sub, .with_table = true};
REFUSED(check_fetch(rngd, with_table, ScalarType::i8, tensor, ScalarType::i8, one, A));
}  // namespace fetch_table_in_sub

// # fetch-table-index
// A table has 16 or 256 entries, and is indexed by the unsigned value of a 4-bit or 8-bit element. It must be made for the type that is
// stored.
namespace fetch_table_index {
TCP_AXES(A = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i16, Chip, Cluster, Idle, m<A>>& in, const LookupTable<i16, i16>& gelu) {
  return ctx.main
      .begin(in.view())
      // error[fetch-table-index]: a table from i16 to i16 cannot be indexed by i16; help: use a table made for a type of at most 8 bits
      .fetch_with_table<i16, m<1>, m<A>>(gelu);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in, const LookupTable<i8, i16>& gelu) {
  return ctx.main.begin(in.view()).fetch_with_table<i16, m<1>, m<A>>(gelu);
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow with_table{.with_table = true, .table = {ScalarType::i16, ScalarType::i16}};
REFUSED(check_fetch(rngd, with_table, ScalarType::i16, tensor, ScalarType::i16, one, A));
}  // namespace fetch_table_index

// # fetch-type-not-in-memory
// `i5` and `i9` hold the difference of two quantised values. They exist between the fetch adapter, which subtracts the zero point, and the
// contraction; memory holds `i4` and `i8`.
namespace fetch_type_not_in_memory {
TCP_AXES(A = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i9, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-type-not-in-memory]: there are no tensors of i9 in DM; help: store i8 and let the fetch widen it
      .fetch<i9, m<1>, m<A>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) { return ctx.main.begin(in.view()).fetch<i9, m<1>, m<A>>(); }
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
REFUSED(check_fetch(rngd, {}, ScalarType::i9, tensor, ScalarType::i9, one, A));
}  // namespace fetch_type_not_in_memory

// # fetch-zero-moved
// Zero padding promises zeros. A zero point, or a table whose entry 0 is not zero, would turn them into something else. In Time and Packet
// the fetch masks them again; in Slice, Cluster and Chip it cannot.
//
// Padding of whole slices is idle anyway: declare it with `#`, which promises nothing.
namespace fetch_zero_moved {
constexpr const char* before = R"(
axes A = 32, P = 61
dm x: i8 Cluster[1 # 2] Slice[P #z 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[P #z 256] Element[A] at 4096
main.begin(x)
  .fetch(zero_points: (10)) i32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 32, P = 61
dm x: i8 Cluster[1 # 2] Slice[P # 256] Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[P # 256] Element[A] at 4096
main.begin(x)
  .fetch(zero_points: (10)) i32 Time[1] Packet[A]
  .collect Time[A / 8] Packet[A % 8]
  .commit(y)
)";
// error[fetch-zero-moved]: Slice = m![P #z 256] promises zeros, which the zero point would turn into something else; help: declare the padding of Slice with # from the start
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 32, P = 61);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, P.pad_zero(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 1, .zero_point = {10}};
REFUSED(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, one, A));
}  // namespace fetch_zero_moved

// # fetch-zero-point-type
// The zero point is subtracted while the element becomes wider: `i4` to `i5` or `i32`, `i8` to `i9` or `i32`, `i16` to `i32`. In the
// stored type the difference would not fit.
namespace fetch_zero_point_type {
TCP_AXES(A = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-zero-point-type]: a zero point is subtracted from i8, and the stream is i8 as well; help: fetch as i9 or i32
      .fetch_with_zero_point<i8, m<1>, m<A>>(10);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view()).fetch_with_zero_point<i32, m<1>, m<A>>(10);
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 1, .zero_point = {10}};
REFUSED(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i8, one, A));
}  // namespace fetch_zero_point_type

// # fetch-zero-points-not-interleaved
// Two zero points belong to two tensors that are fetched in turn (`begin_interleaved`), one each. A tensor that is fetched by itself has
// one zero point.
namespace fetch_zero_points_not_interleaved {
TCP_AXES(A = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main
      .begin(in.view())
      // error[fetch-zero-points-not-interleaved]: 2 zero points for one tensor; help: use fetch_with_zero_point, or begin_interleaved and a zero point for each of the two
      .fetch_with_zero_points<i32, m<1>, m<A>>({10, -10});
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view()).fetch_with_zero_point<i32, m<1>, m<A>>(10);
}
#endif
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 2, .zero_point = {10, -10}};
REFUSED(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, one, A));
}  // namespace fetch_zero_points_not_interleaved
