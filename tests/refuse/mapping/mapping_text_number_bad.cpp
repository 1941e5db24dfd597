// Numbers in a mapping are counts of positions and must fit into a signed 64-bit number.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse("A # 9223372036854775808", *parse_axes("A = 8, B = 512")))); }
#else
REFUSED_AT_RUN_TIME { return parse("A # 9223372036854775808", *parse_axes("A = 8, B = 512")).refusal(); }
#endif
