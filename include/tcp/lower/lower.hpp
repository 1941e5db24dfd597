// From a verified module to what a chip is given.
//
// Every pass is a file of src/lower, and lower.cpp is their table of contents. What the rules accept lowers, or is
// refused with a code `lower-…` that names the hardware limit that stops it (docs/limits.md).
#pragma once

#include <functional>
#include <string_view>

#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/version.hpp"

namespace tcp::lower {

/// The passes by name, in their order; what each does is at the head of lower.cpp.
inline constexpr std::string_view pass_names[] = {"place", "outline",   "fetch",  "switch",   "collect",   "contraction", "vector",
                                                  "cast",  "transpose", "commit", "transfer", "resources", "debug"};

/// A pass is about to begin, or has been done.
struct PassReport {
  std::string_view pass;
  double seconds = 0;        // that it took
  const ir::Module& module;  // as it is
  const program::Program& program;
};

struct Options {
  std::function<void(const PassReport&)> before_pass{}, after_pass{};
};

/// Tensors without an address are placed first. Law: the program leaves in memory what the module means.
Expected<program::Program> lower(const ir::Verified& module, const Options& options = {});

}  // namespace tcp::lower
