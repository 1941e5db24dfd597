// A mapping uses at most 16 axes. It is kept in a fixed room, because it is a constant of the compiler and part of types.
//
// Axes that are always used together, in the same order, can be one axis: `HW` of 196 instead of `H` of 14 and `W` of 14. Its parts are `HW
// / 14` and `HW % 14`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2);
TCP_AXES(J = 2, K = 2, L = 2, M = 2, N = 2, O = 2, P = 2, Q = 2);
}  // namespace
#if TCP_AT_COMPILE_TIME
using Layout = m<A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q>;
#else
REFUSED_AT_RUN_TIME { return group(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q).mapping().refusal(); }
#endif
