// A DMA command: descriptors that move packets between memories, those of one engine in their order.
#pragma once

#include "sim/chip.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

Verdict run_dma(const Device& device, const program::Dma& dma, std::vector<std::unique_ptr<Chip>>& chips, Where at);

}  // namespace tcp::sim
