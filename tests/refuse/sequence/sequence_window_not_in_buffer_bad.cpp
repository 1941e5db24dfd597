// A window `$(H:2, F)` in a stream is read from a buffer that holds the same window: its places are stored once, and those that overlap are read several times. The
// members must move in the buffer by the same measure as in the stream. Here the buffer's window moves one place for each H, the stream's two.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(H = 5, F = 3);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<slide(H, F)>, m<1>, m<slide(H.by(2), F)>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<slide(H, F)>, m<1>, m<slide(H.by(2), F)>>().refusal(); }
#endif
