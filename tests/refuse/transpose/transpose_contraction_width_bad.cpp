// From the Contraction Engine the Transpose Engine takes eight elements of 32 bits a cycle, and nothing narrower.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

static constexpr auto checked() { return check_transpose(target, StreamStage::Contraction, ScalarType::i8, A, B.pad(32), B, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
