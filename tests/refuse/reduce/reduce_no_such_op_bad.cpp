// Each type has its own operations: the intra-slice reduce of `i32` has AddSat, Max and Min, that of `f32` Add, Max and Min. Sums of integers
// saturate; a wrapping sum of integers exists across slices only (`InterSliceReduceOpI32::Add`).
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

static constexpr auto checked() { return check_intra_slice_reduce(target, ScalarType::i32, ReduceOp::Add, Name("R"), stream(), one, A); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
