// Sizes are 64-bit numbers, counted in bits. A packet of 2^62 elements has more bits than that.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

constexpr Loops endless() {
  Loops loops;
  loops.packet = std::int64_t{1} << 62;
  return loops;
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(access_size(target.sequencer.base_packets, ScalarType::f32, endless()))); }
#else
REFUSED_AT_RUN_TIME { return verdict(access_size(target.sequencer.base_packets, ScalarType::f32, endless())).refusal(); }
#endif
