// A read may run over the end of a row: `C # 32` reads three elements of C and then 29 positions of whatever lies behind them, which no one looks at. A write of
// the same packet would destroy what lies behind. So the padding of a written stream must fall into padding of the tensor itself, here five positions a row.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, C = 3);

template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(write<m<A, C.pad(8)>, m<A>, m<C.pad(32)>>()); }
#else
REFUSED_AT_RUN_TIME { return write<m<A, C.pad(8)>, m<A>, m<C.pad(32)>>().refusal(); }
#endif
