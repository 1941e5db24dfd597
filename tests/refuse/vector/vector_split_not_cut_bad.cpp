// `vector_split` makes two packets of four lanes of one of eight. The border between lanes 3 and 4 must be a border of the mapping too: four
// lanes of `[A, B] # 8` with 2 times 3 elements would end in the middle of a row of B.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 2, B = 3);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_split(rngd, Mapping{}, group(A, B).pad(8), Mapping{}, A))); }
#else
REFUSED_AT_RUN_TIME { return check_split(rngd, Mapping{}, group(A, B).pad(8), Mapping{}, A).refusal(); }
#endif
