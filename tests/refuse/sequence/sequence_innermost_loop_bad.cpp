// A base packet of several elements is one access. Its elements must be neighbours in memory (innermost stride 1) or one and the same element (stride 0), and the
// innermost loop must be a whole number of base packets. With any other stride elements are moved one by one.
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
void mistake() { TCP_REFUSE(check_base_packet(target, ScalarType::i8, rows_of(96, 3), 8)); }
#else
REFUSED_AT_RUN_TIME { return check_base_packet(target, ScalarType::i8, rows_of(96, 3), 8).refusal(); }
#endif
