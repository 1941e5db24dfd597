// The places that a reduce across slices frees can hold three things: nothing but the one result (`1 # n`), the result in every slice (an axis that the
// stream does not have yet), or the results of different time steps (a whole factor of Time). They can be mixed.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

TCP_AXES(A = 64, P = 4, R = 4);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A, R)).set(Level::time, one).set(Level::packet, P.pad(8));
  return l;
}

static constexpr auto checked() { return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A, P), one); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
