// The Valid Count Generator tags the flits that enter the Vector Engine: eight lanes. What happens to the tag when a flit is narrowed follows from
// it. So valid counts are asked for with the packet of eight lanes, padding included.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 7);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(8) / 4).set(Level::packet, R.pad(8) % 4);
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
