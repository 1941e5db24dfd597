// A group that is padded to no multiple of its inner factors, as `[A, 3] # 7`, is kept with a tail: a remark that after these factors one
// position of padding follows. A mapping has room for four of them.
//
// Pad the outermost factor inside the group instead: `A # 3, 3` has nine positions and no tail.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<group(A, 3).pad(7), group(B, 3).pad(7), group(C, 3).pad(7), group(D, 3).pad(7), group(E, 3).pad(7)>;
#else
REFUSED_AT_RUN_TIME {
  return group(group(A, 3).pad(7), group(B, 3).pad(7), group(C, 3).pad(7), group(D, 3).pad(7), group(E, 3).pad(7)).mapping().refusal();
}
#endif
