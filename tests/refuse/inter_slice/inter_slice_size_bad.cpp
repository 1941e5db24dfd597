// A reduce across slices frees places, it does not remove slices: Slice has as many positions as before. The places of the reduced factors are filled
// with a dummy (`1 # n`: the result is in the first slice of each group), with a new axis (every slice gets it), or with a factor of Time.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

TCP_AXES(A = 512, R = 4);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, R)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}

static constexpr auto checked() { return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), A / 8, one); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
