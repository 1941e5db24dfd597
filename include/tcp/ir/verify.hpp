// Whether a module is a program: every rule of include/tcp/rules applied to it, for one device.
//
// The front end has applied the same rules while the kernel compiled, as far as types knew the answer; a module that
// was read from text or built by another compiler is checked here for the first time. What the rules found on the way
// (computed padding, loops, ring sizes, tree depths) is kept, stage by stage, for those who come after: the interpreter
// takes the kinds of padding from it, the compiler its configurations.
//
//   Expected<Verified> module = verify(std::move(m), device);        // then run(*module, …), or lower(*module)
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/rules/pass.hpp"
#include "tcp/rules/shuffle.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::ir {

/// What a stage's rule found. It is little: mappings go by their numbers in the verified module, and
/// the rest of what a rule found out is shared by all stages that asked the same of the same stream.
struct StageFacts {
  Shape out{};  // the stream after the stage, with the kinds of padding that it really has; of a sink, what went in
  std::variant<std::monostate, std::shared_ptr<const Fetched>, std::shared_ptr<const Switched>, std::shared_ptr<const Aligned>,
               std::shared_ptr<const Contracted>, std::shared_ptr<const Accumulated>, std::shared_ptr<const BranchPlan>,
               std::shared_ptr<const Loops>, std::shared_ptr<const IntraSliceResult>, std::shared_ptr<const InterSliceResult>,
               std::shared_ptr<const TransposeResult>, std::shared_ptr<const Committed>, std::shared_ptr<const TrfStored>,
               std::shared_ptr<const VrfStored>>
      found;

  /// What the rule found; `Found` must be the record of this kind of stage.
  template <class Found>
  const Found& as() const {
    return *std::get<std::shared_ptr<const Found>>(found);
  }
  /// Null where the rule found something else.
  template <class Found>
  const Found* if_found() const {
    const auto* shared = std::get_if<std::shared_ptr<const Found>>(&found);
    return shared == nullptr ? nullptr : shared->get();
  }
};

struct PassFacts {
  std::vector<StageFacts> stages;
};

/// What the rules found of a command. Commands that differ only in where their tensors are share it.
class CommandFacts {
 public:
  CommandFacts() = default;
  template <class Found>
  explicit CommandFacts(Found found) : found_(std::make_shared<const Found>(std::move(found))) {}

  template <class Found>
  const Found& as() const {
    return *std::get<std::shared_ptr<const Found>>(found_);
  }
  template <class Found>
  const Found* if_found() const {
    const auto* shared = std::get_if<std::shared_ptr<const Found>>(&found_);
    return shared == nullptr ? nullptr : shared->get();
  }

 private:
  std::variant<std::monostate, std::shared_ptr<const PassFacts>, std::shared_ptr<const DmaPlan>, std::shared_ptr<const Gathered>,
               std::shared_ptr<const ChipSliced>, std::shared_ptr<const MemsetWrites>>
      found_;
};

struct Facts {
  Indexed<CommandFacts, CommandId> commands;  // one per command of the module
};

struct Taken;

/// A module that the rules accept on one device, and what they found of it. Only verify makes one, and nothing in it
/// changes afterwards, so that those who come after need not ask the rules again. A copy costs a pointer.
class Verified {
 public:
  const Module& module() const { return contents_->module; }
  const Device& device() const { return contents_->device; }
  const Facts& facts() const { return contents_->facts; }

  /// The stream after a stage.
  Levels levels(const StageFacts& stage) const { return module().levels(stage.out); }

 private:
  friend Expected<Verified> verify(Module module, const Device& device);
  friend Expected<Verified> placed(Verified module, const std::vector<Taken>& taken);

  struct Contents {
    Module module;
    Device device;
    Facts facts;
  };
  explicit Verified(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<Contents> contents_;
};

Expected<Verified> verify(Module module, const Device& device);

// The rules while a module is being made, so that a mistake can be refused where it is made. What takes the whole
// module to see (bytes that two tensors share, registers that a pass uses twice) is left to verify.

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
  Verdict next(const Stage& stage);
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

// What an executor says when an undefined value decides a result: one sentence for all executors.

/// A coordinate of the element that was found.
struct CoordinateOf {
  Name axis{};
  std::int64_t at = 0;
};

/// `origin` says where the undefined value came from, `at` which line made it; without one, the result's own.
Refusal undefined_result(const Module& module, TensorId result, const std::vector<CoordinateOf>& element, std::string_view origin,
                         Where at);

}  // namespace tcp::ir
