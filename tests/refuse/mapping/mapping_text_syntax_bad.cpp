// A mapping in the text form is a comma list of axes, numbers and groups, each followed by any number of operators, and behind each
// operator stands a whole number:
//
//     A / 8 # 256, [B, C] % 32, 1 # 2
//
// All operators bind equally, from left to right, and tighter than the comma. `[ ]` and `( )` group, `{ Name }` splices a mapping that was
// named before, `$(W:2, Fw)` is a window.
#include "refuse_test.hpp"
#include "tcp/mapping/parse.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(parse("A / , B", *parse_axes("A = 8, B = 512")))); }
#else
REFUSED_AT_RUN_TIME { return parse("A / , B", *parse_axes("A = 8, B = 512")).refusal(); }
#endif
