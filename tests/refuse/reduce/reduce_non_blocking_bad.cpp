// The book says that the intra-slice reduce has a mode in which results go to an intermediate buffer, and says no more about it. We do not guess:
// only the blocking mode can be used.
#include "refuse_test.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

static constexpr auto checked() { return check_reduce_mode(ReduceMode::NonBlocking); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
