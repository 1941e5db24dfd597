// Zero padding in the type of a TRF tensor is a promise that contractions rely on. The stream must bring the zeros: padding that
// `collect` adds is zero, padding that the fetch declares as `#` is whatever lies in DM behind the row.
//
// Write `#z` (`.pad_zero(n)`) in the fetch, or `#` in the TRF tensor.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/register_files.hpp"

using namespace tcp;

TCP_AXES(N = 8, K = 12);

static constexpr Verdict mistake() {
  return verdict(check_to_trf(target, ScalarType::bf16, N, K.pad(16), N, K.pad_zero(16), TrfAddress::Full));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
