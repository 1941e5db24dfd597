// A stream that starts somewhere inside an axis is a walk that begins at another address: one number, the base. That works as long as the walk crosses no border of
// a block. Here the buffer holds A in blocks of four that lie 4 positions apart, element by element; starting at A = 2 the first block ends after two
// elements, and the walk would have to carry into the next one.
//
// Start at a whole block, or keep the axis whole in the buffer.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 16);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A % 4, A / 4>, m<1>, m<A.from(2).resize(4)>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A % 4, A / 4>, m<1>, m<A.from(2).resize(4)>>().refusal(); }
#endif
