// The slices of a cluster form one ring, and every slice of it has a router. A switch is set up for all 256 of them: Slice has 256 positions before the
// switch and after it.
//
// A tensor that needs fewer slices is padded in DM, `m![A # 256]`. Where a factor leaves Slice for Time, copies take its place: a bare number or a new
// axis.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 128, B = 64);
constexpr Levels before = Levels{}.set(Level::slice, m<A>{}).set(Level::time, m<B>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(
      verdict(check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, 4, A % 8>{}, m<B, A / 8 % 4>{})));
}
#else
REFUSED_AT_RUN_TIME {
  return check_switch(target, before, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, m<A / 32, 4, A % 8>{}, m<B, A / 8 % 4>{})
      .refusal();
}
#endif
