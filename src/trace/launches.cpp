// Joins traces: numbers of lists move on by what is there before, times by the end of the launch before.
#include "tcp/trace/launches.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tcp::trace {

namespace {

constexpr const char *launch_name = "launch", *barrier = "barrier";

void add_parts(std::vector<Part>& to, const std::vector<Part>& from) {
  for (const Part& p : from) {
    auto const same = std::find_if(to.begin(), to.end(), [&p](const Part& o) { return o.name == p.name; });
    if (same == to.end()) to.push_back(p);
    else same->cycles += p.cycles;
  }
}

std::string combined(const std::string& a, const std::string& b) {
  std::uint64_t n = 14695981039346656037u;
  for (char c : a + b) n = (n ^ static_cast<unsigned char>(c)) * 1099511628211u;
  constexpr char digits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; n >>= 4) out[i] = digits[n & 15];
  return out;
}

class Sequence {
 public:
  explicit Sequence(const std::vector<Trace>& all) : all_(all) {}

  Trace make() {
    const Trace& first = all_.front();
    made_.tool = first.tool;
    made_.chip = first.chip;
    made_.model = first.model;
    made_.chips = first.chips;
    made_.core_mhz = first.core_mhz;
    made_.ticks_per_cycle = first.ticks_per_cycle;
    made_.assumptions = first.assumptions;
    made_.capacities = first.capacities;
    made_.geometry = first.geometry;
    made_.resources = first.resources;
    made_.resources.push_back(launch_name);
    made_.order_by = first.order_by;
    for (const Trace& t : all_) add(t);
    made_.program = title();
    bool const as_written = std::is_sorted(made_.order.begin(), made_.order.end());
    if (as_written) made_.order.clear();
    return std::move(made_);
  }

 private:
  std::string title() const {
    std::size_t others = 0;
    for (const Trace& t : all_) others += t.program != all_.front().program ? 1 : 0;
    return all_.front().program + (others > 0 ? " and others" : "") + ", " + std::to_string(all_.size()) + " launches";
  }

  template <class T>
  static std::int32_t size_of(const std::vector<T>& list) {
    return static_cast<std::int32_t>(list.size());
  }
  static std::int32_t moved(std::int32_t number, std::int32_t by) { return number == none ? none : number + by; }

  std::int32_t source(const Trace& t, std::int32_t number) {
    if (number == none) return none;
    const Source& s = t.sources[static_cast<std::size_t>(number)];
    auto const [at, fresh] = sources_.try_emplace({s.file, s.line}, size_of(made_.sources));
    if (fresh) made_.sources.push_back(s);
    return at->second;
  }

  /// It waits for everything that nothing else waits for.
  void add_marker(const Trace& t) {
    Command marker;
    marker.name = launch_name;
    marker.resources = {size_of(made_.resources) - 1};
    marker.start = marker.end = begin_;
    marker.critical = true;
    for (std::int32_t c : last_) {
      if (made_.commands[static_cast<std::size_t>(c)].end == begin_ && marker.binding == none) marker.binding = size_of(marker.after);
      marker.after.push_back({barrier, c, "", 0, 0});
    }
    std::int32_t const number = size_of(made_.commands);
    Launch launch{t.program, t.hash, number, size_of(made_.tensors), t.makespan, {}, {}, t.axes};
    for (const HostTransfer& h : t.host_transfers) {
      launch.transfer_cycles += h.cycles;
      launch.transfer_bytes += h.bytes;
    }
    if (made_.launches.empty())
      for (HostTransfer h : t.host_transfers) {
        h.source = source(t, h.source);
        made_.host_transfers.push_back(std::move(h));
      }
    made_.launches.push_back(std::move(launch));
    made_.order.push_back(number);
    made_.critical_path.push_back(number);
    made_.commands.push_back(std::move(marker));
  }

