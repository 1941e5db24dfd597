// Where the Valid Count Generator cannot tell the padding of a reduced axis, the fetch can fill it with the identity of the operation, a value
// that changes nothing. The fetch pads before it casts, so the value must exist in the type that lies in memory: the smallest `i32`, which is the
// identity of Max, is no `i8`. Choose a placement that can be counted, or widen the tensor in memory.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 10);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R.pad(16) / 8).set(Level::time, one).set(Level::packet, R.pad(16) % 8);
  return l;
}

static constexpr auto checked() {
  return plan_reduce_padding(target, ScalarType::i32, ReduceOp::Max, stream(), ValidCountAsk{Name("R")},
                             {.moves_only = true, .fetched = ScalarType::i8});
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
