// `E @ k` reads E from its position k on, by moving the start of an axis. So it needs an expression over exactly one axis. Of `A, B` it
// would not be clear which axis starts later; a bare number has no axis; and `B = 1` has none any more, because one position is counted by
// nothing.
//
// Put `@` right behind the axis: `A @ 3, B`, or `B @ 5 = 1` for the one element B = 5. In C++: `B.from(5).resize(1)`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8, B = 512);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<group(A, B).from(3)>;
#else
REFUSED_AT_RUN_TIME { return group(group(A, B).from(3)).mapping().refusal(); }
#endif
