// What the machine does with a command: a way through the Tensor Unit, from fetch to commit, on every chip and cluster
// that takes part; a DMA, whose descriptors move packets between memories; and, before any runs, whether the engines of
// a pass take what those before them give.
#pragma once

#include "sim/chip.hpp"
#include "sim/engines.hpp"
#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

/// What a pass has seen of undefined values: elements that came in, and elements that it wrote.
struct PassCounts {
  std::int64_t undefined_in = 0, undefined_out = 0;
};

/// `packet_by_packet`: the switch moves every packet from router to router; else what the routes say at once.
Verdict run_pass(const PassContext& context, const program::Exec& exec, std::vector<std::unique_ptr<Chip>>& chips, bool packet_by_packet,
                 PassCounts& counts);

// A DMA command: descriptors that move packets between memories, those of one engine in their order.

Verdict run_dma(const Device& device, const program::Dma& dma, std::vector<std::unique_ptr<Chip>>& chips, Where at);

/// Follows packets and lanes through every pass of a program that program::check has accepted. After it, no engine
/// meets a stream of another shape than its settings say.
Verdict check_flow(const program::Program& program, const Device& device);

}  // namespace tcp::sim
