// How much a filter keeps is known only when it runs. The author declares an upper bound as Time; it cannot be more than what comes in.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 64, K = 128);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_filter(rngd, OperandGuard::id(1), A / 8, A % 8, K / 8, K % 8))); }
#else
REFUSED_AT_RUN_TIME { return check_filter(rngd, OperandGuard::id(1), A / 8, A % 8, K / 8, K % 8).refusal(); }
#endif
