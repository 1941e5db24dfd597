// The switch passes packets between the slices of a cluster, in one of a few topologies.
#include "tcp/rules/switch.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # switch-axis-known
// After a broadcast all slices of a ring hold the same. The positions are counted by a bare number, or by an axis that is new to the tensor. An axis
// that the input already counts on some level, here X in Packet, names different elements, and the copies are all alike.
namespace switch_axis_known {
TCP_AXES(A = 256, B = 64, X = 4, Y = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, X>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<X.pad(8)>>()
      // error[switch-axis-known]: axis X counts copies in Slice m![A / 32, X, A % 8], but the input counts it on another level; help: use a new axis of 4, or the bare number 4
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>, m<B, A / 8 % 4>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, X>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<X.pad(8)>>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, Y, A % 8>, m<B, A / 8 % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{}).set(Level::packet, m<X>{});
REFUSED(check_switch(target, input, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<B, A / 8 % 4>{}));
// From Time into Slice: another topology does that.
constexpr Levels in_time = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<X>{});
// error[switch-axis-known]: axis X counts copies in Slice m![A / 32, X, A % 8], but the input counts it on another level; help: to bring X from Time into Slice use InterTranspose; for copies a new axis of 4, or the bare number 4
REFUSED(check_switch(target, in_time, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<A / 8 % 4>{}));
}  // namespace switch_axis_known

// # switch-copies-not-whole
// Every slice of a ring receives the packets that are broadcast. An axis that counts these copies is new to the tensor, and names each of them: all of the
// axis, or a part of it, in one digit or in several, but without padding.
namespace switch_copies_not_whole {
TCP_AXES(A = 256, B = 64, X = 3, Y = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-copies-not-whole]: the new axis X of 3 counts copies in Slice m![A / 32, X # 4, A % 8], but not all of them; help: use an axis of exactly the number of copies, a part of one, or a bare number
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X.pad(4), A % 8>, m<B, A / 8 % 4>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, Y % 4, A % 8>, m<B, A / 8 % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X.pad(4), A % 8>{}, m<B, A / 8 % 4>{}));
}  // namespace switch_copies_not_whole

// # switch-copies-padded
// Every slice of a ring receives the packets that are broadcast. `1 # 4` names the first copy of four, and what the others hold is undefined; several copies
// and padding after them have no use: write the number of copies, or a new axis of that size.
namespace switch_copies_padded {
TCP_AXES(A = 256, B = 64, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-copies-padded]: in Slice m![A / 32, 2 # 4, A % 8] there is padding where the switch makes copies: 2 # 4; help: write 4, a new axis of 4, or 1 # 4 to name the first alone
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, Expr(m<2>{}).pad(4), A % 8>, m<B, A / 8 % 4>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, one.pad(4), A % 8>, m<B, A / 8 % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, Expr(m<2>{}).pad(4), A % 8>{},
                     m<B, A / 8 % 4>{}));
}  // namespace switch_copies_padded

// # switch-drops-data
// A custom switch can leave out a part of a factor: with Time `m![C, B % 4 = 3]` every slice takes three of its ring's four. That is allowed where
// the mapping shows it. `B = 8` of a B of 16 does not: it is the same mapping as `B % 8`, and nothing tells a wish from a slip. Then it must be said, by
// `.extraction = Extraction::Partial`.
//
// `Extraction::Whole` rejects every loss of live elements; padding may always be left out.
namespace switch_drops_data {
TCP_AXES(A = 16, B = 16, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-drops-data]: of Slice m![A, B] the steps of B / 8 are neither in Slice m![A, 16] nor all in Time, which ends in m![B % 8]; help: move whole factors to Time, or say that only a part is wanted: .extraction = Extraction::Partial
      .switch_to<SwitchConfig::CustomBroadcast{}, m<A, 16>, m<C, B % 8>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<C>, m<W>>().switch_to<SwitchConfig::CustomBroadcast{}, m<A, 16>, m<C, B>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{}, m<A, 16>{}, m<C, B % 8>{}));
}  // namespace switch_drops_data

