// Which factors an inter-slice reduce folds follows from the declared Slice: those that are in Slice before it and not after it. If Slice stays the same,
// there are none.
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

static constexpr auto checked() { return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A / 8, R), one); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
