// The multipliers of the Contraction Engine take `i4`, `i8`, `f8e4m3`, `f8e5m2` and `bf16`, and `i5` and `i9`, which the fetch makes
// of `i4` and `i8` less a zero point. Everything else is refused, in the stream and in the TRF: 32-bit numbers are what the engine
// puts out.
//
// Cast to `bf16` before: in the fetch (`fetch<bf16, …>`), or when the tensor is committed. Products of 32-bit numbers are the Vector
// Engine's business.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

static constexpr Verdict mistake() { return check_operand_types(ScalarType::f32, ScalarType::bf16); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
