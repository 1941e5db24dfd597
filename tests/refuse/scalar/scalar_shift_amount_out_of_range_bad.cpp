// An i32 has 32 bits. An amount that comes from a register is taken modulo 32 (the book does not say; this is our choice).
//
// An amount that is written in the kernel and lies outside 0 to 31 would silently do the same, `32` being no shift at all. That is never
// what was meant, so it is refused.
#include "refuse_test.hpp"
#include "tcp/scalar/fixed_point.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(check_shift_amount(32).refusal())); }
#else
REFUSED_AT_RUN_TIME { return check_shift_amount(32).refusal(); }
#endif
