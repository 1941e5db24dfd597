// The number behind an operator is a count of positions: blocks of 0 do not exist, nor does a size of 0. Only a start (`@`) and padding in
// front (`#<`) may be 0.
//
// Often the number was computed, and the division that made it rounded down to 0.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A / 0>;
#else
REFUSED_AT_RUN_TIME { return group(A / 0).mapping().refusal(); }
#endif
