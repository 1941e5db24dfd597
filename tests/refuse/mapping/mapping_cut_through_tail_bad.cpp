// A group can be padded to any number of positions, also to one that is no multiple of its inner factors: `[X, Y, Z] # 32` for 2 * 3 * 5 =
// 30 positions. The two positions at the end belong to no step of X, so there is no even way to cut such a group into blocks.
//
// Cut first and pad then, or pad a factor inside the group so that all is whole steps of it: `[X # 4, Y, Z]` has 60 positions and can be
// cut after every 15.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(X = 2, Y = 3, Z = 5);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<group(X, Y, Z).pad(32) / 4>;
#else
REFUSED_AT_RUN_TIME { return group(group(X, Y, Z).pad(32) / 4).mapping().refusal(); }
#endif
