// Each number format has one name, that of its C++ type: `i4`, `i5`, `i8`, `i9`, `i16`, `i32`, `f4e2m1`, `f8e4m3`, `f8e5m2`, `f16`, `bf16`,
// `f32`.
//
// The book writes `fp16` in one place and `f16` in another, and `f8` where it means either 8-bit format. Files and text forms here know the
// canonical names only, so that a type is always spelt as the kernel spells it. Names are matched exactly: lower case, no blanks.
#include "refuse_test.hpp"
#include "tcp/scalar/format.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(parse_scalar_type("fp16").refusal())); }
#else
REFUSED_AT_RUN_TIME { return parse_scalar_type("fp16").refusal(); }
#endif
