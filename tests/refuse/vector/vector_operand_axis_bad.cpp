// A VRF operand is repeated over the axes that it lacks. The reverse makes no sense: for an axis that only the operand has, nothing says which of
// its elements goes with an element of the stream.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 4);
constexpr Levels stream = Levels{}.set(Level::packet, A);
constexpr Levels vrf = Levels{}.set(Level::element, group(B, A));

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vrf_operand(stream, vrf))); }
#else
REFUSED_AT_RUN_TIME { return check_vrf_operand(stream, vrf).refusal(); }
#endif
