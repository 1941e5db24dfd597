// Collect does not choose which elements travel together: a flit is the next 32 bytes of the packet, padded at its end. Here the packet is J and a flit is
// `J % 16`, neighbouring elements; `J / 4` takes every fourth.
//
// Use the fetch before it, or the Switch Engine, to bring elements into another order.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, J = 64);

template <class Time, class Packet>
constexpr Verdict collect() {
  return verdict(check_collect(target, ScalarType::bf16, m<A>{}, m<J>{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(collect<m<A, J % 4>, m<J / 4>>()); }
#else
REFUSED_AT_RUN_TIME { return collect<m<A, J % 4>, m<J / 4>>().refusal(); }
#endif
