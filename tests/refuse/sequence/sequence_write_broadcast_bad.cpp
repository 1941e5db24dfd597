// A read may repeat elements: an axis that the buffer does not have is read with stride 0. Backwards this has no meaning. A stream that brings every element
// four times would write four values into one position, and which of them stays would depend on the order of the walk.
//
// Drop the repeated factor from the stream, or reduce over it before the write.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, T = 4);

template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(write<m<A>, m<T, A>, m<1>>()); }
#else
REFUSED_AT_RUN_TIME { return write<m<A>, m<T, A>, m<1>>().refusal(); }
#endif
