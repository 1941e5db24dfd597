// Only `BranchMode::Vrf` reads execution ids from VRF; the other modes make them from the stream.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 8);
constexpr Levels stream = Levels{}.set(Level::packet, B);
constexpr Levels log = Levels{}.set(Level::element, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_branch(rngd, ScalarType::i32, stream, BranchMode::Unconditional, &log))); }
#else
REFUSED_AT_RUN_TIME { return check_branch(rngd, ScalarType::i32, stream, BranchMode::Unconditional, &log).refusal(); }
#endif
