// The tree folds all four lanes of a packet into one, or none of them. So an axis that is reduced has the packet for itself, padding aside.
// Put the other factors into Time, or the reduced axis: over time it is folded lane by lane.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 2, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R / 2).set(Level::packet, group(R % 2, A));
  return l;
}

static constexpr auto checked() {
  return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), one, A.pad(4));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
