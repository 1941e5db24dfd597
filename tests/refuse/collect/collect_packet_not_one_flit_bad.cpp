// Collect is where packets of any size become flits of 32 bytes, which is what all engines behind it take. It pads the packet to whole flits, keeps the elements of
// one flit in Packet, and appends the flits of a packet to Time as its innermost factor. A Packet of 32 bf16 is two flits.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, J = 64);

template <class Time, class Packet>
constexpr Verdict collect() {
  return verdict(check_collect(target, ScalarType::bf16, m<A>{}, m<J>{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(collect<m<A, J / 32>, m<J % 32>>()); }
#else
REFUSED_AT_RUN_TIME { return collect<m<A, J / 32>, m<J % 32>>().refusal(); }
#endif
