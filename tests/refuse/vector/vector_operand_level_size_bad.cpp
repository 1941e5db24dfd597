// A VRF tensor lies in the slices of its clusters, as the stream does: Chip, Cluster and Slice of both count the same units.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);
constexpr Levels stream = Levels{}.set(Level::slice, A / 8).set(Level::packet, A % 8);
constexpr Levels vrf = Levels{}.set(Level::slice, Mapping{}).set(Level::element, A % 8);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_vrf_operand(stream, vrf))); }
#else
REFUSED_AT_RUN_TIME { return check_vrf_operand(stream, vrf).refusal(); }
#endif
