// `vector_concat` joins two packets of four lanes that follow each other, the inverse of `vector_split`. It needs an innermost factor of Time
// that falls into twos.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512, B = 3);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_concat(rngd, B, A % 4, Mapping{}, A % 8))); }
#else
REFUSED_AT_RUN_TIME { return check_concat(rngd, B, A % 4, Mapping{}, A % 8).refusal(); }
#endif
