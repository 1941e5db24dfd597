// A VRF operand is repeated over the axes that it lacks wholly. Of an axis that it has, it must hold every step that the stream goes
// through: an operand with one element of A in each slice is no operand for a stream with eight of them, though one could guess what is meant.
//
// One value for each block of an axis is a tensor over an axis of its own, `G = 64` say.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, A / 8);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vrf_operand(stream, vrf))); }
#else
REFUSED_AT_RUN_TIME { return check_vrf_operand(stream, vrf).refusal(); }
#endif
