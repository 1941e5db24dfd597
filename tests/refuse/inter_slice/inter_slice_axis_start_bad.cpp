// If an axis starts somewhere else than at 0, is folded in Slice and counted by another level too, the start would be gone with the folded factors,
// and places that hold no element could no longer be told from the others. Write the start on the factor that stays.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

TCP_AXES(A = 64, R = 16);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(A, (R.from(8) / 4).resize(2))).set(Level::time, R % 4).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() {
  return check_inter_slice_reduce(target, ScalarType::f32, ReduceOp::Add, stream(), group(A, one.pad(2)), R % 4);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
