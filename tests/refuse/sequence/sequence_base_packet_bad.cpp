// A sequencer that is configured by hand moves base packets of 1, 2, 4, 8, 16 or 32 bytes. The packets of a stream may be longer: they are then moved in several
// accesses, and only the access is a base packet.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

constexpr Loops rows_of(std::int64_t n, std::int64_t stride) {
  Loops loops;
  loops.entry[loops.entries++] = {8, 1024};
  loops.entry[loops.entries++] = {n, stride};
  return loops;
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_base_packet(target, ScalarType::i8, rows_of(96, 1), 24)); }
#else
REFUSED_AT_RUN_TIME { return check_base_packet(target, ScalarType::i8, rows_of(96, 1), 24).refusal(); }
#endif
