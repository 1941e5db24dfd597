// A read may run over the end of its tensor, and brings arbitrary values from there; the padding of a packet that is longer than a row does so. It may not run over
// the end of the memory. Here the last packet of a tensor of 512 bytes at the very end of the slice reads 24 bytes too far.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8, C = 4);

template <class Buf, class Time, class Packet>
constexpr Verdict reach(std::int64_t address) {
  auto const s = sequence(target, ScalarType::i8, Buf{}, Time{}, Packet{});
  return check_reach(ScalarType::i8, s->loops, Bytes{address}, target.dm.slice_capacity);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(reach<m<A, B, C.pad(8)>, m<A, B>, m<C.pad(32)>>(524288 - 512)); }
#else
REFUSED_AT_RUN_TIME { return reach<m<A, B, C.pad(8)>, m<A, B>, m<C.pad(32)>>(524288 - 512).refusal(); }
#endif
