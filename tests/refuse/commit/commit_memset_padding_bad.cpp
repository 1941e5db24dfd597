// A `memset` of a tensor writes every word of it, padding included. Padding of kind zero is a promise on which contractions rely.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(A = 6);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_memset_word(A.pad_zero(8), 1)); }
#else
REFUSED_AT_RUN_TIME { return check_memset_word(A.pad_zero(8), 1).refusal(); }
#endif
