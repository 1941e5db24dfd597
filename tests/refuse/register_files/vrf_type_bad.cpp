// The Vector Engine computes with `i32` and `f32`, and so the VRF, which holds its operands, has nothing else.
//
// Let the fetch cast: `fetch<f32, …>` of `bf16`, `fetch<i32, …>` of `i8`.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/register_files.hpp"

using namespace tcp;

TCP_AXES(N = 4, K = 16);

static constexpr Verdict mistake() { return verdict(check_to_vrf(target, ScalarType::bf16, N, K, Expr(m<N, K>{}), Bytes{0})); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
