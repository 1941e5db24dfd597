// Whether a trace is one that a scheduler can have made, as far as reports rely on it. Its form is the reader's matter.
#include <string>
#include <vector>

#include "tcp/trace/json.hpp"
#include "trace/json_reader.hpp"

namespace tcp::trace {

namespace {

/// A year of cycles is beyond 2^54; sums of what passes stay far from the end of the counters.
constexpr std::int64_t most_cycles = std::int64_t{1} << 40;
constexpr std::int64_t most_in_all = std::int64_t{1} << 60;
constexpr std::int64_t most_channels = 1 << 16;
constexpr std::int64_t most_ticks = 1000;
constexpr std::size_t most_clusters = 1 << 16;

class Checking {
 public:
  Checking(const Trace& trace, std::string_view file) : trace_(trace), file_(shown(file)) {}

  Verdict all() {
    bool const ok = tables() && tensors() && commands() && order() && values() && launches();
    if (ok) return accept();
    return refusal_;
  }

 private:
  bool stop(const Refusal& r) {
    refusal_ = r;
    return false;
  }

  /// `what` of entry `i` of `list` names entry `number` of a list of `size`.
  bool names(const char* list, std::size_t i, const char* what, std::int64_t number, std::size_t size, bool or_none = true) {
    if ((number == none && or_none) || (number >= 0 && number < static_cast<std::int64_t>(size))) return true;
    return stop(refuse("trace-reference")
                    .what(file_, ": ", list, "[", i, "] has ", what, " ", number, ", but there are ", size)
                    .why("entries of the lists go by their number, from 0 on; -1 is none")
                    .help("write the trace again; if a tool of yours made it, number its entries as docs/trace.md says"));
  }
  bool possible(const char* list, std::size_t i, std::string_view what, bool holds) {
    if (holds) return true;
    return stop(refuse("trace-impossible")
                    .what(file_, ": ", list, "[", i, "] is impossible: ", what)
                    .why("reports add these numbers up and trust their order")
                    .help("write the trace again; if a tool of yours made it, docs/trace.md has the laws"));
  }
  bool counted(const char* list, std::size_t i, const char* what, std::int64_t n) {
    total_ += n < 0 || n > most_cycles ? most_in_all : n;
    if (total_ < most_in_all) return true;
    return possible(list, i, std::string(what) + " is below 0, or they sum up to more than 2^60", false);
  }
  bool parts(const char* list, std::size_t i, const std::vector<Part>& all) {
    for (const Part& p : all)
      if (!counted(list, i, "a number of cycles", p.cycles.value)) return false;
    return true;
  }

  bool tables() {
    if (!counted("trace", 0, "makespan", trace_.makespan.value) || !counted("trace", 0, "gained", trace_.gained.value)) return false;
    if (!possible("trace", 0, "chips and core_mhz are at least 0", trace_.chips >= 0 && trace_.core_mhz >= 0)) return false;
    bool const can_tick = trace_.ticks_per_cycle >= 0 && trace_.ticks_per_cycle <= most_ticks;
    if (!possible("trace", 0, "ticks_per_cycle is from 0 to 1,000", can_tick)) return false;
    if (!parts("bounds", 0, trace_.bounds) || !parts("path", 0, trace_.path)) return false;
    for (std::size_t i = 0; i < trace_.usage.size(); ++i) {
      const Usage& u = trace_.usage[i];
      for (std::int64_t n : {u.busy.value, u.bytes.value / 1024, u.requests, u.conflicts})
        if (!counted("usage", i, "a count", n)) return false;
      if (!possible("usage", i, "bytes is below 0", u.bytes.value >= 0)) return false;
    }
    for (std::size_t i = 0; i < trace_.capacities.size(); ++i)
      if (!possible("capacities", i, "bytes or units is below 0", trace_.capacities[i].bytes.value >= 0 && trace_.capacities[i].units >= 0))
        return false;
    return geometry() && axes() && runs() && stages() && host_transfers();
  }
  bool stages() {
    for (std::size_t i = 0; i < trace_.configurations.size(); ++i)
      for (const Setting& stage : trace_.configurations[i].stages)
        if (!names("configurations", i, "a stage of source", stage.source, trace_.sources.size())) return false;
    return true;
  }

