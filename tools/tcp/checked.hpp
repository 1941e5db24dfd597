// A kernel or a crate held against every rule: what `tcp check` prints and what an editor shows.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"
#include "tcp/rust/crate.hpp"

namespace tcp::tool {

/// A kernel that no rule refuses.
struct CompiledKernel {
  ir::Verified verified;
  program::Program program;
};

/// By the rules that see a whole kernel: bytes that tensors share, room, what the engines can be told.
Expected<CompiledKernel> compile_module(const ir::Module& module, const Device& device);

struct CrateCheck {
  std::vector<rust::SourceError> errors;  // each once, though a helper's mistake shows in each kernel that calls it
  std::vector<std::string> notes, generic;
  std::set<std::string> scalars;  // the parameters of all of them that are numbers
  std::size_t kernels = 0, wrong = 0;
};

/// Checks the kernels of a crate, or this one. `visit` gets those that are right.
CrateCheck check_crate(const rust::Crate& crate, const Device& device, const rust::LaunchScalars& scalars, const rust::Kernel* only,
                       const std::function<void(const rust::Kernel&, const CompiledKernel&)>& visit = {});

}  // namespace tcp::tool
