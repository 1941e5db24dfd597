// A custom switch sends packets from slice to slice. Every factor of Slice after it that names elements must be in Slice before it; nothing comes from
// Time into Slice. InterTranspose exchanges a factor of Slice with one of Time.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 16, B = 64, C = 8);
constexpr Levels before = Levels{}.set(Level::slice, m<A, B % 16>{}).set(Level::time, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<A, B / 16, 4>{}, m<C>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<A, B / 16, 4>{}, m<C>{}).refusal(); }
#endif
