// Padding in front of an axis is read from what lies before the tensor, so the walk begins that much earlier. A tensor at address 0 has nothing before it.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(B = 90);

template <class Buf, class Time, class Packet>
constexpr Verdict reach(std::int64_t address) {
  auto const s = sequence(target, ScalarType::i8, Buf{}, Time{}, Packet{});
  return check_reach(ScalarType::i8, s->loops, Bytes{address}, target.dm.slice_capacity);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(reach<m<B.pad(96)>, m<B.pad_left(2).pad_zero(96) / 32>, m<B.pad_left(2).pad_zero(96) % 32>>(0)); }
#else
REFUSED_AT_RUN_TIME { return reach<m<B.pad(96)>, m<B.pad_left(2).pad_zero(96) / 32>, m<B.pad_left(2).pad_zero(96) % 32>>(0).refusal(); }
#endif
