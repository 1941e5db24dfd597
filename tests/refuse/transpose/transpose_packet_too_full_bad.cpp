// The buffers of the Transpose Engine take 8 elements of a packet, or 16 of 4 bits, however many fit into its 32 bytes. The elements beyond must be
// padding, because they would be lost.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 16);

static constexpr auto checked() { return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
