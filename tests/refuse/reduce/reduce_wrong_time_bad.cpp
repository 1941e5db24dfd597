// What comes out of an intra-slice reduce is fixed: Time without the factors of the reduced axis. Other factors stay, in their order. The
// declared mapping is compared with that, so that a kernel says what it means; the help line has the mapping to write.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 4, B = 2, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(B, R)).set(Level::packet, A);
  return l;
}

static constexpr auto checked() { return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Max, Name("R"), stream(), one, A); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