// # switch-factor-not-cut
// A regular topology moves whole factors of Slice and Time. Where its numbers cut, a factor, or a block of one, must end: `m![A, C]` with C of 3 slices
// cannot be cut after every 2.
//
// Choose numbers that follow the factors, or pad the inner axis (`C # 4`) so that blocks of a power of two end with it.
namespace switch_factor_not_cut {
constexpr const char* before = R"(
axes A = 4, B = 64, C = 3, D = 2, W = 32
dm x: i8 Slice[A, C] Element[B, W] at 0
dm y: i8 Slice[A, C] Element[B, W] at 4096
main.begin(x)
  .fetch i8 Time[B] Packet[W]
  .switch(Transpose, slice1: 1, slice0: 2) Slice[A, C]
  .collect
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 4, B = 64, C = 3, D = 2, W = 32
dm x: i8 Slice[A, D] Element[B, W] at 0
dm y: i8 Slice[D, A] Element[B, W] at 4096
main.begin(x)
  .fetch i8 Time[B] Packet[W]
  .switch(Transpose, slice1: 4, slice0: 2) Slice[D, A]
  .collect
  .commit(y)
)";
// error[switch-factor-not-cut]: Transpose cuts Slice m![A, C] after every 2 positions, and no factor ends there; help: choose numbers at which factors of Slice, or blocks of them, end
REFUSED_AT_RUN_TIME { return checked(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after, logical); }
TCP_AXES(A = 4, B = 64, C = 3);
constexpr Levels input = Levels{}.set(Level::slice, m<A, C>{}).set(Level::time, m<B>{});
REFUSED(check_switch(logical, input, SwitchConfig::Transpose{.slice1 = 1, .slice0 = 2}, m<A, C>{}, m<B>{}));
}  // namespace switch_factor_not_cut

// # switch-factor-not-plain
// A custom switch gets a bitmap for every slice, made from factors of Slice that step evenly over the slices. A start (`@`, `#<`), a window, a skew, or
// a group that is padded as a whole to no multiple of its inner part does not step evenly.
//
// Fetch from a tile instead of writing a start, and pad the outermost axis of a group instead of the group.
namespace switch_factor_not_plain {
TCP_AXES(A = 5, B = 50, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<group(A, B).pad(256)>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-factor-not-plain]: Slice m![[A, B] # 256] has a start, a window, a skew or a group padded as a whole; a custom switch moves plain factors; help: fetch from a view instead of a start, and pad the outermost axis of a group
      .switch_to<SwitchConfig::CustomBroadcast{}, m<group(B, A).pad(256)>, m<C>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A.pad(8), (B.pad(64) / 2)>, m<C, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<C>, m<W>>().switch_to<SwitchConfig::CustomBroadcast{}, m<B.pad(64) / 2, A.pad(8)>, m<C>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<group(A, B).pad(256)>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{}, m<group(B, A).pad(256)>{}, m<C>{}));
}  // namespace switch_factor_not_plain

// # switch-incompatible-blocks
// Before and after the switch an axis may be cut into different factors, as long as the cuts of the one divide those of the other. Blocks of 2 and
// blocks of 3 have no common factor, so no bitmap made from factors says who needs whose packets.
namespace switch_incompatible_blocks {
TCP_AXES(A = 6, B = 32, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<(A / 2).pad(4), B, A % 2>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-incompatible-blocks]: Slice is to hold A in 3 steps; the input's Slice is m![A / 2 # 4, B, A % 2]; help: use the same blocks of A before and after the switch
      .switch_to<SwitchConfig::CustomBroadcast{}, m<(A % 3).pad(4), A / 3, B>, m<C>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<(A / 2).pad(4), B, A % 2>, m<C, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<C>, m<W>>().switch_to<SwitchConfig::CustomBroadcast{}, m<(A / 2).pad(4), A % 2, B>, m<C>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<(A / 2).pad(4), B, A % 2>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{}, m<(A % 3).pad(4), A / 3, B>{}, m<C>{}));
}  // namespace switch_incompatible_blocks

// # switch-moved-not-innermost
// A slice emits its own packets as they come, and those of other slices of the ring in between: what leaves Slice becomes the innermost factors of Time.
// Time after a custom switch is Time before it, padding included, and then the factors that left Slice.
//
// Only Broadcast01 can put a factor further out, with `time0`.
namespace switch_moved_not_innermost {
TCP_AXES(A = 16, B = 16, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-moved-not-innermost]: Time m![A % 2, C, B % 2] does not begin with the input's Time m![C]; help: write Time = m![C] and then the factors that leave Slice
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 32}, m<A / 2, 2, B / 2, 2>, m<A % 2, C, B % 2>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 32}, m<A / 2, 2, B / 2, 2>, m<C, A % 2, B % 2>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{.ring_size = 32}, m<A / 2, 2, B / 2, 2>{}, m<A % 2, C, B % 2>{}));
}  // namespace switch_moved_not_innermost

