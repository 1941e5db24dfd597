// `E % n` counts the positions inside one block of n, so E must be a whole number of blocks: n divides the size of E. An axis of 61 has no
// whole number of blocks of 4.
//
// Pad the axis to whole blocks first, and use the same padding on both sides of the cut: `D # 64 / 16, D # 64 % 16` is `D # 64`. If only
// the first n positions are wanted, and no blocks, `=` keeps them: `D = 4`. In C++: `D.pad(64) % 4`, `D.resize(4)`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(D = 61);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<D % 4>;
#else
REFUSED_AT_RUN_TIME { return Expr(D % 4).mapping().refusal(); }
#endif
