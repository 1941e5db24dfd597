// A kernel for several chips as steps: modules for one chip, and the exchanges between them.
//
// Commands keep their order, but go to as late a module as those that need them allow. So tensors that are made piece
// by piece, and operands in register files, are not cut in two by an exchange in between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ranks/exchange.hpp"
#include "tcp/dsl/backend.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::ranks {

/// What one chip does between two exchanges. Tensors have the numbers that they have in the kernel.
struct ChipPart {
  std::int64_t chip = 0;
  std::size_t module = 0;  // of Segment::modules
};
struct LocalModule {
  ir::Verified module;
  std::unique_ptr<Keepsake> kept{};
};
struct Segment {
  std::vector<ir::TensorId> arguments, results;  // whole tensors of the kernel
  std::size_t commands = 0;
  std::vector<ChipPart> parts;       // one for each chip of this rank
  std::vector<LocalModule> modules;  // equal on most chips
};

struct Split {
  std::vector<std::variant<Segment, Exchange>> steps;
  std::string whole;  // why the kernel cannot be split; empty: it was
};

/// The steps of one rank.
Split split(const ir::Verified& kernel, const Shares& shares, int rank);

}  // namespace tcp::ranks