// # switch-moved-out-of-order
// The routers have room for one packet each. Packets of a ring arrive in the order of the slices they come from and cannot be reordered on the way, so
// the factors that leave Slice keep the order that they have there.
//
// Another order can be had by transposing Slice first, or by the order in which the result is written to DM.
namespace switch_moved_out_of_order {
TCP_AXES(A = 16, B = 16, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-moved-out-of-order]: Time ends in m![B % 2, B / 2 % 2]; in Slice m![A, B] these factors are in another order; help: keep the factors that leave Slice in the order they have there
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 4}, m<A, B / 4, 4>, m<C, B % 2, B / 2 % 2>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 4}, m<A, B / 4, 4>, m<C, B % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{.ring_size = 4}, m<A, B / 4, 4>{}, m<C, B % 2, B / 2 % 2>{}));
}  // namespace switch_moved_out_of_order

// # switch-not-from-slice
// A custom switch sends packets from slice to slice. Every factor of Slice after it that names elements must be in Slice before it; nothing comes from
// Time into Slice. InterTranspose exchanges a factor of Slice with one of Time.
namespace switch_not_from_slice {
TCP_AXES(A = 16, B = 64, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B % 16>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-not-from-slice]: Slice is to hold B / 16 in 4 steps; the input's Slice is m![A, B % 16]; help: use InterTranspose to exchange a factor of Slice with one of Time
      .switch_to<SwitchConfig::CustomBroadcast{}, m<A, B / 16, 4>, m<C>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B % 16>, m<C, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<C>, m<W>>().switch_to<SwitchConfig::CustomBroadcast{}, m<A, B % 16 / 4, 4>, m<C, B % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B % 16>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{}, m<A, B / 16, 4>{}, m<C>{}));
}  // namespace switch_not_from_slice

// # switch-not-full-cluster
// The slices of a cluster form one ring, and every slice of it has a router. A switch is set up for all 256 of them: Slice has 256 positions before the
// switch and after it.
//
// A tensor that needs fewer slices is padded in DM, `m![A # 256]`. Where a factor leaves Slice for Time, copies take its place: a bare number or a new
// axis.
namespace switch_not_full_cluster {
TCP_AXES(A = 256, B = 64, D = 128);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<1>, m<B>>()
      // error[switch-not-full-cluster]: the switch works on all 256 slices of a cluster; the declared Slice m![A / 32, A % 8] has 64; help: pad Slice to 256, or fill it with copies
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, A % 8>, m<A / 8 % 4>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<1>, m<B>>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, 4, A % 8>, m<A / 8 % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<D>{}).set(Level::time, m<B>{});
// error[switch-not-full-cluster]: the switch works on all 256 slices of a cluster; the input Slice m![D] has 128; help: pad Slice to 256, or fill it with copies
REFUSED(check_switch(target, input, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<D / 32, 4, D % 8>{}, m<B, D / 8 % 4>{}));
}  // namespace switch_not_full_cluster

// # switch-number-below-one
// `slice1`, `slice0` and `time0` are sizes of factors, and a factor has at least one position. Write 1 for a factor that is not needed:
// `Broadcast01{.slice1 = 1, .slice0 = 8, .time0 = 1}` moves only the innermost 8 positions of Slice.
namespace switch_number_below_one {
TCP_AXES(A = 256, B = 64, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-number-below-one]: Transpose with slice1 = 0, slice0 = 16, time0 = 1: each is a number of positions; help: write 1 where a factor is not needed
      .switch_to<SwitchConfig::Transpose{.slice1 = 0, .slice0 = 16}, m<A>, m<B>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Transpose{.slice1 = 16, .slice0 = 16}, m<A % 16, A / 16>, m<B>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Transpose{.slice1 = 0, .slice0 = 16}, m<A>{}, m<B>{}));
}  // namespace switch_number_below_one

