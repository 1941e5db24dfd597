// Drawings of layouts: `tcp layout` and the library functions that it calls.
#include "tcp/mapping/draw.hpp"
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

// # draw-no-such-place
// A table or a picture shows places from one on, and there must be such a place: the positions of a mapping are counted from 0 to its
// size less one, those of a tensor spread over levels in one row, the innermost level first.
//
// `tcp layout --from I` and `--limit N` choose the part; without them all of it is shown, in few lines if it is large.
// run time only: tables and pictures are texts that a running program makes
namespace draw_no_such_place {
TCP_AXES(A = 8, B = 512);
// error[draw-no-such-place]: place 5000 is not there: there are 4096; help: show from a place between 0 and 4095, and at least one
REFUSED_AT_RUN_TIME { return draw_cells(spread(group(A, B)), {.from = 5000}).refusal(); }
}  // namespace draw_no_such_place

// # draw-window-too-long
// A place of a window holds an element for every way to write it as a sum of the members' steps: in `$(W:2, Fw)` place 4 belongs to W 1 with
// Fw 2, and to W 2 with Fw 0. Tables and pictures find these ways by trying all steps of all members but the last, which then is what
// is left. With very long members that would take too long, and is refused.
//
// To see such a window, declare a shorter axis: a window looks the same at every step of its longest member.
// run time only: tables and pictures are texts that a running program makes
namespace draw_window_too_long {
TCP_AXES(W = 1000000, Fw = 3);
// error[draw-window-too-long]: what lies at a place of $(W:2, Fw) takes more than 65536 steps to find out; help: declare a shorter axis: a window looks the same at every step of its longest member
REFUSED_AT_RUN_TIME { return draw_cells(spread(slide(W.by(2), Fw)), {}).refusal(); }
}  // namespace draw_window_too_long
