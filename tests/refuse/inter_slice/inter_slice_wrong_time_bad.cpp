// A factor of Time that goes to Slice leaves Time; the others stay, in their order. The declared Time is compared with that; the help line has the
// mapping to write.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

TCP_AXES(A = 64, B = 3, D = 4, R = 4);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A, R)).set(Level::time, group(B, D)).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() {
  return check_inter_slice_reduce(target, ScalarType::i32, ReduceOp::Add, stream(), group(A, D), group(B, D));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
