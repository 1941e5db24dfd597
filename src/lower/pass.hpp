// What the passes of lowering share: the command at hand, with what the rules found of it.
#pragma once

#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"

namespace tcp::lower {

/// One pass through the Tensor Unit while it is lowered: `stages[i]` of the module with `facts.stages[i]`.
struct TensorUnitPass {
  const ir::Module& module;
  const Device& device;
  const ir::Pass& pass;
  const ir::PassFacts& facts;
  Where at{};

  const ir::Stage& stage(std::size_t i) const { return pass.stages[i]; }
  const ir::StageFacts& found(std::size_t i) const { return facts.stages[i]; }
  Where where(std::size_t i) const { return pass.stages[i].at.known() ? pass.stages[i].at : at; }
  /// The stream that goes into stage i; of the fetch, its source.
  Levels in(std::size_t i) const { return i == 0 ? module.levels(module.tensor(pass.source[0])) : out(i - 1); }
  ScalarType type_in(std::size_t i) const { return i == 0 ? module.tensor(pass.source[0]).type : facts.stages[i - 1].out.type; }
  /// One level of it. Needs: a stage after the fetch.
  const Mapping& in(std::size_t i, Level level) const { return out(i - 1, level); }
  /// The stream that comes out of stage i, and one level of it.
  Levels out(std::size_t i) const { return module.levels(facts.stages[i].out); }
  const Mapping& out(std::size_t i, Level level) const { return module.map(facts.stages[i].out.at(level)); }
};

// sequencer.cpp
/// Loops over elements as a walk over bytes: what lies together is folded into accesses of `access` bytes.
program::Sequencer sequencer_of(const Loops& loops, ScalarType type, Bytes access, std::int64_t accesses_per_packet, std::int64_t packets,
                                std::int64_t address);

// units.cpp
program::Units units_of(const Levels& levels);
program::SliceSet slice_set(const SliceMask& mask);

// One engine each.
program::Fetch lower_fetch(const TensorUnitPass& p, std::size_t i);
/// The record for another answer of the rules than the verifier's.
program::Fetch fetch_record(const TensorUnitPass& p, std::size_t i, const Fetched& f);
Expected<program::Switch> lower_switch(const TensorUnitPass& p, std::size_t i);
program::Collect lower_collect(const TensorUnitPass& p, std::size_t i);
Expected<program::Contraction> lower_contraction(const TensorUnitPass& p, std::size_t align, std::size_t contract, std::size_t accumulate);
/// From vector_init at `first` to vector_final at `last`.
Expected<program::Vector> lower_vector(const TensorUnitPass& p, std::size_t first, std::size_t last, program::Fetch& fetch);
program::Transpose lower_transpose(const TensorUnitPass& p, std::size_t i);
program::Commit lower_commit(const TensorUnitPass& p, std::size_t i);
program::TrfStore lower_trf_store(const TensorUnitPass& p, std::size_t i);
program::VrfStore lower_vrf_store(const TensorUnitPass& p, std::size_t i);

/// Memory to memory.
Expected<program::Dma> lower_transfer(const ir::Module& module, const Device& device, const ir::Transfer& transfer,
                                      const ir::CommandFacts& facts, Where at);
Expected<program::Dma> lower_host_transfer(const ir::Module& module, const Device& device, const ir::HostTransfer& transfer,
                                           const ir::CommandFacts& facts, Where at);

// resources.cpp: what commands occupy, and which bytes they touch.
void add_resources(const Device& device, program::Command& command);
void add_ranges(const ir::Module& module, const Device& device, const ir::Command& from, program::Command& command);

// debug.cpp: names, mappings and source lines.
/// Programs hold printable ASCII only; names of files may be anything.
std::string plain(std::string text);
/// `origin`: the command of the module that each of the program comes from.
void add_debug(const ir::Module& module, const std::vector<ir::CommandId>& origin, program::Program& program);

}  // namespace tcp::lower
