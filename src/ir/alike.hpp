// Commands that ask the same of the rules: they differ in nothing but which tensors they name, and where these are.
//
// A kernel that works on tiles says the same thing many times. What the rules found of the first of such commands holds
// for all of them, so that the verifier asks once. Addresses are left out of the comparison, except in the VRF: who
// uses the facts of a command that is alike checks addresses himself.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tcp/ir/module.hpp"

namespace tcp::ir {

class AlikeCommands {
 public:
  /// `module` must outlive it. Mappings may be added meanwhile.
  AlikeCommands(const Module& module, const Indexed<TensorId, TensorId>& roots) : module_(module), roots_(roots) {}

  /// A command that was asked about before and is like this one.
  std::optional<CommandId> earlier(CommandId command);

 private:
  const Module& module_;
  const Indexed<TensorId, TensorId>& roots_;
  std::unordered_map<std::uint64_t, std::vector<CommandId>> by_hash_;
};

}  // namespace tcp::ir
