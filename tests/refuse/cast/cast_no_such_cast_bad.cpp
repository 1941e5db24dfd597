// The Cast Engine narrows what the engines before it make: `i32` to `i4`, `i8` and `i16`, `f32` to `f8e5m2`, `f8e4m3`, `f16` and `bf16`. It never
// widens, and it does not change integers into floating-point numbers; the Vector Engine's `vector_fp_to_fxp` does.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/cast.hpp"

using namespace tcp;

TCP_AXES(A = 8);

static constexpr auto checked() { return check_cast(target, ScalarType::f32, ScalarType::i8, A, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
