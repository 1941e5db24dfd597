// A mapping is kept as factors, like the digits of a number, and `/`, `%` and `=` cut between two factors or between two steps of one. For
// axes X of 2 and Y of 3, `[X, Y] / 2` would cut Y after two of its three steps: every second block would hold the end of one row of Y and
// the begin of the next, which no factor counts.
//
// Going from the inside out, the number must be a multiple of each inner factor that it passes. What is left of it must divide the factor
// it falls into, unless only padding lies beyond. Cut each axis by itself, or pad the inner one so that it divides: `[X, Y # 4] / 2`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(X = 2, Y = 3);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<group(X, Y) / 2>;
#else
REFUSED_AT_RUN_TIME { return group(group(X, Y) / 2).mapping().refusal(); }
#endif
