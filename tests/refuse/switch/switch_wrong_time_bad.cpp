// A regular topology moves factors to fixed places, so the Time after it follows from Slice and Time before it. Broadcast1 puts slice1 inside of
// everything else; Broadcast01 puts slice1 outside of time0 and slice0 inside.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 256, B = 64, X = 4);
constexpr Levels before = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(
      verdict(check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<A / 8 % 4, B>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<A / 8 % 4, B>{})
      .refusal();
}
#endif
