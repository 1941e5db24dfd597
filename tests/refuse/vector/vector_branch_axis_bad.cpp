// `BranchMode::AxisToggle` gives lanes an execution id by the parity of a coordinate. All slices do the same at the same time, so the coordinate
// must change with time or with the lane: the axis lies in Time or Packet.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 64, B = 8);
constexpr Levels stream = Levels{}.set(Level::slice, A).set(Level::packet, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_branch(rngd, ScalarType::i32, stream, BranchMode::toggle(Name("A"))))); }
#else
REFUSED_AT_RUN_TIME { return check_branch(rngd, ScalarType::i32, stream, BranchMode::toggle(Name("A"))).refusal(); }
#endif
