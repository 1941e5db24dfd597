// After the tree each Row supplies at most 32 sums. With 8-bit operands a packet has 64 products and with 4-bit operands 128, so at
// least one or two levels of the tree are needed, unless the columns beyond are padding.
//
// Contract neighbours: `Packet / 2` or less.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(N = 8, W = 64);

static constexpr Verdict mistake() { return verdict(check_contract(target, ContractOp::Add, ScalarType::i8, computation(N, one, W), W)); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
