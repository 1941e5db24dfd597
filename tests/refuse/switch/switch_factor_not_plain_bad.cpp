// A custom switch gets a bitmap for every slice, made from factors of Slice that step evenly over the slices. A start (`@`, `#<`), a window, a skew, or
// a group that is padded as a whole to no multiple of its inner part does not step evenly.
//
// Fetch from a tile instead of writing a start, and pad the outermost axis of a group instead of the group.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 5, B = 50, C = 8);
constexpr Levels before = Levels{}.set(Level::slice, m<group(A, B).pad(256)>{}).set(Level::time, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<group(B, A).pad(256)>{}, m<C>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_switch(target, before, SwitchConfig::CustomBroadcast{}, m<group(B, A).pad(256)>{}, m<C>{}).refusal(); }
#endif
