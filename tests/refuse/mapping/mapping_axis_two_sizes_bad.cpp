// Axes are told apart by their names alone, so two axes of one name must have one size. Here the names come from two places, each with its
// own idea of how large K is.
//
// Rename one of them, or declare it once and use that declaration in both places.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace mine {
TCP_AXES(K = 64);
}
namespace yours {
TCP_AXES(K = 128);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<mine::K, yours::K>;
#else
REFUSED_AT_RUN_TIME { return group(mine::K, yours::K).mapping().refusal(); }
#endif
