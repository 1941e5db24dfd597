// A module that has not been verified yet, lowered.
#pragma once

#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::build {

/// Who runs what is lowered: every_path.cpp, if it is linked in. Throws if two paths disagree.
inline void (*run_by)(const ir::Module&, const Device&) = nullptr;

/// Refused: what the verifier or the compiler refuse.
inline Expected<program::Program> lower_module(const ir::Module& module, const Device& device, const lower::Options& options = {}) {
  auto const verified = ir::verify(module, device);
  if (!verified) return verified.refusal();
  auto program = lower::lower(*verified, options);
  if (program && run_by != nullptr) run_by(module, device);
  return program;
}

}  // namespace tcp::build
