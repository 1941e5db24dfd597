// A custom switch adds to Time what left Slice. It makes no copies in time, and no padding: what is to be repeated over time is repeated by the fetch,
// which reads the same address again.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 16, B = 16, C = 8, X = 2);
constexpr Levels before = Levels{}.set(Level::slice, m<A, B>{}).set(Level::time, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<A, B>{}, m<C, X>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<A, B>{}, m<C, X>{}).refusal(); }
#endif
