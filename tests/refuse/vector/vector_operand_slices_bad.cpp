// All slices work in step and read their own VRF at the same address. So an axis that the stream spreads over Slice must be spread alike in the
// operand; a whole copy in each slice would need another address in each.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, copies(64)).set(Level::element, A);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vrf_operand(stream, vrf))); }
#else
REFUSED_AT_RUN_TIME { return check_vrf_operand(stream, vrf).refusal(); }
#endif
