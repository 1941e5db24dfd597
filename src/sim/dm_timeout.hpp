// The refusal of a DMA request that got no answer, shared by all that follow banks.
#pragma once

#include "tcp/sim/dm_banks.hpp"

namespace tcp::sim {

/// Who last kept a bank from a request.
struct DmBlocker {
  DmClient client = DmClient::dma;
  std::int64_t command = 0;
  std::int64_t bank = 0;
};

Refusal dm_timed_out(const Device& device, const DmAccess& waiting, const DmBlocker& blocker);

}  // namespace tcp::sim
