// One access moves 1, 2, 4, 8, 16 or 32 neighbouring bytes. Two elements of i4 share a byte; if the elements of a packet do not lie side by side in memory, an
// access would have to move half a byte.
//
// Put the elements that follow each other in the packet next to each other in memory.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::i4, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A, B>, m<B>, m<A>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A, B>, m<B>, m<A>>().refusal(); }
#endif
