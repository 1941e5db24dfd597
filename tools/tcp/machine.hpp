// The processes that a command runs in: this one, or all that mpirun started. What they share is the chips of
// `tcp llama`, and the points of `tcp sweep`; every other command is the first rank's alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tcp/runtime/options.hpp"

namespace tcp::tool {

class Machine {
 public:
  virtual ~Machine() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// The chips of all ranks, as one context.
  virtual Context acquire(const ContextOptions& options) { return Context::acquire(options); }
  /// The chips that are this rank's, of so many: the first, and how many.
  virtual std::int64_t first_chip(std::int64_t) const { return 0; }
  virtual std::int64_t chips_here(std::int64_t chips) const { return chips; }
  /// What each rank gives, in their order, on all of them.
  virtual std::vector<std::string> gathered(std::string_view mine) { return {std::string(mine)}; }
};

}  // namespace tcp::tool
