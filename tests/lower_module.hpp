// A module that has not been verified yet, lowered.
#pragma once

#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::build {

/// Refused: what the verifier or the compiler refuse.
inline Expected<program::Program> lower_module(const ir::Module& module, const Device& device, const lower::Options& options = {}) {
  auto const verified = ir::verify(module, device);
  if (!verified) return verified.refusal();
  return lower::lower(*verified, options);
}

}  // namespace tcp::build
