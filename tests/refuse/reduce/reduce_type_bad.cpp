// The Vector Engine is 32 bits wide: all its operations, reduces included, take `i32` or `f32`. Narrower elements are widened while they are
// fetched, by the fetch adapter's cast; what comes out of a contraction is wide already.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 4, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R).set(Level::packet, A);
  return l;
}

static constexpr auto checked() { return check_intra_slice_reduce(target, ScalarType::bf16, ReduceOp::Max, Name("R"), stream(), one, A); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
