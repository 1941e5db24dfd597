// A program carries the numeric model it was written for: `rngd`, the chip's arithmetic, or `ieee`.
//
// In `rngd` subnormal numbers of f32 and bf16 become zero, as operands and as results; in `ieee` they are kept. Everything else is equal,
// so that `ieee` serves to compare with a host library, and `rngd` (the default) to know what the chip computes.
#include "refuse_test.hpp"
#include "tcp/scalar/numeric_model.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(parse_numeric_model("fast").refusal())); }
#else
REFUSED_AT_RUN_TIME { return parse_numeric_model("fast").refusal(); }
#endif
