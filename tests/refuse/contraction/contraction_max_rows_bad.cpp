// `contract_max` finds the greatest product. Only the first MAC Row can do that, the others can only add.
//
// Store the weights with Row `m![1]`, and what was Row in Element.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(N = 8, K = 32);

static constexpr Verdict mistake() {
  return verdict(check_contract(target, ContractOp::Max, ScalarType::bf16, computation(N, one, K), one));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
