// A slice emits its own packets as they come, and those of other slices of the ring in between: what leaves Slice becomes the innermost factors of Time.
// Time after a custom switch is Time before it, padding included, and then the factors that left Slice.
//
// Only Broadcast01 can put a factor further out, with `time0`.
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
      verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 32}, m<A / 2, 2, B / 2, 2>{}, m<A % 2, C, B % 2>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 32}, m<A / 2, 2, B / 2, 2>{}, m<A % 2, C, B % 2>{})
      .refusal();
}
#endif
