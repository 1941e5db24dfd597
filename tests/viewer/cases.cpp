// Random programs for the viewer's own scheduler to agree on: for each a line of JSON with its trace, and what the library's scheduler says after changes that
// the viewer offers. viewer/test/rules.test.mjs does the same to the trace and compares. Usage: viewer_cases HOW_MANY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <sstream>

#include "tcp/timeline/timeline.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/what_if.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

/// Lengths that the program itself has: an Itos word, the elements of a pass, the bytes of a packet of DMA. Of a pass, the fetch sets the pace, and the commit would take
/// two thirds of that.
class MixedDuration final : public Duration {
 public:
  explicit MixedDuration(bool per_cluster) : per_cluster_(per_cluster) {}
  std::string_view name() const override { return "mixed"; }
  bool queue_per_cluster() const override { return per_cluster_; }
  Expected<program::Cost> cost(const program::Command& c, std::size_t) const override {
    program::Cost made;
    made.streaming = Cycles{length(c)};
    if (!std::holds_alternative<program::Exec>(c.what)) return made;
    made.engines = {{program::Engine::Fetch, made.streaming}, {program::Engine::Commit, Cycles{commit(length(c))}}};
    made.slowest = program::Engine::Fetch;
    return made;
  }
  /// With a fetch at twice its rate.
  static std::int64_t faster(std::int64_t length) { return std::max((length + 1) / 2, commit(length)); }

 private:
  static std::int64_t commit(std::int64_t fetch) { return fetch * 2 / 3; }
  static std::int64_t length(const program::Command& c) {
    if (const auto* e = std::get_if<program::Exec>(&c.what)) return e->fetch.packet_elements;
    if (const auto* d = std::get_if<program::Dma>(&c.what)) return d->descriptors[0].packet_bytes;
    return std::get<program::Itos>(c.what).word;
  }

  bool per_cluster_;
};

/// The lengths of a schedule, with one command that costs nothing, or with a faster fetch. Commands are told apart by their debug numbers; whoever was the first or the
/// last, or had to wait for its tables, keeps that.
class ChangedDuration final : public Duration {
 public:
  ChangedDuration(const Duration& from, const program::Schedule& schedule, std::int32_t free, bool faster)
      : from_(from), schedule_(schedule), free_(free), faster_(faster) {}
  std::string_view name() const override { return from_.name(); }
  bool queue_per_cluster() const override { return from_.queue_per_cluster(); }
  Expected<program::Cost> cost(const program::Command& c, std::size_t) const override {
    if (c.debug == free_) return program::Cost{};
    program::Cost made = schedule_.commands[static_cast<std::size_t>(c.debug)].cost;
    if (faster_ && std::holds_alternative<program::Exec>(c.what)) made.streaming = Cycles{MixedDuration::faster(made.streaming.value)};
    return made;
  }

 private:
  const Duration& from_;
  const program::Schedule& schedule_;
  std::int32_t free_;
  bool faster_;
};
constexpr std::int32_t nobody = -1;

