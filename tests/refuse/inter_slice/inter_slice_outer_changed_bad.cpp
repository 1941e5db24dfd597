// The slices of a group are neighbours on the ring, so what is folded are the innermost factors of Slice, and the factors that stay are the outer ones, at
// the places they had. A factor that is to be reduced and lies outside must be brought inside by the switch first.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

TCP_AXES(A = 512, R = 4);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(R, A / 8)).set(Level::time, one).set(Level::packet, A % 8);
  return l;
}

static constexpr auto checked() {
  return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(one.pad(4), A / 8), one);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
