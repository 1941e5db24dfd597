// A zero point is the stored value that stands for zero, so it is a value of the stored type: -8 to 7 for `i4`, -128 to 127 for `i8`,
// -32768 to 32767 for `i16`.
//
// Only then does the difference fit the type that the fetch makes of it: `i4` minus `i4` fits `i5`, `i8` minus `i8` fits `i9`. Quantisers
// that store unsigned bytes have zero points from 0 to 255: store value - 128 as `i8`, and use zero point - 128.
#include "refuse_test.hpp"
#include "tcp/scalar/zero_point.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(zero_point(ScalarType::i8, 200).refusal())); }
#else
REFUSED_AT_RUN_TIME { return zero_point(ScalarType::i8, 200).refusal(); }
#endif
