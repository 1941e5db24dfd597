// The Tensor Unit has one Contraction Engine, and it belongs to the main context. The sub context is there to fill TRF, VRF and DM
// while the main context computes.
//
// Begin the pass that contracts with `ctx.main`; leave `collect` and `to_trf` of the weights in `ctx.sub`.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

static constexpr Verdict mistake() { return check_contraction_context(Tu::Sub); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
