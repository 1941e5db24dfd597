// The slice bitmap has a bit for each of the 256 slices of a cluster. On the logical device Slice may be larger; then there is nothing
// that a SliceMask could say about the rest.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(P = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(slice_bitmap(P, SliceMask::all()))); }
#else
REFUSED_AT_RUN_TIME { return slice_bitmap(P, SliceMask::all()).refusal(); }
#endif
