// The counters of the Valid Count Generator step along factors of Time. An axis inside a group that is padded as a whole, `[A, R] # 16`, or inside
// a window, has no factor of its own that a counter could follow. Pad the axis itself.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(A = 3, R = 5);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(A, R).pad(16)).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
