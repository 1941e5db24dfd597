// The part of the verifier that follows a stream from its fetch to its sink.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::ir {

/// `module` takes the mappings that stages make and that the author has not written.
Expected<PassFacts> verify_pass(Module& module, const Device& device, const Pass& pass, Where at);
/// What depends on where the tensors of an accepted pass are.
Verdict check_pass_addresses(const Module& module, const Device& device, const Pass& pass, const PassFacts& facts, Where at);

/// One side of a transfer.
DmaTensor dma_tensor(const Module& module, TensorId id);

// Commands that ask the same of the rules: they differ in nothing but which tensors they name, and where these are.
//
// A kernel that works on tiles says the same thing many times. What the rules found of the first of such commands holds
// for all of them, so that the verifier asks once. Addresses are left out of the comparison, except in the VRF: who
// uses the facts of a command that is alike checks addresses himself.

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
