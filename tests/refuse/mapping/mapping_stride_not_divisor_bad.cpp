// `E / n` counts blocks of n positions, so there must be a whole number of blocks: n divides the size of E. An axis of 61 has no whole
// number of blocks of 4.
//
// Pad the axis to whole blocks first. The last block then overshoots the axis, and what lies beyond its end is padding: `D # 64 / 4` counts
// 16 blocks. In C++: `D.pad(64) / 4`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(D = 61);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<D / 4>;
#else
REFUSED_AT_RUN_TIME { return Expr(D / 4).mapping().refusal(); }
#endif
