// The fetch subtracts zero points from quantised integers: `i4` (giving `i5`), `i8` (giving `i9`), `i16`, each also into `i32`. Other types
// have none: `i5` and `i9` are already the difference, `i32` is subtracted from in the Vector Engine (`SubFxp`), and floating-point numbers
// are not quantised this way.
#include "refuse_test.hpp"
#include "tcp/scalar/zero_point.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(zero_point(ScalarType::bf16, 3).refusal())); }
#else
REFUSED_AT_RUN_TIME { return zero_point(ScalarType::bf16, 3).refusal(); }
#endif
