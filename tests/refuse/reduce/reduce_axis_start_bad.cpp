// Factors of the axis that lie in Slice stay when the rest is folded. If the axis also starts somewhere else than at 0, and the start is
// written in Time or Packet, then it would be gone with them, and slices that hold no element could no longer be told from the others.
// Write the start on the factor in Slice: `R @ 4 / 4` in Slice, `R % 4` in Time.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R % 4).set(Level::time, R.from(4) / 4).set(Level::packet, one.pad(4));
  return l;
}

static constexpr auto checked() {
  return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), one, one.pad(4));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
