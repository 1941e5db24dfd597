// A window slides at most eight members. A convolution needs two for each of its dimensions that slide, and each of these is better a
// window of its own: `$(H, Fh), $(W, Fw)`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<slide(A, B, C, D, E, F, G, H, I)>;
#else
REFUSED_AT_RUN_TIME { return group(slide(A, B, C, D, E, F, G, H, I)).mapping().refusal(); }
#endif
