// The host reaches HBM, over PCIe, and nothing else; tensor DMA goes between HBM, DM and SPM. TRF and VRF are register files: they are filled by the
// Tensor Unit, from a stream behind the collect stage.
//
// A tensor of the host goes to HBM first and from there to DM: `to_hbm(ctx.pdma, …)`, then `to_dm(ctx.tdma, …)`.
#include "refuse_test.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(link_between(Memory::Host, Memory::Dm))); }
#else
REFUSED_AT_RUN_TIME { return link_between(Memory::Host, Memory::Dm).refusal(); }
#endif
