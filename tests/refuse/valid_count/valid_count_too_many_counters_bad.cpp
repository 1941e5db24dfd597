// The time step of a flit is taken apart by eight counters. Each factor of a padded axis in Time takes one, and so does every run of other factors
// between them. Keep the factors of the axis next to each other.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(A = 2, B = 2, D = 2, E = 2, R = 500);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one)
      .set(Level::time, group(R.pad(512) / 128, A, R.pad(512) / 32 % 4, B, R.pad(512) / 8 % 4, D, R.pad(512) / 2 % 4, E, R.pad(512) % 2))
      .set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
