// What each command occupies, and which bytes it reads and writes: what the schedule needs to know of it.
//
// Needs: lowered commands. Leaves: Command::resources, reads and writes. Refuses nothing.
#include <algorithm>

#include "lower/pass.hpp"
#include "lower/transfer/transfer.hpp"
#include "tcp/program/bank_runs.hpp"
#include "tcp/rules/memory.hpp"

namespace tcp::lower {

namespace {

using program::Resource;

program::Range touched(const program::Sequencer& s, const program::Units& units) {
  std::int64_t low = 0, high = 0;
  for (const program::Loop& loop : s.loops) (loop.stride < 0 ? low : high) += (loop.size - 1) * loop.stride;
  return {program::Memory::Dm, units, s.base + low, s.base + high + s.access_bytes};
}

program::Range touched(const program::VrfWalk& w, const program::Units& units) {
  std::int64_t low = 0, high = 0;
  for (const program::Loop& loop : w.loops) (loop.stride < 0 ? low : high) += (loop.size - 1) * loop.stride;
  return {program::Memory::Vrf, units, w.address + low, w.address + high + 4};
}

program::Range touched(const program::Contraction& c, const program::Units& units) {
  std::int64_t low = 0, high = 0;
  for (const program::Loop& loop : c.trf_loops) (loop.stride < 0 ? low : high) += (loop.size - 1) * loop.stride;
  std::int64_t const first = c.trf_row_base + c.trf_first;
  return {program::Memory::Trf, units, (first + low) * c.rows, (first + high + c.trf_read_bytes) * c.rows};
}

/// The 64-access rule, for the command alone.
bool starves_dma(const Device& device, const program::Sequencer& walk) {
  program::BankRuns const runs = bank_runs(device, walk);
  return std::any_of(runs.begin(), runs.end(), [&](std::int64_t run) { return run >= device.dm.same_bank_limit; });
}

void add_vector(const program::Vector& v, const program::Units& units, program::Command& command) {
  for (const program::VectorStep& step : v.steps) {
    if (const auto* b = std::get_if<program::BranchStep>(&step.what))
      if (const auto* log = std::get_if<program::VrfWalk>(&b->by)) command.reads.push_back(touched(*log, units));
    if (const auto* o = std::get_if<program::OperateStep>(&step.what))
      for (const program::OperandSlot& slot : o->operands)
        if (const auto* walk = std::get_if<program::VrfWalk>(&slot.source)) command.reads.push_back(touched(*walk, units));
    if (const auto* b = std::get_if<program::BranchLogStep>(&step.what)) command.writes.push_back(touched(b->to, units));
    if (const auto* w = std::get_if<program::WriteOperandStep>(&step.what)) command.writes.push_back(touched(w->to, units));
    if (const auto* f = std::get_if<program::FilterStep>(&step.what); f != nullptr && f->count_to)
      command.writes.push_back(touched(*f->count_to, units));
  }
}

/// Says of ranges in DM which tensor they belong to.
void add_buffers(const ir::Module& module, const std::vector<ir::TensorId>& touched, std::vector<program::Range>& ranges) {
  for (ir::TensorId id : touched) {
    const ir::Tensor& root = module.tensor(module.root_of(id));
    if (root.memory != Memory::Dm || !root.address) continue;
    auto const held = extent_at(root.type, module.map(root.element), Bytes{*root.address});
    if (!held) continue;
    for (program::Range& r : ranges)
      if (r.memory == program::Memory::Dm && held->begin.value <= r.begin && r.end <= held->end.value)
        r.buffer_begin = held->begin.value, r.buffer_end = held->end.value;
  }
}

struct Ranges {
  const Device& device;
  std::int64_t chips;
  program::Command& command;

  void operator()(const program::Exec& e) {
    program::Units written = e.units;
    written.slices = e.writing;
    program::Units behind = e.units;  // slices that the switch fills work, too
    if (e.switching)
      for (std::size_t i = 0; i < behind.slices.word.size(); ++i) behind.slices.word[i] |= e.writing.word[i];
    auto const walks = program::walks_of(e.fetch, e.units);
    if (!walks.empty()) {
      program::Range read = touched(walks.front(), e.units);
      read.end = touched(walks.back(), e.units).end;
      command.reads.push_back(read);
    }
    if (e.contraction) command.reads.push_back(touched(*e.contraction, behind));
    if (e.vector) add_vector(*e.vector, behind, command);
    if (const auto* commit = std::get_if<program::Commit>(&e.sink)) command.writes.push_back(touched(commit->write, written));
    if (const auto* trf = std::get_if<program::TrfStore>(&e.sink))
      command.writes.push_back({program::Memory::Trf, written, trf->row_base * trf->rows, (trf->row_base + trf->row_bytes) * trf->rows});
    if (const auto* vrf = std::get_if<program::VrfStore>(&e.sink))
      command.writes.push_back({program::Memory::Vrf, written, vrf->address, vrf->address + vrf->bytes});
  }
  void operator()(const program::Dma& dma) { transfer::add_dma_ranges(device, chips, dma, command); }
  void operator()(const program::Itos& i) { command.writes.push_back(touched(program::walk_of(i), i.units)); }
};

}  // namespace

void add_resources(const Device& device, program::Command& command) {
  if (const auto* e = std::get_if<program::Exec>(&command.what)) {
    command.resources = bit(e->sub ? Resource::Sub : Resource::Main);
    // The port that fills the VRF is the sub context's: a store from main takes both.
    if (e->dual || std::holds_alternative<program::VrfStore>(e->sink)) command.resources |= bit(Resource::Sub);
    if (e->switching && e->switching->topology == program::Topology::CustomBroadcast)
      command.resources |= bit(Resource::Sub) | bit(Resource::TensorDma);
    if (!e->fetch.offsets.empty()) command.resources |= bit(Resource::TensorDma);  // that brings their table
    if (e->vector) command.resources |= bit(Resource::VectorEngine);
    const auto* commit = std::get_if<program::Commit>(&e->sink);
    if (starves_dma(device, e->fetch.read) || (commit != nullptr && starves_dma(device, commit->write)))
      command.resources |= bit(Resource::TensorDma);
  } else if (const auto* d = std::get_if<program::Dma>(&command.what)) {
    command.resources = bit(d->pcie ? Resource::PcieDma : d->parallel_copy ? Resource::Sub : Resource::TensorDma);
  } else {
    command.resources = bit(Resource::Sub);
    if (starves_dma(device, program::walk_of(std::get<program::Itos>(command.what)))) command.resources |= bit(Resource::TensorDma);
  }
}

void add_ranges(const ir::Module& module, const Device& device, const ir::Command& from, program::Command& command) {
  std::visit(Ranges{device, module.chips, command}, command.what);
  add_buffers(module, ir::written_by(from), command.writes);
  add_buffers(module, ir::read_by(from), command.reads);
}

}  // namespace tcp::lower
