// A gate sees some bits of the slice's number. So a factor of the axis in Slice must take whole bits: its size is a power of two, and so is the number
// of slices that one of its steps moves on.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 5, X = 3);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(R.pad(8) / 2, X)).set(Level::time, R.pad(8) % 2).set(Level::packet, one.pad(8));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
