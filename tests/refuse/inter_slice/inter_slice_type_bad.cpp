// The Vector Engine is 32 bits wide: the inter-slice reduce takes `i32` and `f32`. Narrower elements are widened while they are fetched.
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

static constexpr auto checked() {
  return check_inter_slice_reduce(target, ScalarType::i8, ReduceOp::Max, stream(), group(A / 8, one.pad(4)), one);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
