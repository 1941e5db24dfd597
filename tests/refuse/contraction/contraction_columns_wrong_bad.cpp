// The tree adds neighbouring lanes, then neighbouring sums, and so on: after n levels Packet / 2^n is left. It cannot add lanes that
// lie apart, so only the innermost part of the packet can be contracted; outer columns may be cut off if they are padding.
//
// Here K lies outside of L, and L was to be kept. Put the axes to be added to the inside of the packet, in the stream and in the
// TRF.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(N = 8, L = 2, K = 16);

static constexpr Verdict mistake() {
  return verdict(check_contract(target, ContractOp::Add, ScalarType::bf16, computation(N, one, Expr(m<K, L>{})), L));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
