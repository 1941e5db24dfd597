// A sequencer is a nest of loops, each with one fixed stride. To walk a buffer in the order of a stream, the blocks in which both count an axis must divide
// each other: `A / 4` walks a buffer of `A / 2, A % 2`, because a block of four is two blocks of two. Blocks of five and blocks of three have no common block
// but the single element, so the addresses jump unevenly and no loop nest visits them, although both sides hold the same 15 elements.
//
// Use the same block sizes on both sides, or move in two steps by way of a buffer in which the axis is whole.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 15);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A % 5, A / 5>, m<1>, m<A % 3, A / 3>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A % 5, A / 5>, m<1>, m<A % 3, A / 3>>().refusal(); }
#endif
