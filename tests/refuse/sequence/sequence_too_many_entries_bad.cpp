// A sequencer has a fixed number of loops, eight on RNGD. Every factor of the stream takes one, and one more for each place at which the buffer cuts it.
// Neighbouring loops are merged where the outer one continues the inner one, that is, where they are neighbours in memory in the same order; what is left here is
// nine loops, because the stream walks the buffer exactly backwards.
//
// Keep factors that follow each other in memory together in the stream, or rearrange in two moves.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A, B, C, D, E, F, G, H, I>, m<I, H, G, F, E, D, C, B>, m<A>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A, B, C, D, E, F, G, H, I>, m<I, H, G, F, E, D, C, B>, m<A>>().refusal(); }
#endif
