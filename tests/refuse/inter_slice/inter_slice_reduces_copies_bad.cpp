// A bare number in a mapping stands for copies of one and the same element; it is no axis of the tensor. Folding copies would count elements twice.
// If the slices hold different things, give them an axis.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

TCP_AXES(A = 512);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A / 8, 4)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}

static constexpr auto checked() {
  return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A / 8, one.pad(4)), one);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
