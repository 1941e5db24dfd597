// A regular topology cuts Slice into `[slice2, slice1, slice0]`. The author gives slice1 and slice0, and slice2 is what is left; so their product must
// divide the number of slices.
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
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 3, .slice0 = 8}, m<A>{}, m<B>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 3, .slice0 = 8}, m<A>{}, m<B>{}).refusal(); }
#endif
