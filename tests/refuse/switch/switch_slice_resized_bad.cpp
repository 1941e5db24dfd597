// A slice that sends packets also receives some. Slice has as many positions after the switch as before it; where a factor leaves Slice for Time, all
// slices of a ring hold the same, and a bare number or a new axis counts these copies.
//
// On a chip the size is that of the cluster (see switch-not-full-cluster). A logical device takes any size, but not two.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 64, B = 64);
constexpr Levels before = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_switch(logical, before, SwitchConfig::CustomBroadcast{}, m<A / 4>{}, m<B, A % 4>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(logical, before, SwitchConfig::CustomBroadcast{}, m<A / 4>{}, m<B, A % 4>{}).refusal(); }
#endif
