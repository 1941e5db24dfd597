// All clusters and chips run one program with one setting of the Valid Count Generator. If a reduced axis is spread over them and padded, the
// data ends at another step in each, and one setting cannot say so. Keep the axis inside a cluster, or pad with the identity of the reduce.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 13);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(16) % 8).set(Level::packet, one.pad(8));
  l.set(Level::cluster, R.pad(16) / 8);
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
