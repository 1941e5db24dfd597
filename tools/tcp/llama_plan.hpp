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
  trace::Trace trace{};
};

/// A step by one timing model.
struct PlannedStep {
  std::string model;
  std::int64_t core_mhz = 0;         // of the chip
  std::vector<PlannedPart> parts{};  // embedding, layers, layers with a window, head
  std::vector<std::size_t> order{};  // of the launches: numbers of parts

  std::int64_t cycles() const;
};

/// Throws tcp::Refused: what the kernels refuse.
PlannedStep planned_step(const Device& device, const kernels::LlamaConfig& config, const kernels::LlamaStep& step, std::string_view model);

/// All launches on one axis of time.
trace::Trace timeline_of(const PlannedStep& step);

/// What the vendor has published for this shape on so many chips, in tokens per second; empty: nothing is known here.
std::string published_rate(const kernels::LlamaConfig& config, std::int64_t chips);

}  // namespace tcp::tool
