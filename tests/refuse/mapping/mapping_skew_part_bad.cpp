// `skew(B, A)` is the axis B turned by A: at step b' of row a it holds B = (b' + a) mod the size of B. So B is a whole axis, and A another
// one.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse("A, skew(B, B)", *parse_axes("A = 8, B = 512")))); }
#else
REFUSED_AT_RUN_TIME { return parse("A, skew(B, B)", *parse_axes("A = 8, B = 512")).refusal(); }
#endif
