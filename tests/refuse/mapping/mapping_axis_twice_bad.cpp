// Each step of an axis may be counted by one factor only. In `A, A / 2` both factors move along the same steps: position (3, 1) would be
// element 3 + 2 of A, and so would (5, 0). Then a position no longer says which element it holds, and an element not where it lies.
//
// The factors of one axis must follow on each other: `A / 2` counts blocks of two, `A % 2` inside of them, and the two together, in any
// order and with other axes between them, count A once. If you wanted the data twice, a bare number makes copies: `2, A`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A, A / 2>;
#else
REFUSED_AT_RUN_TIME { return group(A, A / 2).mapping().refusal(); }
#endif
