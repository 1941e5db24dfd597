// Packets that enter the Transpose Engine are flits of 32 bytes, of which it uses the first 8 elements (16 of 4 bits). The rest is padding.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

static constexpr auto checked() { return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B, B, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
