// A window is followed by at most one of `#`, `#z` and `=`. Cut to fewer positions and then padded, it would have padding where the window
// goes on.
//
// Pad the whole window, or cut it and leave it at that.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(N = 5, F = 3);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<slide(N, F.by(2)).resize(6).pad(12)>;
#else
REFUSED_AT_RUN_TIME { return group(slide(N, F.by(2)).resize(6).pad(12)).mapping().refusal(); }
#endif
