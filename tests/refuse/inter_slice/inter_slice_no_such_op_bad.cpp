// Each type has its own operations across slices: `i32` has Add, AddSat, Max and Min, `f32` has Add, Max, Min and Mul.
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
  return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Mul, stream(), group(A / 8, one.pad(4)), one);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
