// The intra-slice reduce has 8 accumulators. All results that lie inside the outermost factor of the reduced axis in Time are open at once, one
// accumulator each: with Time `R, A % 3, B % 4` that is 3 x 4 = 12. Factors outside of the axis cost nothing, because their results come one
// after the other: `A % 3, R, B % 4` takes 4.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 6, B = 16, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, A / 3).set(Level::time, group(R, A % 3, B % 4)).set(Level::packet, B / 4);
  return l;
}

static constexpr auto checked() {
  return check_intra_slice_reduce(target, ScalarType::i32, ReduceOp::AddSat, Name("R"), stream(), group(A % 3, B % 4), B / 4);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
