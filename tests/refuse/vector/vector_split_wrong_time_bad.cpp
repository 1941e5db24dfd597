// `vector_split` turns `[T], [P]` into `[T, P / 4], [P % 4]`: both halves of a packet hold data, and follow each other in time.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512, B = 16);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_split(rngd, B, A % 8, B, A % 4))); }
#else
REFUSED_AT_RUN_TIME { return check_split(rngd, B, A % 8, B, A % 4).refusal(); }
#endif
