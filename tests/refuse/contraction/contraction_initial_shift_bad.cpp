// The first packet of a window may begin a few elements before or after the first flit, zeros coming in from outside: at most 8
// bytes either way, less one element in front. These are -15 to 16 elements of 4 bits, -7 to 8 of 8 bits, -3 to 4 of 16 bits.
//
// More padding in front is the fetch's: `.pad_left(n).pad_zero(m)` in its Packet.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

static constexpr Verdict mistake() { return check_shift(ScalarType::bf16, {.initial_shift = -4}); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
