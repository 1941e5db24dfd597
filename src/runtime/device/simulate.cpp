// What stands between tensors and a machine that knows bytes only: images go into its memory, padding undefined unless
// its kind is zero; results come out, and if a live element of one is undefined, the command that wrote it is named.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/values.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/mapping/walk.hpp"
#include "tcp/program/print.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/runtime/simulate.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/sim/machine.hpp"
#include "tcp/support/room.hpp"

// Forgets the bytes of dead tensors. A machine knows bytes, not tensors: where a tensor lies in the bytes of one that
// is no longer used, and is read before it is written, the machine would show it what the other has left. Once the
// last command that touches a tensor has run, what was written to it therefore counts as undefined.

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

namespace {

/// One memory that holds a part of a tensor: the HBM of a chip, the host's, or the DM of a slice.
struct HeldIn {
  std::int64_t chip = 0;
  sim::MemoryUnit in{};
};

/// The places of a tensor, memory by memory, in the order of its image.
class Places {
 public:
  explicit Places(const Levels& levels) : levels_(levels) {
    plain_ = true;
    for (Level level : {Level::chip, Level::cluster, Level::slice})
      plain_ &= levels[level].size == 1 && levels[level].digits == 0 && levels[level].axes == 0;
    const Mapping& element = levels[Level::element];
    for (int k = 0; k < element.digits; ++k) plain_ &= !element.digit[k].in_window() && element.digit[k].skewed_by == no_axis;
    for (Level level : {Level::chip, Level::cluster, Level::slice, Level::element}) {
      const Mapping& m = levels[level];
      for (int k = 0; k < m.digits; ++k) has_zeros_ |= m.digit[k].pad == Pad::zero;
      for (int t = 0; t < m.tails; ++t) has_zeros_ |= m.tail[t].pad == Pad::zero;
    }
    all_live_ = plain_ && has_no_padding(element);
    for (Level level : {Level::chip, Level::cluster, Level::slice}) slots_.set(level, levels[level]);
    for (Mapping& m : slots_.at)
      for (int a = 0; a < m.axes; ++a) m.axis[a].start = 0, m.axis[a].extent = INT64_MAX;
  }

  std::int64_t memories() const { return levels_[Level::chip].size * levels_[Level::cluster].size * levels_[Level::slice].size; }
  std::int64_t elements() const { return levels_[Level::element].size; }
  HeldIn unit(std::int64_t memory) const {
    std::int64_t const slices = levels_[Level::slice].size, clusters = levels_[Level::cluster].size;
    return {memory / slices / clusters, {memory / slices % clusters, memory % slices}};
  }
  Cell at(std::int64_t memory, std::int64_t element) const {
    HeldIn const u = unit(memory);
    return cell(levels_, {.chip = u.chip, .cluster = u.in.cluster, .slice = u.in.number, .element = element});
  }

  /// Whether a memory has padding alone that may hold anything: a cluster or slice without any element.
  bool is_idle(std::int64_t memory) const {
    HeldIn const u = unit(memory);
    Cell const c = cell(slots_, {.chip = u.chip, .cluster = u.in.cluster, .slice = u.in.number});
    return c.kind == CellKind::padding && c.pad != Pad::zero;
  }
  /// Whether a place that holds no element is guaranteed to be zero.
  bool is_zero(std::int64_t memory, std::int64_t element) const { return has_zeros_ && at(memory, element).pad == Pad::zero; }
  /// Calls visit(element) for every place of a memory that holds none.
  template <class Visit>
  void each_padding(std::int64_t memory, Visit visit) const {
    if (all_live_) return;
    if (plain_) {
      Walk(levels_[Level::element]).each([&](const Walk& w) {
        if (!w.live()) visit(w.position());
      });
      return;
    }
    for (std::int64_t element = 0; element < elements(); ++element)
      if (at(memory, element).kind == CellKind::padding) visit(element);
  }

 private:
  /// Needs: no windows, no skew.
  static bool has_no_padding(const Mapping& m) {
    if (m.tails > 0) return false;
    std::vector<std::int64_t> furthest;
    for (int a = 0; a < m.axes; ++a) {
      if (m.axis[a].start < 0) return false;
      furthest.push_back(m.axis[a].start);
    }
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.slot != d.size) return false;
      if (d.axis == no_axis) continue;
      std::int64_t& last = furthest[static_cast<std::size_t>(d.axis)];
      last += (d.size - 1) * d.stride;
      if (last >= m.axis[d.axis].extent) return false;
    }
    return true;
  }

  Levels levels_;
  Levels slots_;  // Chip, Cluster and Slice with axes that never end: where an axis ends is for all levels together to say
  bool plain_ = false, has_zeros_ = false, all_live_ = false;
};

