// A transpose swaps rows, which come one after the other in Time, with the elements of a packet. So the packet that comes out is made of factors of
// Time, and nothing else.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8, D = 8);

static constexpr auto checked() { return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, D.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
