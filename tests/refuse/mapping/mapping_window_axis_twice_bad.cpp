// The members of a window move along different steps: of one position, the element must say how far each member went. With one axis in two
// members, 2w + w, only the sum would be left.
//
// Different blocks of one axis may slide together, `$(W / 3:2, W % 3)`, because they count different steps of it.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(W = 9);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<slide(W.by(2), W)>;
#else
REFUSED_AT_RUN_TIME { return group(slide(W.by(2), W)).mapping().refusal(); }
#endif
