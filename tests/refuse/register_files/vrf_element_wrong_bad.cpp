// `to_vrf` stores the flits as they come: Element is Time, and then Packet.
//
// Write that Element, or fetch in the order that you want to store.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/register_files.hpp"

using namespace tcp;

TCP_AXES(N = 4, K = 8);

static constexpr Verdict mistake() { return verdict(check_to_vrf(target, ScalarType::f32, N, K, Expr(m<K, N>{}), Bytes{0})); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
