// A transfer between chips, or between the host and HBM, as runs of bytes: what each chip gets from each other one. It
// is worked out once for a kernel, from the mappings alone, and is the same on all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tcp/ir/verify.hpp"
#include "tcp/ranks/shares.hpp"

namespace tcp::ranks {

/// Bytes counted from the begin of a tensor's part on a chip, or of the tensor in the host's memory.
struct Run {
  std::int64_t from = 0, to = 0, bytes = 0;
};

inline constexpr std::int64_t on_host = -1;

/// What one chip gets from another, or from itself, in the order in which it is sent.
struct Piece {
  std::int64_t from = 0, to = 0;  // chips, or on_host
  std::int64_t bytes = 0;
  std::vector<Run> runs;
};

struct Exchange {
  ir::TensorId source = ir::none, destination = ir::none;  // whole tensors
  std::vector<Piece> pieces;                               // by `to`, then by `from`
};

/// Bytes of a tensor that a chip has, or the host.
std::int64_t bytes_on_chip(const ir::Module& module, ir::TensorId root);
/// Positions of Chip; 1 for a tensor of the host.
std::int64_t chips_of(const ir::Module& module, ir::TensorId root);

/// Whether a command moves something from one chip to another, or between host and chips.
bool is_exchange(const ir::Command& command, const ir::CommandFacts& facts);

/// Needs: a command of which is_exchange is true, in a module whose tensors are placed. None, and `why`, where the
/// layouts are none that runs can be read off: windows, skewed factors, two elements in a byte.
std::optional<Exchange> exchange_of(const ir::Module& module, const ir::Command& command, const Shares& shares, std::string& why);

/// The bytes of a tensor's part on a chip that hold elements, as runs in ascending order (`to`); none: as above.
std::optional<std::vector<Run>> live_runs_of(const ir::Module& module, ir::TensorId root, std::int64_t chip);

}  // namespace tcp::ranks
