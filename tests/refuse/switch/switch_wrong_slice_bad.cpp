// A regular topology moves factors to fixed places, so the Slice after it follows from the Slice before it. The mapping that is declared must be that
// one, but for the kinds of padding; copies may be written as a bare number or as a new axis.
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
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, m<A>{}, m<B>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, m<A>{}, m<B>{}).refusal(); }
#endif
