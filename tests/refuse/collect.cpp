// Collect cuts the packets of a fetch into flits of 32 bytes, the unit in which all engines after it work.
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

// # collect-packet-not-cut
// Collect cuts a packet after every 32 bytes, and the cut must fall between two steps of a factor, or into padding. 3 rows of 10 bf16 are 30 elements; a flit of 16
// would end inside the second row, and no mapping says what such a flit holds.
//
// Pad the inner factor so that rows and flits meet: `C # 16`.
namespace collect_packet_not_cut {
TCP_AXES(A = 8, B = 3, C = 10);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B, C>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<A>, m<B, C.pad(12)>>()
      // error[collect-packet-not-cut]: Packet m![B, C # 12] of bf16 is 36 elements, and cannot be cut into flits of 16; help: pad the inner factors so that 16 elements fall on a border
      .collect<m<A>, m<B, C.pad(12)>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B, C>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A, B>, m<C.pad(12)>>().collect<m<A, B>, m<C.pad(16)>>();
}
#endif
// error[collect-packet-not-cut]: Packet m![B, C] of bf16 is 30 elements, and cannot be cut into flits of 16; help: pad the inner factors so that 16 elements fall on a border
REFUSED(collected(target, ScalarType::bf16, m<A>{}, m<B, C>{}));
}  // namespace collect_packet_not_cut

// # collect-packet-not-one-flit
// Collect is where packets of any size become flits of 32 bytes, which is what all engines after it take. It pads the packet to whole flits, keeps the elements of
// one flit in Packet, and appends the flits of a packet to Time as its innermost factor. A Packet of 32 bf16 is two flits.
namespace collect_packet_not_one_flit {
TCP_AXES(A = 8, J = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, J>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<A>, m<J>>()
      // error[collect-packet-not-one-flit]: Packet m![J % 32] of bf16 is 64 bytes; collect makes flits of 32 bytes; help: write Packet = m![J % 16], Time = m![A, J / 16]
      .collect<m<A, J / 32>, m<J % 32>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, J>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A>, m<J>>().collect<m<A, J / 16>, m<J % 16>>();
}
#endif
template <class Time, class Packet>
constexpr Verdict collect() {
  return verdict(check_collect(target, ScalarType::bf16, m<A>{}, m<J>{}, Time{}, Packet{}));
}
REFUSED(collect<m<A, J / 32>, m<J % 32>>());
}  // namespace collect_packet_not_one_flit

// # collect-wrong-packet
// Collect does not choose which elements travel together: a flit is the next 32 bytes of the packet, padded at its end. Here the packet is J and a flit is
// `J % 16`, neighbouring elements; `J / 4` takes every fourth.
//
// Use the fetch before it, or the Switch Engine, to bring elements into another order.
namespace collect_wrong_packet {
TCP_AXES(A = 8, J = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, J>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<A>, m<J>>()
      // error[collect-wrong-packet]: Packet m![J / 4] is not the flit that collect makes of m![J] of bf16; help: write Packet = m![J % 16]
      .collect<m<A, J % 4>, m<J / 4>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, J>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A>, m<J>>().collect<m<A, J / 16>, m<J % 16>>();
}
#endif
template <class Time, class Packet>
constexpr Verdict collect() {
  return verdict(check_collect(target, ScalarType::bf16, m<A>{}, m<J>{}, Time{}, Packet{}));
}
REFUSED(collect<m<A, J % 4>, m<J / 4>>());
}  // namespace collect_wrong_packet

// # collect-wrong-time
// The flits of a packet follow each other: they become the innermost factor of Time. Collect does not reorder time steps; the fetch does, or the Switch Engine.
namespace collect_wrong_time {
TCP_AXES(A = 8, J = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, J>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<A>, m<J>>()
      // error[collect-wrong-time]: Time m![J / 16, A] is not what collect makes of Time m![A] and Packet m![J] of bf16; help: write Time = m![A, J / 16]
      .collect<m<J / 16, A>, m<J % 16>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, J>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A>, m<J>>().collect<m<A, J / 16>, m<J % 16>>();
}
#endif
template <class Time, class Packet>
constexpr Verdict collect() {
  return verdict(check_collect(target, ScalarType::bf16, m<A>{}, m<J>{}, Time{}, Packet{}));
}
REFUSED(collect<m<J / 16, A>, m<J % 16>>());
}  // namespace collect_wrong_time
