// Owns the memories of the chips and the programs that were submitted, and executes command after command: dma.cpp
// moves, pass.cpp computes, hazards.cpp watches a given schedule.
#include "tcp/sim/machine.hpp"
#include "tcp/program/print.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "sim/commands.hpp"
#include "sim/hazards.hpp"
#include "tcp/program/check.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::sim {

namespace {

struct Job {
  program::Program program;
  program::Schedule schedule;
  std::optional<HazardWatch> watch;  // with a schedule; it looks into the two
  std::size_t next = 0;

  std::int32_t command(std::size_t i) const { return watch ? watch->order()[i] : static_cast<std::int32_t>(i); }
};

Where where_of(const program::Program& p, const program::Command& c) {
  const program::DebugCommand* d = debug_of(p, c);
  const program::SourceLine* at = d == nullptr ? nullptr : line_of(p, d->at);
  return at == nullptr ? Where{} : Where{at->file.c_str(), at->line, at->column};
}

}  // namespace

struct Machine::State {
  const Device& device;
  Options options;
  std::vector<std::unique_ptr<Chip>> chips;
  std::deque<Job> jobs;  // all that were submitted; a job does not move
  std::size_t current = 0;
  std::vector<Observer*> observers;

  SparseMemory* memory(program::Memory memory, std::int64_t chip, MemoryUnit unit) {
    Chip& c = *chips[static_cast<std::size_t>(chip)];
    switch (memory) {
      case program::Memory::Host: return &c.host;
      case program::Memory::Hbm: return &c.hbm;
      case program::Memory::Dm: return &c.slice(unit.cluster, unit.number).dm;
      case program::Memory::Vrf: return &c.slice(unit.cluster, unit.number).vrf;
      case program::Memory::Spm: return &c.spm(unit.cluster, unit.number);
      case program::Memory::Trf: break;
    }
    return nullptr;
  }
  Verdict check_access(program::Memory which, std::int64_t chip, std::int64_t address, std::int64_t bytes) const {
    std::int64_t const room = which == program::Memory::Trf   ? 0
                              : !device.checks.geometry       ? INT64_MAX
                              : which == program::Memory::Hbm ? device.hbm.capacity.value
                              : which == program::Memory::Dm  ? device.dm.slice_capacity.value
                              : which == program::Memory::Spm ? device.spm.pe_capacity.value
                              : which == program::Memory::Vrf ? device.vrf.slice_capacity.value
                                                              : INT64_MAX;
    if (chip >= 0 && chip < static_cast<std::int64_t>(chips.size()) && address >= 0 && bytes <= room && address <= room - bytes)
      return accept();
    return refuse("sim-no-such-memory")
        .what("the host asks for ", bytes, " bytes at address ", address, " of chip ", chip, "; the machine has ", chips.size(),
              " chips, and this memory ", room, " bytes")
        .why("the host reaches HBM, DM, SPM and VRF of the machine's chips")
        .help("ask for bytes that are there");
  }

  Expected<Happened> run(Job& job) {
    std::int32_t const number = job.command(job.next);
    const program::Command& command = job.program.commands[static_cast<std::size_t>(number)];
    Happened happened;
    happened.program = static_cast<std::int32_t>(current);
    happened.command = number;
    if (job.watch) {
      if (auto v = job.watch->start(number); !v) return v.refusal();
      happened.start = job.schedule.commands[static_cast<std::size_t>(number)].start;
      happened.end = job.schedule.commands[static_cast<std::size_t>(number)].end;
    }
    for (Observer* o : observers) o->before(job.program, number);
    Where const at = where_of(job.program, command);
    Verdict v = accept();
    if (const auto* exec = std::get_if<program::Exec>(&command.what)) {
      PassContext const context{device, job.program, job.program.numeric, at};
      PassCounts counts;
      v = run_pass(context, *exec, chips, options.packet_by_packet, counts);
      happened.undefined_in = counts.undefined_in;
      happened.undefined_out = counts.undefined_out;
    } else if (const auto* dma = std::get_if<program::Dma>(&command.what)) {
      v = run_dma(device, *dma, chips, at);
    } else {
      store_words(std::get<program::Itos>(command.what));
    }
    if (!v) return v.refusal();
    ++job.next;
    for (Observer* o : observers) o->after(job.program, happened);
    return happened;
  }
  void store_words(const program::Itos& itos) {
    // The word twice, so that a write may begin at any of its bytes.
    std::byte word[8];
    store_scalar_bits(word, ScalarType::i32, 0, itos.word);
    store_scalar_bits(word, ScalarType::i32, 1, itos.word);
    std::vector<OdometerLoop<1>> loops;
    for (const program::Loop& l : itos.loops) loops.push_back({l.size, {l.stride}});
    auto const fill = [&](SparseMemory& dm) {
      for (Odometer<1> o(loops); !o.done(); o.next()) {
        std::int64_t const at = itos.address + o.at();
        dm.write(at, itos.bytes, word + at % 4);
      }
    };
    for (std::size_t chip = 0; chip < itos.units.chips.size(); ++chip)
      for (std::int64_t cluster = 0; cluster < Chip::most_clusters; ++cluster) {
        if (!itos.units.chips[chip] || (itos.units.clusters >> cluster & 1) == 0) continue;
        for (std::int64_t s = 0; s < Chip::most_slices; ++s)
          if (itos.units.slices.contains(s)) fill(chips[chip]->slice(cluster, s).dm);
      }
  }
  void skip_finished() {
    while (current < jobs.size() && jobs[current].next == jobs[current].program.commands.size()) ++current;
  }
};

