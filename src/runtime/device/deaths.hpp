// Forgets the bytes of dead tensors. A machine knows bytes, not tensors: where a tensor lies in the bytes of one that
// is no longer used, and is read before it is written, the machine would show it what the other has left. Once the
// last command that touches a tensor has run, what was written to it therefore counts as undefined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/program/print.hpp"
#include "tcp/sim/machine.hpp"

namespace tcp {

class Deaths {
 public:
  /// The program was lowered from the module. Register files are left out: the debug section does not say which
  /// commands read one as an operand.
  Deaths(const ir::Module& module, const program::Program& program) : touched_(program.commands.size()), used_(module.tensors.size()) {
    for (std::size_t i = 0; i < program.commands.size(); ++i) {
      const program::Command& c = program.commands[i];
      const program::DebugCommand* const d = debug_of(program, c);
      if (d == nullptr) continue;
      for (std::int32_t id : d->sources) touch(module, i, ir::TensorId(id), c.reads, false);
      if (d->rows) touch(module, i, ir::TensorId(*d->rows), c.reads, false);
      if (d->destination) touch(module, i, ir::TensorId(*d->destination), c.writes, true);
    }
    for (ir::TensorId id : module.results) used_[module.root_of(id)].dies = false;  // a result may be a view
    find_shared(module);
  }

  /// After a command has run.
  void after(std::size_t command, sim::Machine& machine) {
    for (ir::TensorId id : touched_[command])
      if (--used_[id].commands == 0 && used_[id].dies && used_[id].shared)
        for (const program::Range& r : used_[id].written) undefine(r, machine);
  }

 private:
  struct Used {
    std::int64_t commands = 0;            // that are still to run
    std::vector<program::Range> written;  // by any of them
    std::int64_t begin = INT64_MAX, end = 0;
    bool dies = false;    // this module's alone
    bool shared = false;  // another tensor lies in some of its bytes
  };

  static bool is_in(Memory memory, program::Memory of) {
    return (memory == Memory::Hbm && of == program::Memory::Hbm) || (memory == Memory::Dm && of == program::Memory::Dm) ||
           (memory == Memory::Spm && of == program::Memory::Spm);
  }
  void touch(const ir::Module& module, std::size_t command, ir::TensorId id, const std::vector<program::Range>& ranges, bool writes) {
    ir::TensorId const root = module.root_of(id);
    const ir::Tensor& t = module.tensor(root);
    Used& used = used_[root];
    used.dies = t.role == ir::Role::temporary;
    for (const program::Range& r : ranges) {
      if (!is_in(t.memory, r.memory)) continue;
      used.begin = std::min(used.begin, r.begin);
      used.end = std::max(used.end, r.end);
      if (writes) used.written.push_back(r);
    }
    std::vector<ir::TensorId>& all = touched_[command];
    if (std::find(all.begin(), all.end(), root) != all.end()) return;
    all.push_back(root);
    ++used.commands;
  }
  void find_shared(const ir::Module& module) {
    for (Memory memory : {Memory::Hbm, Memory::Dm, Memory::Spm}) {
      std::vector<Used*> there;
      for (ir::TensorId id : used_.ids())
        if (module.tensor(id).memory == memory && used_[id].begin < used_[id].end) there.push_back(&used_[id]);
      std::sort(there.begin(), there.end(), [](const Used* a, const Used* b) { return a->begin < b->begin; });
      Used* furthest = nullptr;
      for (Used* u : there) {
        if (furthest != nullptr && u->begin < furthest->end) u->shared = furthest->shared = true;
        if (furthest == nullptr || u->end > furthest->end) furthest = u;
      }
    }
  }
  static void undefine(const program::Range& r, sim::Machine& machine) {
    std::int64_t const halves = 2 * (r.end - r.begin);
    for (std::size_t chip = 0; chip < r.units.chips.size(); ++chip) {
      if (!r.units.chips[chip]) continue;
      auto const number = static_cast<std::int64_t>(chip);
      if (r.memory == program::Memory::Hbm) {
        machine.undefine(r.memory, number, 2 * r.begin, halves);
        continue;
      }
      auto const slices = static_cast<std::int64_t>(64 * r.units.slices.word.size());
      for (std::int64_t cluster = 0; r.units.clusters >> cluster != 0 && cluster < 32; ++cluster)
        for (std::int64_t s = 0; s < slices && (r.units.clusters >> cluster & 1) != 0; ++s)
          if (r.units.slices.contains(s)) machine.undefine(r.memory, number, 2 * r.begin, halves, {cluster, s});
    }
  }

  std::vector<std::vector<ir::TensorId>> touched_;  // roots, by command
  Indexed<Used, ir::TensorId> used_;                // by root
};

}  // namespace tcp
