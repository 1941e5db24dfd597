// The valid lanes of a flit are its first ones: a count cannot say "lanes 0, 1, 4 and 5". So in Packet the data of a counted axis must lie together
// at the front, with all padding behind it.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(A = 2, R = 7);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(8) / 2).set(Level::packet, group(A, (R.pad(8) % 2).pad(4)));
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
