// A custom switch takes `ring_size · |Time|` packet times, so the ring should be no larger than it must be, and it cannot be smaller: a slice takes
// packets of its own ring only. What it must be follows from the mappings: everything inside the outermost factors of Slice that stay where they are.
//
// From `m![A, B]` to `m![A, B % 4, B / 4]` axis A stays, so 16 slices exchange packets.
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
  TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 256}, m<A, B % 4, B / 4>{}, m<C>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 256}, m<A, B % 4, B / 4>{}, m<C>{}).refusal();
}
#endif
