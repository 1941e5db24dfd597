// `[A, R] # 16` pads a group as a whole: its padding begins somewhere in the middle of the group's steps. Without R the rest of the group would
// have no such place. Pad the axis itself, `A, R # 6`, and the padding goes with it.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 3, R = 5);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(A, R).pad(16)).set(Level::packet, one.pad(4));
  return l;
}

static constexpr auto checked() {
  return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), A, one.pad(4));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
