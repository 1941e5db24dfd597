// The tree that adds products has a fixed depth for each type: on RNGD 7 levels for 4 bits, 6 for 8 bits, 5 for `bf16`, enough for a
// packet of 64 bytes. A device of your own may have a shallower tree than its packets ask for.
//
// Leave more columns, and add them over time or in the Vector Engine.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(N = 8, K = 32);

static constexpr Device shallow() {
  Device d = rngd;
  d.contraction.tree_depth_bf16 = 4;
  return d;
}

static constexpr Verdict mistake() {
  return verdict(check_contract(shallow(), ContractOp::Add, ScalarType::bf16, computation(N, one, K), one));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
