// One loop of a sequencer counts to 65,536 and no further. A longer loop is made into two, one inside the other, if its number of rounds has a divisor that
// allows it; 65,537 is a prime, so it has none.
//
// Padding the axis to a size with small factors costs a few elements and makes the loop possible.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 2, N = 65537);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<N, A>, m<A>, m<N>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<N, A>, m<A>, m<N>>().refusal(); }
#endif
