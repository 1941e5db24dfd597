// The Valid Count Generator has one count and three gates. Each padded axis takes one of them, and so does mere padding in Time that is folded. Axes
// without padding are free.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(A = 3, B = 3, D = 3, E = 3, R = 13);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(A.pad(4), B.pad(4), D.pad(4), E.pad(4), R.pad(16) / 8)).set(Level::packet, R.pad(16) % 8);
  return l;
}
static constexpr ValidCountAsk all_axes() {
  ValidCountAsk ask;
  for (const char* name : {"A", "B", "D", "E", "R"}) ask.axis[ask.axes++] = Name(name);
  return ask;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), all_axes()); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
