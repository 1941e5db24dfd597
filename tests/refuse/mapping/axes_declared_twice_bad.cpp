// An axis is declared once, with one size. Two declarations of one name would leave open which of the two sizes holds.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse_axes("A = 8, B = 512, A = 16"))); }
#else
REFUSED_AT_RUN_TIME { return parse_axes("A = 8, B = 512, A = 16").refusal(); }
#endif