class Simulation {
 public:
  Simulation(const ir::Module& module, const Device& device, const SimulateOptions& options)
      : module_(module), device_(device), options_(options), machine_(device, module.chips, options.machine) {}

  Expected<Images> run(program::Program program, const Images& arguments) {
    std::vector<program::Region> const results = program.results;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (auto v = fill(module_.arguments[i], program.arguments[i], *arguments[i]); !v) return v.refusal();
    if (auto v = run_commands(std::move(program)); !v) return v.refusal();
    Images images;
    for (std::size_t i = 0; i < results.size(); ++i) {
      auto image = read(i, results[i]);
      if (!image) return image.refusal();
      images.push_back(std::make_shared<const Image>(*std::move(image)));
    }
    return images;
  }

 private:
  Verdict run_commands(program::Program program) {
    std::size_t const commands = program.commands.size();
    std::size_t ended = 0;
    auto planned = plan(program, device_, {options_.model, options_.reorder, [&](std::size_t so_far, std::size_t) {
                                             ended = so_far;
                                             if (options_.on_progress) options_.on_progress(ended, commands);
                                             return !stopped();
                                           }});
    if (!planned) return planned.refusal();
    Plan made = *std::move(planned);
    if (!made.complete) {
      if (auto v = trace(program, made); !v) return v;
      return interrupted(ended, commands);
    }
    if (options_.on_schedule) options_.on_schedule(program, made.schedule);
    // The machine takes the schedule; what is to be traced is kept.
    program::Schedule schedule = options_.on_trace ? made.schedule : std::move(made.schedule);
    Deaths deaths(module_, program);
    if (auto v = machine_.submit(std::move(program), std::move(schedule)); !v) return v;
    if (options_.observer != nullptr) machine_.observe(*options_.observer);
    if (options_.on_trace && options_.values > 0) values_.emplace(machine_, options_.values).arguments(machine_.program(0));
    return run_values(made, deaths, commands);
  }
  Verdict run_values(Plan& made, Deaths& deaths, std::size_t commands) {
    std::vector<bool> ran(commands, false);
    for (std::size_t done = 0; !machine_.done(); ++done) {
      if (stopped()) {
        if (options_.on_trace) {
          cut_short(made, ran);
          if (auto v = trace(machine_.program(0), made); !v) return v;
        }
        return interrupted(done, commands);
      }
      auto const happened = machine_.step();
      if (!happened) return at_source(happened.refusal());
      ran[static_cast<std::size_t>(happened->command)] = true;
      if (values_) values_->after(machine_.program(0), static_cast<std::size_t>(happened->command));
      deaths.after(static_cast<std::size_t>(happened->command), machine_);
      if (options_.on_progress) options_.on_progress(done + 1, commands);
    }
    return commands == 0 ? accept() : trace(machine_.program(0), made);
  }
  bool stopped() const { return options_.stop && options_.stop(); }
  Verdict trace(const program::Program& program, const Plan& made) const {
    if (!options_.on_trace) return accept();
    trace::Trace traced = trace_of(program, made, device_);
    if (values_) traced.values = values_->all();
    return options_.on_trace(std::move(traced));
  }
  static Refusal interrupted(std::size_t done, std::size_t commands) {
    return refuse("runtime-interrupted")
        .what("interrupted after ", done, " of ", commands, " commands")
        .why("Ctrl-C, or ContextOptions::stop, asked for it")
        .help("run it again to the end; if a trace was asked for, it has what was done");
  }
  Verdict fill(ir::TensorId id, const program::Region& region, const Image& image) {
    const ir::Tensor& t = module_.tensor(id);
    Places const places(module_.levels(t));
    std::int64_t const halves = scalar_info(t.type).packet_bits / 4;
    for (std::int64_t m = 0; m < places.memories(); ++m) {
      if (places.is_idle(m)) continue;
      HeldIn const u = places.unit(m);
      std::span<const std::byte> const part(image.data() + m * region.bytes, static_cast<std::size_t>(region.bytes));
      if (auto v = machine_.write(region.memory, u.chip, region.address, part, u.in); !v) return v;
      places.each_padding(m, [&](std::int64_t element) {
        if (!places.is_zero(m, element)) machine_.undefine(region.memory, u.chip, 2 * region.address + element * halves, halves, u.in);
      });
    }
    return accept();
  }

