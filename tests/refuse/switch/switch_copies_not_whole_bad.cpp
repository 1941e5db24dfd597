// An axis of copies is new, and it stands in Slice once, whole and without padding: then the tensor simply has one more axis along which nothing
// changes. Half of an axis, or one in two pieces, would leave open what its other positions hold.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 256, B = 64, X = 8);
constexpr Levels before = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(
      check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X % 4, A % 8>{}, m<B, A / 8 % 4>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X % 4, A % 8>{}, m<B, A / 8 % 4>{})
      .refusal();
}
#endif
