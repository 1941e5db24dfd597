// A comparison of `BranchMode::Comparison` looks at the input as a number of the stream's type, and its boundary is one too: `InputCmp::Less(0)`
// for i32, `InputCmp::Less(0.0f)` for f32.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 8);
constexpr Levels stream = Levels{}.set(Level::packet, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_branch(rngd, ScalarType::f32, stream, BranchMode::comparing(InputCmp::Less(0))))); }
#else
REFUSED_AT_RUN_TIME { return check_branch(rngd, ScalarType::f32, stream, BranchMode::comparing(InputCmp::Less(0))).refusal(); }
#endif
