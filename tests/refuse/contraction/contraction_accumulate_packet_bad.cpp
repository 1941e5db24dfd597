// `accumulate` puts out eight 32-bit values at a time. Interleaved, these are one value of each Row: Packet is Row, padded to 8.
// Sequential, they are eight columns of one Row: Packet is the columns, padded to 8.
//
// Write the Packet of the mode that you chose.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, N = 4);

static constexpr Verdict mistake() {
  return verdict(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32, computation(N, M, one), M, N));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
