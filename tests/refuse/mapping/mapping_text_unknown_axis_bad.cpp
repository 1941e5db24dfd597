// A text form does not declare axes; it uses those that were declared beside it, with their sizes. This name is not among them: it is
// missing, or misspelt.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse("A, C / 2", *parse_axes("A = 8, B = 512")))); }
#else
REFUSED_AT_RUN_TIME { return parse("A, C / 2", *parse_axes("A = 8, B = 512")).refusal(); }
#endif
