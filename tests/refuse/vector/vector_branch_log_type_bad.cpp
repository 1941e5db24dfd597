// `BranchMode::Vrf` takes execution ids from VRF: those that `vector_branch_log` wrote in an earlier pass, or any i32 tensor with ids in bits 0 to 3.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 8);
constexpr Levels stream = Levels{}.set(Level::packet, B);
constexpr Levels log = Levels{}.set(Level::element, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_branch(rngd, ScalarType::i32, stream, BranchMode::Vrf, &log, ScalarType::f32))); }
#else
REFUSED_AT_RUN_TIME { return check_branch(rngd, ScalarType::i32, stream, BranchMode::Vrf, &log, ScalarType::f32).refusal(); }
#endif
