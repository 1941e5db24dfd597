// An axis may be padded at its end, and a gate tells where that is. Padding inside the axis, as in `R / 4, R % 4 # 6`, is left out by a gate of its own;
// but both at once need the padding inside as a factor of its own, which it is only if its live steps divide it: `R % 4 # 8`.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 15);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(R.pad(16) / 4, (R.pad(16) % 4).pad(6))).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
