// A gate opens all slices up to a boundary, by the number that the bits of the axis make. If the factors of the axis stand in Slice in another order
// than along the axis, the slices do not run out of data in that order. Write the coarsest factor outermost: `R # 16 / 8, R # 16 / 2 % 4`.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 13, X = 32);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(X, R.pad(16) / 2 % 4, R.pad(16) / 8)).set(Level::time, R.pad(16) % 2).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
