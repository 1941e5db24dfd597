// One way through the Tensor Unit, from fetch to commit, on every chip and cluster that takes part.
#pragma once

#include "sim/engines.hpp"

namespace tcp::sim {

/// What a pass has seen of undefined values: elements that came in, and elements that it wrote.
struct PassCounts {
  std::int64_t undefined_in = 0, undefined_out = 0;
};

/// `packet_by_packet`: the switch moves every packet from router to router; else what the routes say at once.
Verdict run_pass(const PassContext& context, const program::Exec& exec, std::vector<std::unique_ptr<Chip>>& chips, bool packet_by_packet,
                 PassCounts& counts);

}  // namespace tcp::sim
