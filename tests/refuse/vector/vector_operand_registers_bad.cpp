// An operation has one register port: a VRF tensor or the stash, not two of them. Constants are not read through it.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow,
                            .way = Way::Way4,
                            .type = ScalarType::f32,
                            .stash = VectorState::Stash::kept,
                            .stash_type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpTernaryOp::FmaF), Operands{}.vrf(ScalarType::f32).stash()))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpTernaryOp::FmaF), Operands{}.vrf(ScalarType::f32).stash()).refusal(); }
#endif
