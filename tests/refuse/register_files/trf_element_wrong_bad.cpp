// What Row leaves of Time, and then the packet, is the Element of the TRF tensor, in this order and with its padding: flits are
// stored as they come.
//
// Write that Element. `align` can read it in another order; to store it in another order, fetch in another order.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/register_files.hpp"

using namespace tcp;

TCP_AXES(A = 4, N = 8, K = 64);

static constexpr Verdict mistake() {
  return verdict(check_to_trf(target, ScalarType::bf16, Expr(m<N, A, K / 16>{}), K % 16, N, Expr(m<K, A>{}), TrfAddress::Full));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
