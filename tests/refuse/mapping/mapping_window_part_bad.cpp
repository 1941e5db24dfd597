// A window `$(W:2, Fw)` adds up steps: position = 2w + f. Each member is one factor of one axis without padding and without a start, so
// that its steps are 0, 1, 2, ...
//
// Padding belongs behind the window as a whole: `$(W:2, Fw) # 32`. Blocks of an axis may slide, as `W / 2`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(W = 9, Fw = 3);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<slide(W.pad(16).by(2), Fw)>;
#else
REFUSED_AT_RUN_TIME { return group(slide(W.pad(16).by(2), Fw)).mapping().refusal(); }
#endif
