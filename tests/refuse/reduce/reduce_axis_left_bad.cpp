// A reduce folds its axis wholly: every factor of it in Time and Packet goes, and the result is declared without them. To fold only a part of
// an axis, keep the other part in Slice, or give the two parts axes of their own.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 4, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R).set(Level::packet, A);
  return l;
}

static constexpr auto checked() { return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Max, Name("R"), stream(), R / 4, A); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
