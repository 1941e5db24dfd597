// A place of a window holds an element for every way to write it as a sum of the members' steps: in `$(W:2, Fw)` place 4 belongs to W 1 with
// Fw 2, and to W 2 with Fw 0. Tables and pictures find these ways by trying all steps of all members but the last, which then is what
// is left. With very long members that would take too long, and is refused.
//
// To see such a window, declare a shorter axis: a window looks the same at every step of its longest member.
// run time only: tables and pictures are texts that a running program makes
#include "refuse_test.hpp"
#include "tcp/mapping/draw.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

namespace {
TCP_AXES(W = 1000000, Fw = 3);
}

REFUSED_AT_RUN_TIME { return draw_cells(spread(slide(W.by(2), Fw)), {}).refusal(); }
