// `to_trf` fills one MAC Row after the other, as the flits come. So Row is the outermost part of Time.
//
// Put the axis of Row at the outside of the fetch's Time.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/register_files.hpp"

using namespace tcp;

TCP_AXES(A = 4, N = 8, K = 64);

static constexpr Verdict mistake() {
  return verdict(check_to_trf(target, ScalarType::bf16, Expr(m<A, N, K / 16>{}), K % 16, N, Expr(m<A, K>{}), TrfAddress::Full));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
