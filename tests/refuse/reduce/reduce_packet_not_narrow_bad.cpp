// The tree of the intra-slice reduce has four inputs, so it stands in the narrow part of the pipeline: a flit of eight lanes must be narrowed
// first. `vector_split` makes two packets of four of it; `vector_trim_way4` drops the upper four lanes if they are padding.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(A = 8, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, A / 2).set(Level::time, R).set(Level::packet, (A % 2).pad(8));
  return l;
}

static constexpr auto checked() {
  return check_intra_slice_reduce(target, ScalarType::i32, ReduceOp::Max, Name("R"), stream(), one, (A % 2).pad(8));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
