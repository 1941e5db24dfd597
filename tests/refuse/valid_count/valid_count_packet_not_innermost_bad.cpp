// The packet dimension counts how many elements are left from the flit's first lane on, so neighbouring lanes must be neighbours along the axis: Packet
// holds the innermost part, `R % 8`, and Time the outer one. The other way round every flit would need a count of its own.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 19);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(24) % 8).set(Level::packet, (R.pad(24) / 8).pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
