// A tree that adds only blocks of an axis leaves the blocks as columns, and each column is found again by the coordinate at which its block begins. With padding
// in front that is no whole number of blocks, the first block would begin before the axis.
//
// Here K begins 3 positions late and is added in blocks of 8. Add all of K, or pad it in front by whole blocks.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(N = 8, K = 13);

static constexpr Verdict mistake() {
  Mapping const packet = K.pad_left(3).pad_zero(32);
  return verdict(check_contract(target, ContractOp::Add, ScalarType::bf16, computation(N, one, packet), divide_by(packet, 8)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
