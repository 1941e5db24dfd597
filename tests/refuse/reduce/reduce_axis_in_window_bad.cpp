// A window such as `$(R, F)` is one place counted by several axes at once: its positions belong to several elements, and none of the axes is
// a factor that could be taken out. The fetch or the stream adapter takes the filter's axis out of the window first.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/reduce.hpp"

using namespace tcp;

TCP_AXES(F = 3, R = 5);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, slide(R, F)).set(Level::packet, one.pad(4));
  return l;
}

static constexpr auto checked() {
  return check_intra_slice_reduce(target, ScalarType::f32, ReduceOp::Add, Name("R"), stream(), F, one.pad(4));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
