// `[A, B] # 16` for A of 3 and B of 5 pads a group to a size that is no multiple of its inner factor, so its 16 positions are not "so many rows of five". A
// sequencer walks such a group as one run of 16 elements, which is right only if its 15 live elements lie in the buffer one after another. Here each row of B is
// padded to 8 in the buffer.
//
// Pad the outer axis inside the group instead, `A # 4, B`, or keep the group together in the buffer.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 3, B = 5);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A, B.pad(8)>, m<1>, m<group(A, B).pad(16)>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A, B.pad(8)>, m<1>, m<group(A, B).pad(16)>>().refusal(); }
#endif
