// Positions are counted with 64-bit numbers. Time and Packet together have more, which only padding can bring about.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read<m<A>, m<one.pad(std::int64_t{1} << 40)>, m<A.pad(std::int64_t{1} << 40)>>()); }
#else
REFUSED_AT_RUN_TIME { return read<m<A>, m<one.pad(std::int64_t{1} << 40)>, m<A.pad(std::int64_t{1} << 40)>>().refusal(); }
#endif