class Random {
 public:
  Random(std::uint32_t seed, std::int64_t chips) : bits_(seed), chips_(chips) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits_() % static_cast<std::uint32_t>(n)); }
  program::Units units() {
    program::Units u{std::vector<bool>(static_cast<std::size_t>(chips_)), static_cast<std::uint32_t>(1 + below(3)), {}};
    for (auto chip : u.chips) chip = below(3) == 0;
    u.chips[static_cast<std::size_t>(below(chips_))] = true;
    u.slices.word[0] = static_cast<std::uint64_t>(1 + below(7));
    u.slices.word[3] = static_cast<std::uint64_t>(below(2));
    return u;
  }
  std::vector<program::Range> ranges() {
    constexpr Memory memories[] = {Memory::Dm, Memory::Hbm, Memory::Trf, Memory::Vrf};
    std::vector<program::Range> made(static_cast<std::size_t>(below(3)));
    for (program::Range& r : made) {
      std::int64_t const begin = 4 * below(6);
      r = {memories[below(4)], below(2) == 0 ? everywhere() : units(), begin, begin + 4 * below(4)};
    }
    return made;
  }
  program::Program program() {
    constexpr program::Resources contexts[] = {main_context, sub_context, tensor_dma, pcie_dma};
    constexpr program::Resources more[] = {0, 0, 0, bit(Resource::VectorEngine), sub_context, tensor_dma};
    std::vector<program::Command> commands(static_cast<std::size_t>(1 + below(40)));
    for (program::Command& c : commands) {
      switch (below(4)) {
        case 0: c = pass(); break;
        case 1: c = dma(); break;
        default: c = lasting(static_cast<std::uint32_t>(below(30)), contexts[below(4)] | more[below(6)], ranges(), ranges());
      }
    }
    for (std::size_t i = 0; i < commands.size(); ++i) commands[i].debug = static_cast<std::int32_t>(i);
    program::Program made = program_of(std::move(commands));
    made.chips = static_cast<std::int32_t>(chips_);
    return made;
  }

 private:
  program::Units everywhere() const {
    program::Units u = all_slices();
    u.chips.assign(static_cast<std::size_t>(chips_), true);
    return u;
  }
  /// A pass that holds a bank for some accesses in a row, often so many that another one beside it is too much.
  program::Command pass() {
    program::Exec e = copy_pass(1);
    e.sub = below(2) == 0;
    if (below(2) == 0) e.units = units();
    e.fetch.read.base = 8 * below(3);
    e.fetch.read.access_bytes = 8;
    e.fetch.read.loops = {{20 + below(50), 128}};
    e.fetch.packet_elements = below(30);
    program::Command c = command_of(std::move(e));
    c.reads = ranges();
    c.writes = ranges();
    c.reads.push_back(bytes(Memory::Dm, 4096, 4104));
    return c;
  }
  program::Command dma() {
    program::Dma d{false, below(8) == 0, {transfer(1 + below(30))}};
    if (below(4) == 0) d.descriptors.push_back(transfer(1));
    program::Command c = command_of(std::move(d));
    c.reads = ranges();
    c.writes = ranges();
    c.writes.push_back(bytes(Memory::Dm, 8192 + 8 * below(4), 8232));
    return c;
  }
  /// By any engine of any chip: eight a chip, four a cluster.
  program::DmaDescriptor transfer(std::int64_t bytes) {
    std::int32_t const engine = static_cast<std::int32_t>(below(8 * chips_));
    return descriptor(engine, hbm(0, engine / 8), dm(engine / 4 % 2, 0, 0, engine / 8), {}, bytes);
  }

  std::mt19937 bits_;
  std::int64_t chips_;
};

bool overlap(const program::Range& a, const program::Range& b) { return a.begin < b.end && b.begin < a.end; }

/// The program with a second half for the buffer: contents lie in the halves in turn, and a new one begins with a write to bytes that have been read.
program::Program doubled(program::Program p, const program::Range& buffer) {
  constexpr std::int64_t elsewhere = std::int64_t{1} << 40;
  std::int64_t half = 0;
  std::vector<program::Range> read, written;
  auto const mine = [&](const program::Range& r) {
    return r.memory == buffer.memory && r.units == buffer.units && r.begin < r.end && overlap(r, buffer);
  };
  auto const whole = [&](const program::Range& r) {
    for (std::int64_t byte = r.begin; byte < r.end; ++byte) {
      bool there = false;
      for (const program::Range& w : written) there |= w.begin <= byte && byte < w.end;
      if (!there) return false;
    }
    return true;
  };
  for (program::Command& c : p.commands) {
    std::vector<program::Range> const reads = std::exchange(c.reads, {});
    for (program::Range r : reads) {
      if (!mine(r)) {
        c.reads.push_back(r);
        continue;
      }
      read.push_back(r);
      bool const both = !whole(r);
      for (std::int64_t h = 0; h < 2; ++h)
        if (both || h == half) c.reads.push_back({r.memory, r.units, r.begin + h * elsewhere, r.end + h * elsewhere});
    }
    for (program::Range& r : c.writes) {
      if (!mine(r)) continue;
      bool again = false;
      for (const program::Range& seen : read) again |= overlap(seen, r);
      if (again) {
        half = 1 - half;
        read.clear();
        written.clear();
      }
      written.push_back(r);
      r.begin += half * elsewhere;
      r.end += half * elsewhere;
    }
  }
  return p;
}

void list(std::ostream& out, const char* name, const std::vector<std::int64_t>& numbers) {
  out << ",\"" << name << "\":[";
  for (std::size_t i = 0; i < numbers.size(); ++i) out << (i == 0 ? "" : ",") << numbers[i];
  out << ']';
}

