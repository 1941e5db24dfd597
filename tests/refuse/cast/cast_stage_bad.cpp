// The Cast Engine stands between the Vector Engine and the Transpose Engine. It takes flits: a stream must have been collected, and it can be cast
// once in a pass.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/cast.hpp"

using namespace tcp;

TCP_AXES(A = 8);

static constexpr auto checked() { return check_cast(target, ScalarType::i32, ScalarType::i8, A, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
