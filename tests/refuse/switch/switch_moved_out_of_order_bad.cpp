// The routers have room for one packet each. Packets of a ring arrive in the order of the slices they come from and cannot be reordered on the way, so
// the factors that leave Slice keep the order that they have there.
//
// Another order can be had by transposing Slice first, or by the order in which the result is written to DM.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 16, B = 16, C = 8);
constexpr Levels before = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(
      verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 4}, m<A, B / 4, 4>{}, m<C, B % 2, B / 2 % 2>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 4}, m<A, B / 4, 4>{}, m<C, B % 2, B / 2 % 2>{}).refusal();
}
#endif
