// Every ALU of the Vector Engine is 32 bits wide and works on i32 or f32. Narrower data is widened while it is fetched, or by the Contraction
// Engine, whose results are i32 or f32.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vector_init(rngd, ScalarType::bf16, A % 16))); }
#else
REFUSED_AT_RUN_TIME { return check_vector_init(rngd, ScalarType::bf16, A % 16).refusal(); }
#endif
