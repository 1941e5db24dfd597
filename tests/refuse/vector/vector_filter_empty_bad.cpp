// A filter names the execution ids whose lanes stay, 0 to 15. With none nothing would come out.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 64);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_filter(rngd, OperandGuard{0}, A / 8, A % 8, A / 8, A % 8))); }
#else
REFUSED_AT_RUN_TIME { return check_filter(rngd, OperandGuard{0}, A / 8, A % 8, A / 8, A % 8).refusal(); }
#endif
