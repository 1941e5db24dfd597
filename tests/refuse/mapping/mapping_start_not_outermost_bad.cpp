// Padding in front of an axis is a start below 0: all coordinates are counted from there. If another factor of the same axis has been
// padded at the end of the axis, that padding would move into the axis and come alive. Here `A # 8 / 4` ends at A = 6, and the padding in
// front of the other factor would push two more elements into view.
//
// Put the padding in front of the whole axis before you cut it, and use the two sides of that cut: with `A #< 2 # 8`, write `A #< 2 # 8 /
// 4` and `A #< 2 # 8 % 4`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 6);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A.pad(8) / 4, A.pad_left(2).resize(4)>;
#else
REFUSED_AT_RUN_TIME { return group(A.pad(8) / 4, A.pad_left(2).resize(4)).mapping().refusal(); }
#endif
