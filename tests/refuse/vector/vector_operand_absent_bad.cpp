// Every slice reads its operands from its own VRF. An operand that lies in slice 0 alone (`1 # 64`) does not exist for the others; one that all
// slices need is loaded into all of them (`64`, a bare number: 64 copies).
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512, B = 4);
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::time, B).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, one.pad(64)).set(Level::element, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vrf_operand(stream, vrf))); }
#else
REFUSED_AT_RUN_TIME { return check_vrf_operand(stream, vrf).refusal(); }
#endif
