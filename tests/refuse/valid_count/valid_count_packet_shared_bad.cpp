// A valid count is a prefix of the lanes. When the data of an axis ends inside a packet that holds another axis too, the prefix would leave out
// data of the other axis. Let the axis have the packet alone, or move it to Time, where whole flits are left out.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(A = 4, R = 19);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(24) / 2).set(Level::packet, group(R.pad(24) % 2, A));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
