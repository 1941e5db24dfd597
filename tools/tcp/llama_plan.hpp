// How long a language model takes on the chip, from its configuration alone: no weight is read, and no value computed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/llama/configuration.hpp"
#include "kernels/llama/layer.hpp"
#include "tcp/device/device.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::tool {

/// One of the kernels of a step, and how often it runs.
struct PlannedPart {
  std::string name;
  std::int64_t times = 1;
  std::int64_t bytes = 0;  // in HBM of each chip: weights, caches, and what it reads
  trace::Trace trace{};
};

/// A step by one timing model.
struct PlannedStep {
  std::string model;
  std::int64_t core_mhz = 0;         // of the chip
  std::vector<PlannedPart> parts{};  // embedding, layers, layers with a window, head
  std::vector<std::size_t> order{};  // of the launches: numbers of parts

  std::int64_t cycles() const;
  /// In HBM of each chip: all that the launches read, which stays there from token to token.
  std::int64_t bytes() const;
};

/// Throws tcp::Refused: what the kernels refuse.
PlannedStep planned_step(const Device& device, const kernels::LlamaConfig& config, const kernels::LlamaStep& step, std::string_view model);

/// All launches on one axis of time.
trace::Trace timeline_of(const PlannedStep& step);

/// What was published for this shape, number of chips and kind of load, in tokens per second (docs/kernels.md); empty:
/// nothing is known here.
std::string published_rate(const kernels::LlamaConfig& config, const kernels::LlamaStep& step);

}  // namespace tcp::tool
