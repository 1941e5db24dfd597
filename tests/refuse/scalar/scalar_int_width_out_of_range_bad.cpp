// `vector_fxp_to_fp(int_width)` and `vector_fp_to_fxp(int_width)` read an i32 as fixed point with `int_width` bits before the binary point,
// beside the sign: its value is the integer divided by 2^(31 - int_width). So 31 is the plain integer, 0 a fraction in [-1, 1), and nothing
// outside 0 to 31 exists.
#include "refuse_test.hpp"
#include "tcp/scalar/fixed_point.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(check_int_width(32).refusal())); }
#else
REFUSED_AT_RUN_TIME { return check_int_width(32).refusal(); }
#endif
