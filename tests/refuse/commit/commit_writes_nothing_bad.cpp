// Slices that Slice pads are idle and never write. A SliceMask narrows the rest further; here nothing is left, so the commit would have no
// effect.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(P = 61);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(slice_bitmap(P.pad(256), SliceMask::only(200)))); }
#else
REFUSED_AT_RUN_TIME { return slice_bitmap(P.pad(256), SliceMask::only(200)).refusal(); }
#endif
