// A write gives every live position of its tensor exactly one element; afterwards the tensor holds what its type says. Here the stream brings the first three of
// four blocks of A, and the last block would keep what lay there before.
//
// To write a part of a tensor, take a view of that part (`tile`) and write into the view.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 16);

template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(write<m<A>, m<(A / 4).resize(3)>, m<A % 4>>()); }
#else
REFUSED_AT_RUN_TIME { return write<m<A>, m<(A / 4).resize(3)>, m<A % 4>>().refusal(); }
#endif
