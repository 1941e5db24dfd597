// An intra-slice reduce folds what one slice holds: the factors of its axis in Time and Packet. An axis that is in neither cannot be reduced
// this way; what lies in Slice is folded across slices, by `vector_inter_slice_reduce`.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 4, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R).set(Level::time, one).set(Level::packet, A);
  return l;
}

static constexpr auto checked() { return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), one, A); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