void show(std::ostream& out, const char* name, const program::Schedule& s) {
  std::vector<std::int64_t> starts, slacks;
  for (const program::Scheduled& c : s.commands) {
    starts.push_back(c.start.value);
    slacks.push_back(c.slack.value);
  }
  out << ",\"" << name << "\":{\"makespan\":" << s.makespan.value;
  list(out, "starts", starts);
  list(out, "slacks", slacks);
  out << '}';
}

/// Without the first edge of a command, as the library works a trace out again.
void show_without(std::ostream& out, trace::Trace t, std::size_t command) {
  t.commands[command].after.erase(t.commands[command].after.begin());
  t.commands[command].binding = trace::none;
  trace::replay(t);
  std::vector<std::int64_t> starts, path(t.critical_path.begin(), t.critical_path.end());
  for (const trace::Command& c : t.commands) starts.push_back(c.start.value);
  out << ",\"without\":{\"command\":" << command << ",\"makespan\":" << t.makespan.value;
  list(out, "starts", starts);
  list(out, "path", path);
  out << '}';
}

/// Shows the buffer whose second half gains most.
void show_best_double(std::ostream& out, const program::Program& p, const Duration& duration) {
  std::optional<program::Schedule> best;
  std::size_t of = 0;
  for (std::size_t c = 0; c < p.commands.size(); ++c) {
    if (p.commands[c].writes.empty() || p.commands[c].writes[0].begin == p.commands[c].writes[0].end) continue;
    program::Schedule s = scheduled(doubled(p, p.commands[c].writes[0]), duration);
    if (best && best->makespan <= s.makespan) continue;
    best = std::move(s);
    of = c;
  }
  if (!best) return;
  out << ",\"buffer\":" << of;
  show(out, "with_double", *best);
}

/// The program in the order that a schedule chose: what the viewer works with when lengths change.
program::Program in_order(const program::Program& p, const program::Schedule& s) {
  program::Program made = p;
  for (std::size_t i = 0; i < s.order.size(); ++i) made.commands[i] = p.commands[static_cast<std::size_t>(s.order[i])];
  return made;
}
/// Its schedule, by the numbers that commands had before.
program::Schedule as_numbered(program::Schedule s, const program::Program& p) {
  std::vector<program::Scheduled> commands(s.commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) commands[static_cast<std::size_t>(p.commands[i].debug)] = s.commands[i];
  s.commands = std::move(commands);
  return s;
}

std::unique_ptr<const Duration> duration_of(std::uint32_t seed) {
  if (seed % 5 == 4) return std::move(*duration_named("calibrated", rngd));
  return std::make_unique<MixedDuration>(seed % 4 == 1);
}

void one(std::uint32_t seed, std::ostream& out) {
  constexpr std::int64_t machines[] = {1, 2, 4};
  Random random(seed, machines[seed / 2 % 3]);
  program::Program const p = random.program();
  Options const options{seed % 3 == 0, true};
  auto const duration = duration_of(seed);
  program::Schedule const s = scheduled(p, *duration, options);
  trace::Trace const t = timeline::make_trace(p, s, rngd, {"viewer_cases", {}, duration->queue_per_cluster()});
  std::ostringstream text;
  trace::write_json(t, text);
  std::string flat = text.str();
  std::erase(flat, '\n');
  out << "{\"seed\":" << seed << ",\"trace\":" << flat;

  std::size_t const free = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(p.commands.size())));
  program::Program const ordered = in_order(p, s);
  out << ",\"free\":" << free;
  show(out, "with_free", as_numbered(scheduled(ordered, ChangedDuration(*duration, s, static_cast<std::int32_t>(free), false)), ordered));
  if (duration->name() == "mixed")
    show(out, "with_faster", as_numbered(scheduled(ordered, ChangedDuration(*duration, s, nobody, true)), ordered));
  if (!options.reorder && !duration->takes_what_is_ready())
    show_best_double(out, p, *duration);  // whose halves take turns in the order of the program
  for (std::size_t c = 0; c < t.commands.size(); ++c)
    if (!t.commands[(c + free) % t.commands.size()].after.empty()) {
      show_without(out, t, (c + free) % t.commands.size());
      break;
    }
  out << "}\n";
}

}  // namespace
}  // namespace tcp::sched

int main(int argc, char** argv) {
  int const count = argc > 1 ? std::atoi(argv[1]) : 100;
  for (int seed = 0; seed < count; ++seed) tcp::sched::one(static_cast<std::uint32_t>(seed), std::cout);
}