  Expected<Image> read(std::size_t result, const program::Region& region) {
    ir::TensorId const id = module_.results[result];
    const ir::Tensor& t = module_.tensor(id);
    Places const places(module_.levels(t));
    Image image(static_cast<std::size_t>(region.bytes * places.memories()));
    for (std::int64_t m = 0; m < places.memories(); ++m) {
      if (places.is_idle(m)) continue;
      HeldIn const u = places.unit(m);
      std::span<std::byte> const part(image.data() + m * region.bytes, static_cast<std::size_t>(region.bytes));
      if (auto v = machine_.read(region.memory, u.chip, region.address, part, u.in); !v) return v.refusal();
      if (machine_.any_undefined(region.memory, u.chip, 2 * region.address, 2 * region.bytes, u.in))
        if (auto v = settle_undefined(result, t, region, places, m, part); !v) return v.refusal();
      places.each_padding(m, [&](std::int64_t element) { store_scalar_bits(part.data(), t.type, element, 0); });
    }
    return image;
  }

  /// Refuses the first live element of a memory that is undefined; or makes all of them zero, and tells of them.
  Verdict settle_undefined(std::size_t result, const ir::Tensor& t, const program::Region& region, const Places& places,
                           std::int64_t memory, std::span<std::byte> part) const {
    std::int64_t const halves = scalar_info(t.type).packet_bits / 4;
    HeldIn const u = places.unit(memory);
    for (std::int64_t element = 0; element < places.elements(); ++element) {
      std::int64_t const first = 2 * region.address + element * halves;
      if (!machine_.any_undefined(region.memory, u.chip, first, halves, u.in)) continue;
      Cell const c = places.at(memory, element);
      if (c.kind == CellKind::padding) continue;
      Origin const from = origin(region.memory, u, first / 2);
      if (options_.check) return undefined_element(result, c, from);
      store_scalar_bits(part.data(), t.type, element, 0);
      if (options_.on_undefined) options_.on_undefined({result, c.index, from.what, from.at});
    }
    return accept();
  }
  struct Origin {
    std::string what;
    Where at;
  };
  Origin origin(program::Memory memory, const HeldIn& unit, std::int64_t address) const {
    sim::Happened const writer = machine_.last_writer(memory, unit.chip, address, unit.in);
    if (writer.command < 0) return {"no command has written it", {}};
    const program::Program& p = machine_.program(writer.program);
    const program::Command& command = p.commands[static_cast<std::size_t>(writer.command)];
    std::string says = "command " + std::to_string(writer.command);
    if (const program::DebugCommand* d = debug_of(p, command); d != nullptr) says += " (" + d->name.substr(0, 60) + ")";
    return {says + " was the last to write it, from memory that nothing had written", where(command, p)};
  }
  Refusal undefined_element(std::size_t result, const Cell& c, const Origin& from) const {
    std::vector<ir::CoordinateOf> element;
    for (int i = 0; i < c.index.n; ++i) element.push_back({c.index.axis[i], c.index.at[i]});
    return ir::undefined_result(module_, module_.results[result], element, from.what, from.at);
  }

  /// The place in the source where a command of the program came from, as the module has it: its names outlive the
  /// machine.
  Where where(const program::Command& command, const program::Program& p) const {
    const program::DebugCommand* d = debug_of(p, command);
    const program::SourceLine* at = d == nullptr ? nullptr : line_of(p, d->at);
    if (at == nullptr) return {};
    for (const ir::Command& c : module_.commands)
      if (c.at.line == at->line && at->file == c.at.file) return c.at;
    return {};
  }
  /// A refusal of the machine points into texts that go away with it.
  Refusal at_source(Refusal r) const {
    Where at;
    for (const ir::Command& c : module_.commands)
      if (c.at.line == r.at.line && std::string_view(c.at.file) == r.at.file) at = c.at;
    r.at = at;
    return r;
  }

  const ir::Module& module_;
  const Device& device_;
  const SimulateOptions& options_;
  sim::Machine machine_;
  std::optional<ValueRecorder> values_;
};

}  // namespace

Expected<Images> simulate(const ir::Module& module, const Device& device, program::Program program, const Images& arguments,
                          const SimulateOptions& options) {
  return within_memory([&] { return Simulation(module, device, options).run(std::move(program), arguments); });
}

Expected<Images> simulate(const ir::Verified& module, const Images& arguments, const SimulateOptions& options) {
  auto program = lower::lower(module);
  if (!program) return program.refusal();
  return simulate(module.module(), module.device(), *std::move(program), arguments, options);
}

}  // namespace tcp
