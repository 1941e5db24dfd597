// The lanes of a packet stay as they are when the reduced axis is in Time only. When it is in Packet, the tree folds all lanes into the first:
// the result is `1 # 4`, one element and three lanes that hold nothing.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 2, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, A).set(Level::time, R / 4).set(Level::packet, R % 4);
  return l;
}

static constexpr auto checked() { return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Max, Name("R"), stream(), one, one); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
