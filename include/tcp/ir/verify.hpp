// Whether a module is a program: every rule of include/tcp/rules applied to it, for one device.
//
// The front end has applied the same rules while the kernel compiled, as far as types knew the answer; a module that was read from text or built by another
// compiler is checked here for the first time. What the rules found on the way (computed padding, loops, ring sizes, tree depths) is kept, stage by stage, for
// those who come after: the interpreter takes the kinds of padding from it, the compiler its configurations.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/rules/pass.hpp"
#include "tcp/rules/shuffle.hpp"

namespace tcp::ir {

/// What a stage's rule found. `out` is the stream behind it, with the kinds of padding that it really has.
struct StageFacts {
  Levels out{};
  ScalarType type = ScalarType::i32;
  std::variant<std::monostate, Fetched, Switched, Aligned, Contracted, Accumulated, BranchPlan, Loops, IntraSliceResult, InterSliceResult,
               TransposeResult, Committed, TrfStored, VrfStored>
      found;
};

struct PassFacts {
  std::vector<StageFacts> stages;
};

using CommandFacts = std::variant<std::monostate, PassFacts, DmaPlan, Gathered, ChipSliced, MemsetWords>;

struct Facts {
  std::vector<CommandFacts> commands;  // one a command of the module
};

Expected<Facts> verify(const Module& module, const Device& device);

// The same rules while a module is being made, so that a mistake can be refused where it is made. What takes the whole module to see (bytes that two tensors
// share, registers that a pass uses twice) is left to verify.

Verdict verify_tensor(const Module& module, const Device& device, const Tensor& tensor);
Verdict verify_transfer(const Module& module, const Device& device, const Transfer& transfer, Where at);
Verdict verify_memset(const Module& module, const Device& device, const Memset& memset, Where at);

class PassVerifier;

/// A stream on its way through the Tensor Unit. Module and device must outlive it; a copy goes its own way from there.
class OpenPass {
 public:
  /// `pass`: its context and sources; the stages are given one by one. Refused: sources that no pass can have.
  static Expected<OpenPass> begin(const Module& module, const Device& device, Pass pass, Where at);

  OpenPass(const OpenPass&) = default;  // and no moves: what was taken on stays what it was
  OpenPass& operator=(const OpenPass&) = default;

  /// After a refusal it is where it was before.
  Expected<StageFacts> next(const Stage& stage);
  /// The stream as the last stage left it, and the type of its elements.
  const Levels& stream() const;
  ScalarType type() const;
  /// Between vector_intra_slice_unzip and the zip that ends it.
  bool paired() const;

 private:
  OpenPass(std::shared_ptr<const Pass> pass, std::shared_ptr<const PassVerifier> at);

  std::shared_ptr<const Pass> pass_;
  std::shared_ptr<const PassVerifier> at_;
};

/// A pass's fetch as rules/fetch.hpp asks for it.
FetchHow fetch_how(const Module& module, const Pass& pass, const Fetch& fetch);

}  // namespace tcp::ir
