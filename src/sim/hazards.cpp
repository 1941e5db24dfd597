// Compares each command that starts with those that run and with those that come before it in the program.
#include "sim/hazards.hpp"
#include "tcp/program/print.hpp"
#include "tcp/sched/schedule.hpp"

#include <algorithm>
#include <utility>

namespace tcp::sim {

namespace {

constexpr const char* memory_names[] = {"Host", "HBM", "DM", "SPM", "TRF", "VRF"};

bool share_a_unit(const program::Range& a, const program::Range& b) {
  bool chips = false;
  for (std::size_t c = 0; c < a.units.chips.size() && c < b.units.chips.size(); ++c) chips |= a.units.chips[c] && b.units.chips[c];
  if (!chips) return false;
  if (a.memory == program::Memory::Hbm || a.memory == program::Memory::Host) return true;
  if ((a.units.clusters & b.units.clusters) == 0) return false;
  for (std::size_t w = 0; w < a.units.slices.word.size(); ++w)
    if ((a.units.slices.word[w] & b.units.slices.word[w]) != 0) return true;
  return false;
}

const program::Range* clash(const std::vector<program::Range>& a, const std::vector<program::Range>& b) {
  for (const program::Range& x : a)
    for (const program::Range& y : b)
      if (overlap(x, y)) return &x;
  return nullptr;
}

/// A command in a sentence: its number, and its name if it has one.
Text command_text(const program::Program& program, std::int32_t command) {
  Text t = text("command ", command);
  const program::DebugCommand* d = debug_of(program, program.commands[static_cast<std::size_t>(command)]);
  if (d != nullptr) t << " (" << std::string_view(d->name).substr(0, 40) << ")";
  return t;
}

}  // namespace

bool overlap(const program::Range& a, const program::Range& b) {
  return a.memory == b.memory && a.bytes().overlaps(b.bytes()) && share_a_unit(a, b);
}

HazardWatch::HazardWatch(const Device& device, const program::Program& program, const program::Schedule& schedule)
    : device_(device), program_(program), schedule_(schedule), started_(program.commands.size(), false) {
  for (std::size_t i = 0; i < program.commands.size(); ++i) order_.push_back(static_cast<std::int32_t>(i));
  auto const key = [&](std::int32_t i) { return std::pair(schedule.commands[static_cast<std::size_t>(i)].start, i); };
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
}

Verdict HazardWatch::start(std::int32_t command) {
  const program::Scheduled& mine = schedule_.commands[static_cast<std::size_t>(command)];
  std::erase_if(running_, [&](std::int32_t r) { return schedule_.commands[static_cast<std::size_t>(r)].end <= mine.start; });
  for (std::int32_t r : running_)
    if (auto v = check_pair(r, command); !v) return v;
  // Those before it in the program that have not even started must have nothing to do with it.
  for (std::size_t i = first_waiting_; i < static_cast<std::size_t>(command); ++i)
    if (!started_[i])
      if (auto v = check_pair(static_cast<std::int32_t>(i), command); !v) return v;
  started_[static_cast<std::size_t>(command)] = true;
  while (first_waiting_ < started_.size() && started_[first_waiting_]) ++first_waiting_;
  running_.push_back(command);
  return accept();
}

/// Every cluster has a queue of its own for the tensor DMA.
bool HazardWatch::share_a_resource(std::int32_t running, std::int32_t command) const {
  auto const a = static_cast<std::size_t>(running), b = static_cast<std::size_t>(command);
  program::Resources const shared = schedule_.commands[a].resources & schedule_.commands[b].resources;
  if (shared != program::bit(program::Resource::TensorDma)) return shared != 0;
  return (sched::queues_by_cluster(device_, program_.commands[a]) & sched::queues_by_cluster(device_, program_.commands[b])) != 0;
}

Verdict HazardWatch::check_pair(std::int32_t running, std::int32_t command) const {
  const program::Command &a = program_.commands[static_cast<std::size_t>(running)],
                         &b = program_.commands[static_cast<std::size_t>(command)];
  const program::Scheduled &x = schedule_.commands[static_cast<std::size_t>(running)],
                           &y = schedule_.commands[static_cast<std::size_t>(command)];
  bool const together = x.start <= y.start;  // else `running` has not started
  if (together && share_a_resource(running, command))
    return refuse("sim-resource-twice")
        .what(command_text(program_, command), " starts at cycle ", y.start.value, " on a resource that ", command_text(program_, running),
              " has until ", x.end.value)
        .why("a context, a DMA queue and the Vector Engine do one thing at a time")
        .help("schedule the program again");
  const program::Range* at = clash(a.writes, b.reads);
  const char* kind = "reads what the other still has to write";
  if (at == nullptr) {
    at = clash(a.reads, b.writes);
    kind = "writes what the other still has to read";
  }
  if (at == nullptr) {
    at = clash(a.writes, b.writes);
    kind = "writes what the other writes, too";
  }
  if (at == nullptr) return accept();
  return refuse("sim-hazard")
      .what(command_text(program_, command), " starts at cycle ", y.start.value, " and ", kind, ": ", command_text(program_, running),
            ", from ", x.start.value, " to ", x.end.value, ", ", memory_names[static_cast<int>(at->memory)], " bytes ", at->begin, " to ",
            at->end)
      .why("nothing but the schedule keeps two commands apart")
      .help("schedule the program again; if that gives the same, send us the program");
}

}  // namespace tcp::sim
