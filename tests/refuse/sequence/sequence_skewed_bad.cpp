// A skewed axis wraps around, each time from another place: B = (B' + A) mod 4. A sequencer steps evenly and cannot wrap. Only `chip_slice` makes and understands
// skewed mappings.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 4, B = 4);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(sequence(target, ScalarType::bf16, pair(A, skew(B, A)), A, B))); }
#else
REFUSED_AT_RUN_TIME { return verdict(sequence(target, ScalarType::bf16, pair(A, skew(B, A)), A, B)).refusal(); }
#endif
