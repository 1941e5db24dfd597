// Before and after the switch an axis may be cut into different factors, as long as the cuts of the one divide those of the other. Blocks of 2 and
// blocks of 3 have no common factor, so no bitmap made from factors says who needs whose packets.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 6, B = 32, C = 8);
constexpr Levels before = Levels{}.set(Level::slice, m<(A / 2).pad(4), B, A % 2>{}).set(Level::time, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<(A % 3).pad(4), A / 3, B>{}, m<C>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<(A % 3).pad(4), A / 3, B>{}, m<C>{}).refusal();
}
#endif
