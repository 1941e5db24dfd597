// After a broadcast all slices of a ring hold the same. The positions are counted by a bare number, or by an axis that is new to the tensor. An axis
// that the input already counts on some level, here X in Packet, names different elements, and the copies are all alike.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 256, B = 64, X = 4);
constexpr Levels before = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{}).set(Level::packet, m<X>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(
      verdict(check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<B, A / 8 % 4>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, X, A % 8>{}, m<B, A / 8 % 4>{})
      .refusal();
}
#endif