// # switch-ring-not-power-of-two
// Slices exchange packets in rings of neighbours. The 256 slices of a cluster are halved, and halved again, until the rings are small enough; so a ring
// has 1, 2, 4, … or 256 slices.
//
// `CustomBroadcast{}` without a ring size takes the smallest ring that the mappings allow.
namespace switch_ring_not_power_of_two {
TCP_AXES(A = 16, B = 16, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-ring-not-power-of-two]: ring_size = 48 slices would form a ring; rings have 1, 2, 4 and so on up to 256; help: use powers of two
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 48}, m<B, A>, m<C>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<C>, m<W>>().switch_to<SwitchConfig::CustomBroadcast{.ring_size = 256}, m<B, A>, m<C>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{.ring_size = 48}, m<B, A>{}, m<C>{}));
}  // namespace switch_ring_not_power_of_two

// # switch-ring-size
// A custom switch takes `ring_size · |Time|` packet times, so the ring should be no larger than it must be, and it cannot be smaller: a slice takes
// packets of its own ring only. What it must be follows from the mappings: everything inside the outermost factors of Slice that stay where they are. Padding
// exchanges nothing: with data in slices 0 to 7 alone, the ring has 8.
//
// From `m![A, B]` to `m![A, B % 4, B / 4]` axis A stays, so 16 slices exchange packets.
namespace switch_ring_size {
TCP_AXES(A = 16, B = 16, C = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-ring-size]: ring_size = 256; from Slice m![A, B] to m![A, B % 4, B / 4] packets travel in rings of 16; help: write ring_size = 16, or leave it out
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 256}, m<A, B % 4, B / 4>, m<C>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      .switch_to<SwitchConfig::CustomBroadcast{.ring_size = 16}, m<A, B % 4, B / 4>, m<C>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{.ring_size = 256}, m<A, B % 4, B / 4>{}, m<C>{}));
}  // namespace switch_ring_size

// # switch-slice-not-divisible
// A regular topology cuts Slice into `[slice2, slice1, slice0]`. The author gives slice1 and slice0, and slice2 is what is left; so their product must
// divide the number of slices.
namespace switch_slice_not_divisible {
TCP_AXES(A = 256, B = 64, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-slice-not-divisible]: Broadcast1 takes slice1 * slice0 = 3 * 8 positions of Slice at a time, which do not divide the 256 of m![A]; help: use numbers whose product divides 256
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 3, .slice0 = 8}, m<A>, m<B>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, 4, A % 8>, m<B, A / 8 % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Broadcast1{.slice1 = 3, .slice0 = 8}, m<A>{}, m<B>{}));
}  // namespace switch_slice_not_divisible

// # switch-slice-resized
// A slice that sends packets also receives some. Slice has as many positions after the switch as before it; where a factor leaves Slice for Time, all
// slices of a ring hold the same, and a bare number or a new axis counts these copies.
//
// On a chip the size is that of the cluster (see switch-not-full-cluster). A logical device takes any size, but not two.
namespace switch_slice_resized {
constexpr const char* before = R"(
axes A = 64, B = 64, W = 32
dm x: i8 Slice[A] Element[B, W] at 0
dm y: i8 Slice[A / 4] Element[B, A % 4, W] at 65536
main.begin(x)
  .fetch i8 Time[B] Packet[W]
  .switch(CustomBroadcast) Slice[A / 4] Time[B, A % 4]
  .collect
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 64, B = 64, W = 32
dm x: i8 Slice[A] Element[B, W] at 0
dm y: i8 Slice[A / 4, 4] Element[B, A % 4, W] at 65536
main.begin(x)
  .fetch i8 Time[B] Packet[W]
  .switch(CustomBroadcast) Slice[A / 4, 4] Time[B, A % 4]
  .collect
  .commit(y)
)";
// error[switch-slice-resized]: Slice has 64 positions before the switch and 16 after it: m![A / 4]; help: write a new axis or a bare number where a factor left Slice
REFUSED_AT_RUN_TIME { return checked(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after, logical); }
TCP_AXES(A = 64, B = 64);
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(logical, input, SwitchConfig::CustomBroadcast{}, m<A / 4>{}, m<B, A % 4>{}));
}  // namespace switch_slice_resized

