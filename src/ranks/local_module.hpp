// Some commands of a kernel for several chips as one of the chips sees them: Chip is m![1] in every tensor and stream,
// and an axis that Chip counts begins where the chip's part of it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tcp/ir/verify.hpp"

namespace tcp::ranks {

struct LocalCommands {
  const std::vector<std::size_t>& commands;  // by their numbers in the kernel
  const std::vector<ir::TensorId>&arguments, &results;
};

/// Tensors keep their numbers; those that the commands do not use become empty ones of the host. None, and `why`, if
/// the chip cannot know by itself what the commands mean.
std::optional<ir::Module> local_module(const ir::Verified& kernel, std::int64_t chip, const LocalCommands& of, std::string& why);

}  // namespace tcp::ranks
