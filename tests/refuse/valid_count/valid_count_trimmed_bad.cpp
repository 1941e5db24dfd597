// Trimming a flit to its lower four lanes leaves its valid count as it is, so no flit may have more than four valid lanes. `vector_split` keeps
// all of them: the upper four lanes become a time step of their own.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 19);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(24) / 8).set(Level::packet, R.pad(24) % 8);
  return l;
}

static constexpr auto checked() {
  return check_trimmed_count(target, plan_valid_count(target, stream(), ValidCountAsk{Name("R")})->config);
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
