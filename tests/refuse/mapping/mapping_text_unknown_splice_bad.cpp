// `{ Name }` puts a mapping into another one, as a group. The name must have been given to a mapping before.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse("{ Slice }, B", *parse_axes("A = 8, B = 512")))); }
#else
REFUSED_AT_RUN_TIME { return parse("{ Slice }, B", *parse_axes("A = 8, B = 512")).refusal(); }
#endif
