// Every slice of a ring receives the packets that are broadcast, so there is no padding where a broadcast makes copies. Write the number of copies, or a
// new axis of that size.
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
  TCP_REFUSE(verdict(
      check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, one.pad(4), A % 8>{}, m<B, A / 8 % 4>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, one.pad(4), A % 8>{}, m<B, A / 8 % 4>{})
      .refusal();
}
#endif
