// A tile of n steps that starts at k covers the steps k to k + n - 1 of its dimension, and all of them must exist. The start is a
// coordinate, not the number of a tile: tiles may overlap, and the last start is the number of steps minus n.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8, B = 512);
}
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(tile(m<A, B>::mapping, B / 32, 2, 15))); }
#else
REFUSED_AT_RUN_TIME { return tile(m<A, B>::mapping, B / 32, 2, 15).refusal(); }
#endif
