// The VRF of a slice holds 8 KiB: 2048 elements of i32 or f32, say. It is meant for operands that are used again and again, such as a bias for each channel; larger
// operands are streamed.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 2049);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_vrf(target, ScalarType::f32, m<A>{}, Bytes{0})); }
#else
REFUSED_AT_RUN_TIME { return check_vrf(target, ScalarType::f32, m<A>{}, Bytes{0}).refusal(); }
#endif
