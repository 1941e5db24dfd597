// With the inner part of an axis in Slice and the outer part in Time, slices before the boundary are open at every step of Time. So Time may not have
// more steps than those slices hold: pad the axis to no more than the next multiple of its part in Slice.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 14, X = 64);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(X, R.pad(20) % 4)).set(Level::time, R.pad(20) / 4).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
