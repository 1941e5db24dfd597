// A window `$(N, F:2)` is one run of positions that is counted by several axes at once: position = n + 2f. Most of its positions belong to
// several pairs of n and f, so a block of them is no factor, and `/` and `%` have nothing to count.
//
// In a stream a window is taken apart by the axes of the filter instead: `F`, or blocks of it, in Time, where the fetch walks the window
// once for each step of F.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(N = 5, F = 3);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<slide(N, F.by(2)) / 3>;
#else
REFUSED_AT_RUN_TIME { return Expr(slide(N, F.by(2)) / 3).mapping().refusal(); }
#endif
