// Slices exchange packets in rings of neighbours. The 256 slices of a cluster are halved, and halved again, until the rings are small enough; so a ring
// has 1, 2, 4, … or 256 slices.
//
// `CustomBroadcast{}` without a ring size takes the smallest ring that the mappings allow.
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
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 48}, m<B, A>{}, m<C>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::CustomBroadcast{.ring_size = 48}, m<B, A>{}, m<C>{}).refusal(); }
#endif
