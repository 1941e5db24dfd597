// An axis has at least one position. A tensor with an axis of size 0 has no elements, and nothing about it can be laid out or moved.
//
// Often the size was computed, as `K / 64` for a K below 64. An axis that is not used is left out of the mapping rather than given size 0.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 0);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A>;
#else
REFUSED_AT_RUN_TIME { return Expr(A).mapping().refusal(); }
#endif
