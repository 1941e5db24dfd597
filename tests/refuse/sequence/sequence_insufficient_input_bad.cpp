// A sequencer can only bring elements that the buffer holds. Here the buffer holds a quarter of N, the first 512 elements, and the stream asks for all
// four quarters. Such a read is refused rather than repeated four times, because the missing digit is far more often forgotten than meant.
//
// An axis that the buffer lacks *wholly* is another matter: it is a broadcast, and is read again and again with stride 0. (The book's newer reading treats both
// alike; `Absent::broadcast` selects it.)
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(N = 2048);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<N % 512>, m<N / 512>, m<N % 512>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<N % 512>, m<N / 512>, m<N % 512>>().refusal(); }
#endif
