// Zero padding in the type of a VRF tensor is a promise. The stream must bring the zeros: padding that `collect` adds is zero,
// padding that the fetch declares as `#` is whatever lies in DM behind the row.
//
// Write `#z` (`.pad_zero(n)`) in the fetch, or `#` in the VRF tensor.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/register_files.hpp"

using namespace tcp;

TCP_AXES(N = 4, K = 6);

static constexpr Verdict mistake() {
  return verdict(check_to_vrf(target, ScalarType::f32, N, K.pad(8), Expr(m<N, K.pad_zero(8)>{}), Bytes{0}));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
