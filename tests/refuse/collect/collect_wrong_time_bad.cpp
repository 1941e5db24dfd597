// The flits of a packet follow each other: they become the innermost factor of Time. Collect does not reorder time steps; the fetch does, or the Switch Engine.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, J = 64);

template <class Time, class Packet>
constexpr Verdict collect() {
  return verdict(check_collect(target, ScalarType::bf16, m<A>{}, m<J>{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(collect<m<J / 16, A>, m<J % 16>>()); }
#else
REFUSED_AT_RUN_TIME { return collect<m<J / 16, A>, m<J % 16>>().refusal(); }
#endif
