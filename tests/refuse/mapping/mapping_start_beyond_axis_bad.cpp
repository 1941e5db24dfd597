// `E @ k` reads E from its position k on. A start at or behind the end of the axis leaves nothing to read.
//
// The start counts steps of the expression, not of the axis: `A / 2 @ 3` starts at A = 6.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A.from(8)>;
#else
REFUSED_AT_RUN_TIME { return group(A.from(8)).mapping().refusal(); }
#endif
