// A sum may take in zeros; a maximum may not, for a zero wins over negative products. So there must be no padding, of whatever kind,
// among what is compared, and also not the zeros by which `align` fills up a packet of one flit.
//
// Keep the padding in columns of its own: a packet `K # 32` of 16 elements is contracted to `1 # 2`, whose second column is cut off
// by `accumulate`.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(K = 16);

static constexpr Verdict mistake() {
  return verdict(check_contract(target, ContractOp::Max, ScalarType::bf16, computation(one, one, K.pad_zero(32)), one));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
