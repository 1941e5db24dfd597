// A regular topology moves whole factors of Slice and Time. Where its numbers cut, a factor, or a block of one, must end: `m![A, C]` with C of 3 slices
// cannot be cut after every 2.
//
// Choose numbers that follow the factors, or pad the inner axis (`C # 4`) so that blocks of a power of two end with it.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4, B = 64, C = 3);
constexpr Levels before = Levels{}.set(Level::slice, m<A, C>{}).set(Level::time, m<B>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_switch(logical, before, SwitchConfig::Transpose{.slice1 = 1, .slice0 = 2}, m<A, C>{}, m<B>{}))); }
#else
REFUSED_AT_RUN_TIME {
  return check_switch(logical, before, SwitchConfig::Transpose{.slice1 = 1, .slice0 = 2}, m<A, C>{}, m<B>{}).refusal();
}
#endif
