// The Vector Engine takes one flit at a time: eight elements of 32 bits. Collect makes such packets of larger ones, and gives the rest to Time.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(N = 256);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vector_init(rngd, ScalarType::f32, N))); }
#else
REFUSED_AT_RUN_TIME { return check_vector_init(rngd, ScalarType::f32, N).refusal(); }
#endif
