// A filter puts the lanes that it keeps one behind the other and fills all eight lanes of a packet before it begins the next. So the packet that
// is declared for its result has no padding. What it counts is no longer the axis that came in; an axis of its own says so: `K / 8`, `K % 8`.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 64);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_filter(rngd, OperandGuard::id(1), A / 2, (A % 2).pad(8), A / 2, (A % 2).pad(8)))); }
#else
REFUSED_AT_RUN_TIME { return check_filter(rngd, OperandGuard::id(1), A / 2, (A % 2).pad(8), A / 2, (A % 2).pad(8)).refusal(); }
#endif
