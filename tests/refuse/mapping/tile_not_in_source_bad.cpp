// A tile shows some steps of one dimension of a tensor, in place. The dimension is a factor of the tensor's mapping, or a block of one: of
// `A, B` it may be `A`, `B`, `B / 32`, `B % 32` or `B / 32 % 2`. Here the tensor has no such factor.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8, B = 512);
}
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(tile(m<A, B / 2>::mapping, B % 2, 1, 0))); }
#else
REFUSED_AT_RUN_TIME { return tile(m<A, B / 2>::mapping, B % 2, 1, 0).refusal(); }
#endif
