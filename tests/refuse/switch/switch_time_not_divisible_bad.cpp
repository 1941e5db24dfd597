// Broadcast01 cuts Time into `[time1, time0]` and InterTranspose into `[time2, time1, time0]`, where time1 has the size of slice1, whose place it takes.
// The numbers given must divide the number of time steps.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 256, B = 64);
constexpr Levels before = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(
      verdict(check_switch(target, before, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 5}, m<A / 4, 4>{}, m<B, A % 4>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 5}, m<A / 4, 4>{}, m<B, A % 4>{})
      .refusal();
}
#endif
