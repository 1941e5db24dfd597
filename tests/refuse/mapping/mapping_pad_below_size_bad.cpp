// `E # n` pads E **to** n positions; it does not add n positions, and it never shortens. Eight positions cannot be padded to four.
//
// To shorten, write `=`: `A = 4`, in C++ `A.resize(4)`. To add padding behind, count what is there already: `A # 12` adds four. To add
// padding in front of an axis there is `#<`, which does count what it adds.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A.pad(4)>;
#else
REFUSED_AT_RUN_TIME { return Expr(A.pad(4)).mapping().refusal(); }
#endif
