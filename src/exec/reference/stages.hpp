// The table of contents of a pass: every stage, and what it finds and leaves behind.
// Commands of their own are at the end.
#pragma once

#include "exec/reference/memory.hpp"
#include "tcp/exec/reference/vector.hpp"
#include "tcp/rules/contraction.hpp"

namespace tcp::reference {

/// A pass that is being run: the stream as it leaves the last stage, and what stages leave for later ones.
struct PassRun {
  const ir::Module& module;
  Memory& memory;
  const ir::Pass& pass;
  Value stream{};
  Levels levels{};  // of the stream

  // The stage at hand.
  const ir::Stage* stage = nullptr;
  const ir::StageFacts* found = nullptr;
  Levels out{};  // of the stream after it

  // Contraction: from align and contract, for accumulate.
  Value weights{};
  ContractOp op = ContractOp::Add;
  const Aligned* aligned = nullptr;
  const Contracted* contracted = nullptr;

  // Vector Engine.
  Value ids{};  // the execution id of each element
  std::optional<Value> stash{};
  std::optional<TwoGroups> groups{};  // between unzip and zip, instead of the stream

  /// The stream is what the levels after the stage hold of it: elements have moved, none has changed.
  Verdict moved();
  /// All elements take part again, as at the begin of the engine.
  void restart_ids();
  /// The stream may lack axes along which all its elements are the same: copies in other slices, packets that were
  /// fetched again. An operand that has such
  /// an axis tells the copies apart.
  void tell_copies_apart(const Value& operand);
  /// A VRF tensor as the stream sees it: where it counts fewer steps of an axis, each serves several.
  Value operand(ir::TensorId vrf) const;
};

// What each stage of rules/stages.def does. The file is named after the stage, or after the operation that several
// stages share:
//
//   fetch, cast, commit, filter, unzip, vector_operation, write_operand, intra_slice_reduce, inter_slice_reduce
//   move              switch, collect and transpose
//   contraction       align, contract and accumulate
//   branch            which lanes take part: begin and end of the Vector Engine, branches and their log
//   register_files    the sinks of TRF and VRF
#define TCP_STAGE(RECORD, ...) Verdict apply(const ir::RECORD& stage, PassRun& run);
#include "tcp/rules/stages.def"

// write_operand.cpp. Stages that read what a stage of this pass writes back run step by step of Time, not one after the
// other.

inline constexpr std::size_t none_in_time = static_cast<std::size_t>(-1);

/// If the stage at `first` reads or writes the operand that this pass writes back: the last stage that does so. Between
/// the two, time steps matter.
std::size_t last_in_time(const ir::Module& module, const ir::Pass& pass, std::size_t first);
/// The stages from `first` to `last`, step by step of Time: each step reads what those before it have written.
void run_in_time(PassRun& run, std::size_t first, std::size_t last);

/// What a command is run with.
struct CommandRun {
  const ir::Module& module;
  Memory& memory;
  const ir::CommandFacts& found;  // what the rules found of the command
};

Verdict execute(const ir::Transfer& transfer, const CommandRun& run);           // transfer.cpp
Verdict execute(const ir::HostTransfer& host_transfer, const CommandRun& run);  // host_transfer.cpp
Verdict execute(const ir::Memset& memset, const CommandRun& run);               // memset.cpp
Verdict execute(const ir::Pass& pass, const CommandRun& run);                   // pass.cpp

}  // namespace tcp::reference
