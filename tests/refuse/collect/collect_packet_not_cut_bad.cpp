// Collect cuts a packet after every 32 bytes, and the cut must fall between two steps of a factor, or into padding. 3 rows of 10 bf16 are 30 elements; a flit of 16
// would end inside the second row, and no mapping says what such a flit holds.
//
// Pad the inner factor so that rows and flits meet: `C # 16`.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 3, C = 10);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(collected(target, ScalarType::bf16, m<A>{}, m<B, C>{}))); }
#else
REFUSED_AT_RUN_TIME { return verdict(collected(target, ScalarType::bf16, m<A>{}, m<B, C>{})).refusal(); }
#endif