Machine::Machine(const Device& device, std::int64_t chips, Options options) : state_(new State{device, options, {}, {}, 0, {}}) {
  std::vector<std::byte> const zeros(static_cast<std::size_t>(device.dma.packet_limit.value));
  for (std::int64_t i = 0; i < chips; ++i) {
    state_->chips.push_back(std::make_unique<Chip>(device));
    // Where a packet of zeros is wanted, DMA reads it from the foot of the host's memory.
    state_->chips.back()->host.write(0, static_cast<std::int64_t>(zeros.size()), zeros.data());
  }
}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

Verdict Machine::write(program::Memory memory, std::int64_t chip, std::int64_t address, std::span<const std::byte> bytes, MemoryUnit unit) {
  std::int64_t const n = static_cast<std::int64_t>(bytes.size());
  if (auto v = state_->check_access(memory, chip, address, n); !v) return v;
  state_->memory(memory, chip, unit)->write(address, n, bytes.data());
  return accept();
}

Verdict Machine::read(program::Memory memory, std::int64_t chip, std::int64_t address, std::span<std::byte> bytes, MemoryUnit unit) const {
  std::int64_t const n = static_cast<std::int64_t>(bytes.size());
  if (auto v = state_->check_access(memory, chip, address, n); !v) return v;
  state_->memory(memory, chip, unit)->read(address, n, bytes.data());
  return accept();
}

bool Machine::any_undefined(program::Memory memory, std::int64_t chip, std::int64_t first_half, std::int64_t halves,
                            MemoryUnit unit) const {
  return state_->memory(memory, chip, unit)->any_undefined(first_half, halves);
}

std::vector<std::optional<std::uint32_t>> Machine::read_trf(std::int64_t chip, MemoryUnit unit, TrfPlace first, int halves,
                                                            std::int64_t elements) const {
  const TensorRegisterFile& trf = state_->chips[static_cast<std::size_t>(chip)]->slice(unit.cluster, unit.number).trf();
  std::vector<std::optional<std::uint32_t>> all;
  for (std::int64_t i = 0; i < elements && first.first_half + (i + 1) * halves <= trf.row_halves(first.rows); ++i) {
    TensorRegisterFile::Element const e = trf.load(first.row, first.rows, first.first_half + i * halves, halves);
    all.push_back(e.undefined ? std::optional<std::uint32_t>() : e.bits);
  }
  return all;
}
void Machine::undefine(program::Memory memory, std::int64_t chip, std::int64_t first_half, std::int64_t halves, MemoryUnit unit) {
  state_->memory(memory, chip, unit)->undefine(first_half, halves);
}

Verdict Machine::submit(program::Program program) {
  if (static_cast<std::size_t>(program.chips) > state_->chips.size())
    return refuse("sim-too-few-chips")
        .what("a program for ", program.chips, " chips is submitted to a machine that has ", state_->chips.size())
        .why("all chips of a program run at the same time")
        .help("make a machine with ", program.chips, " chips");
  if (auto v = program::check(program, state_->device); !v) return v;
  if (auto v = check_flow(program, state_->device); !v) return v;
  state_->jobs.emplace_back().program = std::move(program);
  state_->skip_finished();
  return accept();
}

Verdict Machine::submit(program::Program program, program::Schedule schedule) {
  if (schedule.commands.size() != program.commands.size())
    return refuse("sim-other-schedule")
        .what("a schedule of ", schedule.commands.size(), " commands comes with a program of ", program.commands.size())
        .why("a schedule speaks of the commands of one program by their numbers")
        .help("schedule this program");
  if (auto v = submit(std::move(program)); !v) return v;
  Job& job = state_->jobs.back();
  job.schedule = std::move(schedule);
  job.watch.emplace(state_->device, job.program, job.schedule);
  return accept();
}

bool Machine::done() const { return state_->current == state_->jobs.size(); }

Expected<Happened> Machine::step() {
  if (done()) return Happened{};
  auto happened = state_->run(state_->jobs[state_->current]);
  state_->skip_finished();
  return happened;
}

Verdict Machine::run() {
  while (!done())
    if (auto const happened = step(); !happened) return happened.refusal();
  return accept();
}

void Machine::observe(Observer& observer) { state_->observers.push_back(&observer); }
void Machine::forget(Observer& observer) { std::erase(state_->observers, &observer); }

Happened Machine::last_writer(program::Memory memory, std::int64_t chip, std::int64_t address, MemoryUnit unit) const {
  auto const there = [&](const program::Units& units) {
    if (static_cast<std::size_t>(chip) >= units.chips.size() || !units.chips[static_cast<std::size_t>(chip)]) return false;
    if (memory == program::Memory::Hbm || memory == program::Memory::Host) return true;
    return (units.clusters >> unit.cluster & 1) != 0 && units.slices.contains(unit.number);
  };
  for (std::size_t j = state_->jobs.size(); j-- > 0;) {
    const Job& job = state_->jobs[j];
    for (std::size_t i = job.next; i-- > 0;) {
      const program::Command& c = job.program.commands[static_cast<std::size_t>(job.command(i))];
      for (const program::Range& r : c.writes)
        if (r.memory == memory && r.begin <= address && address < r.end && there(r.units)) {
          Happened h;
          h.program = static_cast<std::int32_t>(j);
          h.command = job.command(i);
          return h;
        }
    }
  }
  return {};
}

const program::Program& Machine::program(std::int32_t number) const { return state_->jobs[static_cast<std::size_t>(number)].program; }

}  // namespace tcp::sim