  void add_tables(const Trace& t) {
    for (const Axis& a : t.axes)
      if (std::find(made_.axes.begin(), made_.axes.end(), a) == made_.axes.end()) {
        auto const same = std::find_if(made_.axes.begin(), made_.axes.end(), [&a](const Axis& o) { return o.name == a.name; });
        if (same == made_.axes.end()) made_.axes.push_back(a);
      }
    for (Configuration c : t.configurations) {
      for (Setting& s : c.stages) s.source = source(t, s.source);
      made_.configurations.push_back(std::move(c));
    }
    for (const Usage& u : t.usage) {
      auto const [at, fresh] = usage_.try_emplace({u.group, u.name}, made_.usage.size());
      if (fresh) {
        made_.usage.push_back(u);
        continue;
      }
      Usage& sum = made_.usage[at->second];
      sum.busy += u.busy;
      sum.bytes += u.bytes;
      sum.requests += u.requests;
      sum.conflicts += u.conflicts;
    }
    made_.regions.insert(made_.regions.end(), t.regions.begin(), t.regions.end());
    made_.units.insert(made_.units.end(), t.units.begin(), t.units.end());
    made_.bank_runs.insert(made_.bank_runs.end(), t.bank_runs.begin(), t.bank_runs.end());
    add_parts(made_.bounds, t.bounds);
    add_parts(made_.path, t.path);
    made_.facts.insert(made_.facts.end(), t.facts.begin(), t.facts.end());
    made_.complete = made_.complete && t.complete;
    made_.gained += t.gained;
    made_.hash = made_.hash.empty() ? t.hash : combined(made_.hash, t.hash);
  }

  void add(const Trace& t) {
    std::int32_t const tensors = size_of(made_.tensors), regions = size_of(made_.regions), units = size_of(made_.units),
                       configurations = size_of(made_.configurations), runs = size_of(made_.bank_runs);
    add_marker(t);
    std::int32_t const commands = size_of(made_.commands);
    add_tables(t);
    for (Tensor x : t.tensors) {
      x.role.clear();  // of a launch, which does not last as long as the program
      x.units = moved(x.units, units);
      x.source = source(t, x.source);
      x.first = moved(x.first, commands);
      x.last = moved(x.last, commands);
      x.born += begin_;
      x.gone += begin_;
      made_.tensors.push_back(std::move(x));
    }
    std::vector<bool> waited_for(t.commands.size(), false);
    for (Command c : t.commands) {
      c.configuration = moved(c.configuration, configurations);
      c.source = source(t, c.source);
      c.region = moved(c.region, regions);
      c.bank_runs = moved(c.bank_runs, runs);
      c.start += begin_;
      c.end += begin_;
      for (Edge& e : c.after) {
        waited_for[static_cast<std::size_t>(e.from)] = true;
        e.from += commands;
      }
      if (c.binding == none && c.start == begin_) {
        c.binding = size_of(c.after);
        c.after.push_back({barrier, commands - 1, "", 0, 0});
      }
      for (auto* ranges : {&c.reads, &c.writes})
        for (Range& r : *ranges) {
          r.units = moved(r.units, units);
          r.tensor = moved(r.tensor, tensors);
        }
      made_.commands.push_back(std::move(c));
    }
    for (std::int32_t c : t.critical_path) made_.critical_path.push_back(c + commands);
    for (std::size_t i = 0; i < t.commands.size(); ++i)
      made_.order.push_back(commands + (t.order.empty() ? static_cast<std::int32_t>(i) : t.order[i]));
    for (Values v : t.values) {
      v.command = v.command == none ? commands - 1 : v.command + commands;  // of arguments: what is there when the launch begins
      made_.values.push_back(std::move(v));
    }
    last_.clear();
    for (std::size_t i = 0; i < waited_for.size(); ++i)
      if (!waited_for[i]) last_.push_back(commands + static_cast<std::int32_t>(i));
    if (last_.empty()) last_.push_back(commands - 1);
    begin_ += t.makespan;
    made_.makespan = begin_;
  }

  const std::vector<Trace>& all_;
  Trace made_;
  Cycles begin_{};
  std::vector<std::int32_t> last_;  // commands of the launch before that nothing waits for
  std::map<std::pair<std::string, std::int64_t>, std::int32_t> sources_;
  std::map<std::pair<std::string, std::string>, std::size_t> usage_;
};

}  // namespace

std::string difference(const Trace& a, const Trace& b) {
  auto const differ = [](const char* what, const auto& x, const auto& y) {
    return std::string(what) + " " + std::string(x) + " and " + std::string(y);
  };
  if (a.chip != b.chip) return differ("chips", a.chip, b.chip);
  if (a.model != b.model) return differ("timing models", a.model, b.model);
  if (a.chips != b.chips) return differ("machines with chips:", std::to_string(a.chips), std::to_string(b.chips));
  if (a.core_mhz != b.core_mhz) return differ("clocks in MHz:", std::to_string(a.core_mhz), std::to_string(b.core_mhz));
  if (a.resources != b.resources || a.geometry != b.geometry) return "chips that are made differently";
  if (a.ticks_per_cycle != b.ticks_per_cycle) return "counters of different rates";
  if (!a.launches.empty() || !b.launches.empty()) return "traces that are several launches already";
  return "";
}

Trace in_sequence(const std::vector<Trace>& all) { return Sequence(all).make(); }

}  // namespace tcp::trace
