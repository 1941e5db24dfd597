// Padding written `#` holds nobody knows what, and a sum that takes it in would be as undefined. It is enough that one side holds
// zeros there: the product at zero padding is +0.0, whatever the other side is. The same holds for an axis that ends within a block,
// such as K = 61 in blocks of 16.
//
// Pad with zeros in the fetch of the stream or of the weights, `K.pad_zero(64)`, which masks what lies behind the axis.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(N = 8, K = 29);

static constexpr Verdict mistake() {
  return verdict(check_contract(target, ContractOp::Add, ScalarType::bf16, computation(N, one, K.pad(32)), one));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
