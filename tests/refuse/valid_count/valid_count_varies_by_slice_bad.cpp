// The count of a flit depends on its time step alone: all slices get the same, or are switched off. When an axis lies in Slice and in Packet and
// ends inside a packet, its last slice would need a smaller count than the others. Move the innermost part from Packet to Time: whole flits
// can be left out slice by slice. Where nothing but moves lies between fetch and reduce, the padding is filled with the identity instead.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

TCP_AXES(R = 2045);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R.pad(2048) / 8).set(Level::time, one).set(Level::packet, R.pad(2048) % 8);
  return l;
}

static constexpr auto checked() { return plan_valid_count(target, stream(), ValidCountAsk{Name("R")}); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
