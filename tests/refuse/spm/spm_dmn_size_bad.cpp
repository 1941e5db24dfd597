// Each DMN of a cluster has a scratchpad, so a tensor in SPM has a level Dmn where one in DM has Slice, with one position for each of the 8 DMNs. Pad it
// if fewer are used.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/spm.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4);
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_dmn_size(target, m<A>{})); }
#else
REFUSED_AT_RUN_TIME { return check_dmn_size(target, m<A>{}).refusal(); }
#endif
