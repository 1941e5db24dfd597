// Axes are told apart by their names alone. A buffer whose axis A has 8 positions and a stream whose axis A has 9 cannot speak of the same tensor; most often two
// kernels declared an axis of one name, each for itself.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 64);

namespace other {
TCP_AXES(A = 9);
}

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A, B>, m<other::A>, m<B>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A, B>, m<other::A>, m<B>>().refusal(); }
#endif