  bool host_transfers() {
    for (std::size_t i = 0; i < trace_.host_transfers.size(); ++i) {
      const HostTransfer& t = trace_.host_transfers[i];
      if (!possible("host_transfers", i, "its direction is neither upload nor download",
                    t.direction == "upload" || t.direction == "download") ||
          !possible("host_transfers", i, "bytes is below 0", t.bytes.value >= 0) ||
          !counted("host_transfers", i, "a count", t.bytes.value / 1024) || !counted("host_transfers", i, "cycles", t.cycles.value) ||
          !names("host_transfers", i, "source", t.source, trace_.sources.size()))
        return false;
    }
    return true;
  }

  bool geometry() {
    if (trace_.geometry) {
      const Geometry& g = *trace_.geometry;
      bool const counts = g.clusters >= 1 && g.clusters <= 32 && g.slices >= 1 && g.dma_engines >= 0 && g.dma_engines <= 1024 &&
                          g.dm_banks >= 0 && g.dm_row >= Bytes{0} && g.bank_limit >= 0 && g.channels >= 0 && g.rows >= 0 &&
                          g.hbm_mb_per_s >= 0;
      if (!possible("geometry", 0, "a count is out of range", counts)) return false;
      for (std::int64_t bit : g.channel_bits)
        if (!possible("geometry", 0, "a bit of an address leads to no channel", bit >= 0 && bit < most_channels)) return false;
    }
    return true;
  }
  bool axes() {
    for (std::size_t i = 0; i < trace_.axes.size(); ++i)
      if (!possible("axes", i, "its size is below 1", trace_.axes[i].size >= 1)) return false;
    return true;
  }
  bool runs() {
    std::size_t const banks = trace_.geometry ? static_cast<std::size_t>(trace_.geometry->dm_banks) : 0;
    for (std::size_t i = 0; i < trace_.bank_runs.size(); ++i) {
      if (!possible("bank_runs", i, "it has not a run for each bank of DM", trace_.bank_runs[i].runs.size() == banks)) return false;
      for (std::int64_t run : trace_.bank_runs[i].runs)
        if (!counted("bank_runs", i, "a run", run)) return false;
    }
    return true;
  }

  bool tensors() {
    for (std::size_t i = 0; i < trace_.tensors.size(); ++i) {
      const Tensor& t = trace_.tensors[i];
      bool const named =
          names("tensors", i, "source", t.source, trace_.sources.size()) && names("tensors", i, "units", t.units, trace_.units.size()) &&
          names("tensors", i, "first", t.first, trace_.commands.size()) && names("tensors", i, "last", t.last, trace_.commands.size());
      if (!named || !possible("tensors", i, "begin is after end", t.begin <= t.end) ||
          !possible("tensors", i, "born is after gone", Cycles{0} <= t.born && t.born <= t.gone) ||
          !counted("tensors", i, "gone", t.gone.value))
        return false;
    }
    return true;
  }

  bool ranges(std::size_t i, const std::vector<Range>& all) {
    for (const Range& r : all)
      if (!names("commands", i, "a range of units", r.units, trace_.units.size()) ||
          !names("commands", i, "a range of tensor", r.tensor, trace_.tensors.size()) ||
          !possible("commands", i, "a range ends before it begins", r.begin <= r.end))
        return false;
    return true;
  }

  bool facts(std::size_t i, const Command& c) {
    if (c.dma) {
      const DmaFacts& d = *c.dma;
      for (std::int64_t n : {d.bytes.value / 1024, d.run.value, d.unit.value, d.ideal.value, d.descriptors, d.engines, d.engines_of,
                             d.stacks, d.stacks_of, d.channels, d.channels_of, d.requests, d.row_switches, d.partial_writes})
        if (!counted("commands", i, "a fact of dma", n)) return false;
    }
    if (c.pass) {
      const PassFacts& p = *c.pass;
      for (std::int64_t n : {p.clusters, p.clusters_of, p.slices, p.slices_of, p.rows, p.rows_of, p.packet_bytes.value, p.flit_bytes.value,
                             p.lanes, p.lanes_of, p.longest_bank_run})
        if (!counted("commands", i, "a fact of pass", n)) return false;
      if (!possible("commands", i, "multiply_adds is below 0", p.multiply_adds >= 0)) return false;
    }
    return true;
  }

