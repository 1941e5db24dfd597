// A window `$(H:2, F)` stores the elements of several windows once, so one position belongs to several elements: position 2 is H = 1, F = 0 as well as H = 0, F = 2. To
// read it is what windows are for. To write it would ask which of these elements shall stay.
//
// Write the tensor by the axis that it has in memory, and read it as a window afterwards.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(H = 5, F = 3);

template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(write<m<slide(H.by(2), F)>, m<H>, m<F>>()); }
#else
REFUSED_AT_RUN_TIME { return write<m<slide(H.by(2), F)>, m<H>, m<F>>().refusal(); }
#endif
