// A gate has one boundary: slices before it are open at every step, the boundary itself up to some step, and those behind it are closed, or all like the
// boundary. With the middle part of an axis in Slice and the rest in Time, several slices run out of data at different steps. Give the outer part
// of the axis to Slice and the inner part to Time.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 13, X = 64);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(X, R.pad(16) / 2 % 4)).set(Level::time, group(R.pad(16) / 8, R.pad(16) % 2)).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