// # switch-time-not-divisible
// Broadcast01 cuts Time into `[time1, time0]` and InterTranspose into `[time2, time1, time0]`, where time1 has the size of slice1, whose place it takes.
// The numbers given must divide the number of time steps.
namespace switch_time_not_divisible {
TCP_AXES(A = 256, B = 64, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-time-not-divisible]: Broadcast01 takes time0 = 5 positions of Time at a time, which do not divide the 64 of m![B]; help: use numbers whose product divides 64
      .switch_to<SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 5}, m<A / 4, 4>, m<B, A % 4>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 1}, m<A / 4, 4>, m<B, A % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 5}, m<A / 4, 4>{}, m<B, A % 4>{}));
}  // namespace switch_time_not_divisible

// # switch-time-not-from-slice
// A custom switch adds to Time what left Slice. It makes no copies in time, and no padding: what is to be repeated over time is repeated by the fetch,
// which reads the same address again.
namespace switch_time_not_from_slice {
TCP_AXES(A = 16, B = 16, C = 8, X = 2, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<C>, m<W>>()
      // error[switch-time-not-from-slice]: Time m![C, X] ends in m![X], which is not all from Slice m![A, B]; help: drop copies and padding from Time, or let the fetch repeat them
      .switch_to<SwitchConfig::CustomBroadcast{}, m<A, B>, m<C, X>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A, B>, m<C, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<C>, m<W>>().switch_to<SwitchConfig::CustomBroadcast{}, m<B, A>, m<C>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
REFUSED(check_switch(target, input, SwitchConfig::CustomBroadcast{}, m<A, B>{}, m<C, X>{}));
}  // namespace switch_time_not_from_slice

// # switch-too-many-flits
// In an InterTranspose a slice sends `time0` packets in a row to the same slice, which takes one packet of each of `slice1` slices in turn. The
// others wait in the switch, which has room for 18 flits of 32 bytes: a chip hangs if there are more.
//
// Fetch Time so that the factor that goes to Slice is the innermost, and write `time0: 1`: Slice and Time come out the same.
namespace switch_too_many_flits {
TCP_AXES(A = 256, T = 2, U = 19, P = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<T, U, P>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<T, U>, m<P>>()
      // error[switch-too-many-flits]: InterTranspose with time0 = 19 sends 19 packets of 1 flit in a row to one slice, 19; the switch holds 18; help: fetch the factor that goes to Slice innermost in Time, and write time0 = 1: the same comes out
      .switch_to<SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 1, .time0 = 19}, m<A / 2, T>, m<U, A % 2>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<T, U, P>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<U, T>, m<P>>()
      .switch_to<SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 1, .time0 = 1}, m<A / 2, T>, m<U, A % 2>>();
}
#endif
REFUSED(check_consecutive_flits(target, ScalarType::i8, P, SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 1, .time0 = 19}));
}  // namespace switch_too_many_flits

// # switch-wrong-slice
// A regular topology moves factors to fixed places, so the Slice after it follows from the Slice before it. The mapping that is declared must be that
// one, but for the kinds of padding; copies may be written as a bare number or as a new axis.
namespace switch_wrong_slice {
TCP_AXES(A = 256, B = 64, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-wrong-slice]: Transpose makes Slice m![A / 64, A % 2, A / 2 % 32] of m![A]; declared is m![A]; help: write Slice = m![A / 64, A % 2, A / 2 % 32]
      .switch_to<SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, m<A>, m<B>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, m<A / 64, A % 2, A / 2 % 32>, m<B>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, m<A>{}, m<B>{}));
}  // namespace switch_wrong_slice

// # switch-wrong-time
// A regular topology moves factors to fixed places, so the Time after it follows from Slice and Time before it. Broadcast1 puts slice1 inside of
// everything else; Broadcast01 puts slice1 outside of time0 and slice0 inside.
namespace switch_wrong_time {
TCP_AXES(A = 256, B = 64, X = 4, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      // error[switch-wrong-time]: Broadcast1 makes Time m![B, A / 8 % 4] of m![B] and Slice m![A]; declared is m![A / 8 % 4, B]; help: write Time = m![B, A / 8 % 4]
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>, m<A / 8 % 4, B>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, m<A>, m<B, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B>, m<W>>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>, m<B, A / 8 % 4>>();
}
#endif
constexpr Levels input = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
REFUSED(check_switch(target, input, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<A / 8 % 4, B>{}));
}  // namespace switch_wrong_time
