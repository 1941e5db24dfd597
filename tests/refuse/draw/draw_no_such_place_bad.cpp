// A table or a picture shows places from one on, and there must be such a place: the positions of a mapping are counted from 0 to its
// size less one, those of a tensor spread over levels in one row, the innermost level first.
//
// `tcp layout --from I` and `--limit N` choose the part; without them all of it is shown, in few lines if it is large.
// run time only: tables and pictures are texts that a running program makes
#include "refuse_test.hpp"
#include "tcp/mapping/draw.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 8, B = 512);
}

REFUSED_AT_RUN_TIME { return draw_cells(spread(group(A, B)), {.from = 5000}).refusal(); }
