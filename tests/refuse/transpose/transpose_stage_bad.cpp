// The Transpose Engine stands between the Cast Engine and the Commit Engine. It takes flits: a stream must have been collected, and it can be
// transposed once in a pass.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

static constexpr auto checked() { return check_transpose(target, StreamStage::Fetch, ScalarType::i8, A, B.pad(32), B, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
