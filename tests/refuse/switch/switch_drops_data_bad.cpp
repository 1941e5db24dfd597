// A custom switch can leave a part of a factor behind: with Time `m![C, B % 4 = 3]` every slice takes three of its ring's four. That is allowed where
// the mapping shows it. `B = 8` of a B of 16 does not: it is the same mapping as `B % 8`, and nothing tells a wish from a slip. Then it must be said, by
// `.extraction = Extraction::Partial`.
//
// `Extraction::Whole` refuses every loss of live elements; padding may always be left behind.
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
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<A, 16>{}, m<C, B % 8>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<A, 16>{}, m<C, B % 8>{}).refusal(); }
#endif