  bool times(std::size_t i, const Command& c) {
    bool const ordered = Cycles{0} <= c.start && c.start <= c.end && c.end <= trace_.makespan;
    if (!possible("commands", i, "start <= end <= makespan does not hold", ordered)) return false;
    if (!possible("commands", i, "of_program is more than the start-up", c.of_program <= c.startup)) return false;
    for (Cycles each : {c.end, c.startup, c.streaming, c.slack, c.of_program})
      if (!counted("commands", i, "a number of cycles", each.value)) return false;
    if (!parts("commands", i, c.stalls) || !parts("commands", i, c.engines)) return false;
    Cycles sum = c.startup + c.streaming;
    for (const Part& p : c.stalls) sum += p.cycles;
    return possible("commands", i, "startup, streaming and stalls do not sum up to end - start", sum == c.length());
  }

  bool commands() {
    for (std::size_t i = 0; i < trace_.commands.size(); ++i) {
      const Command& c = trace_.commands[i];
      if (!possible("commands", i, "it occupies no resource", !c.resources.empty())) return false;
      for (std::int32_t r : c.resources)
        if (!names("commands", i, "resource", r, trace_.resources.size(), false)) return false;
      if (!names("commands", i, "configuration", c.configuration, trace_.configurations.size()) ||
          !names("commands", i, "source", c.source, trace_.sources.size()) ||
          !names("commands", i, "region", c.region, trace_.regions.size()) ||
          !names("commands", i, "bank_runs", c.bank_runs, trace_.bank_runs.size()) ||
          !names("commands", i, "binding", c.binding, c.after.size()) || !names("commands", i, "cluster", c.cluster, most_clusters))
        return false;
      for (const Edge& e : c.after)
        if (!names("commands", i, "an edge from", e.from, trace_.commands.size(), false)) return false;
      if (!times(i, c) || !ranges(i, c.reads) || !ranges(i, c.writes) || !facts(i, c)) return false;
    }
    return true;
  }

  /// Each command once, and later than all that it depends on.
  bool order() {
    std::size_t const n = trace_.commands.size();
    for (std::int32_t c : trace_.critical_path)
      if (!names("critical_path", 0, "command", c, n, false)) return false;
    if (!trace_.order.empty() && !possible("order", 0, "it has not each command once", trace_.order.size() == n)) return false;
    std::vector<bool> done(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t const c = trace_.order.empty() ? static_cast<std::int32_t>(i) : trace_.order[i];
      if (!names("order", i, "command", c, n, false)) return false;
      auto const at = static_cast<std::size_t>(c);
      if (!possible("order", i, "it has a command twice", !done[at])) return false;
      for (const Edge& e : trace_.commands[at].after)
        if (!possible("commands", at, "an edge comes from a command that is taken later", done[static_cast<std::size_t>(e.from)]))
          return false;
      done[at] = true;
    }
    return true;
  }

  bool values() {
    for (std::size_t i = 0; i < trace_.values.size(); ++i) {
      const Values& v = trace_.values[i];
      if (!names("values", i, "command", v.command, trace_.commands.size()) || !counted("values", i, "left_out", v.left_out / 1024))
        return false;
      for (const HeldBytes& part : v.parts)
        if (!possible("values", i, "begin is below 0", part.begin >= 0)) return false;
    }
    return true;
  }
  /// Commands and tensors of launches follow one another.
  bool launches() {
    std::int32_t command = none, tensor = 0;
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      const Launch& l = trace_.launches[i];
      if (!names("launches", i, "command", l.command, trace_.commands.size(), false) ||
          !names("launches", i, "tensor", l.tensor, trace_.tensors.size() + 1, false) ||
          !possible("launches", i, "it begins before the one before", l.command > command && l.tensor >= tensor) ||
          !counted("launches", i, "cycles", l.cycles.value) || !counted("launches", i, "transfer_cycles", l.transfer_cycles.value) ||
          !possible("launches", i, "transfer_bytes is below 0", l.transfer_bytes.value >= 0))
        return false;
      command = l.command;
      tensor = l.tensor;
    }
    return true;
  }

  const Trace& trace_;
  std::string file_;
  std::int64_t total_ = 0;
  Refusal refusal_;
};

}  // namespace

Verdict check(const Trace& trace, std::string_view file) { return Checking(trace, file).all(); }

}  // namespace tcp::trace
