// `slice1`, `slice0` and `time0` are sizes of factors, and a factor has at least one position. Write 1 for a factor that is not needed:
// `Broadcast01{.slice1 = 1, .slice0 = 8, .time0 = 1}` moves only the innermost 8 positions of Slice.
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
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::Transpose{.slice1 = 0, .slice0 = 16}, m<A>{}, m<B>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::Transpose{.slice1 = 0, .slice0 = 16}, m<A>{}, m<B>{}).refusal(); }
#endif
