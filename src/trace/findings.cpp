// One function a rule. It looks at one command and says how many cycles it loses that way, 0 for none, and the numbers.
// The cycles are an upper bound: what the command would take less if the cause were gone and nothing else stood in the
// way.
#include "tcp/trace/findings.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trace/words.hpp"

namespace tcp::trace {

namespace {

struct Loss {
  Cycles cycles{};
  std::string what;
};

Cycles stalled(const Command& c, const char* cause) {
  Cycles sum{};
  for (const Part& p : c.stalls)
    if (p.name == cause) sum += p.cycles;
  return sum;
}

std::string used_of(std::int64_t used, std::int64_t of, const char* what) {
  return with_commas(used) + " of " + with_commas(of) + " " + what;
}

/// The share of the working cycles that could be saved if all of a unit's parts worked.
Cycles unused_share(const Command& c, std::int64_t used, std::int64_t of) {
  if (used <= 0 || used >= of) return {};
  auto const working = static_cast<double>((c.length() - c.startup).value);
  return Cycles{static_cast<std::int64_t>(working * static_cast<double>(of - used) / static_cast<double>(of))};
}

/// The words are made for those only that lose something.
template <class Words>
Loss loss(Cycles cycles, Words&& words) {
  if (cycles <= Cycles{0}) return {};
  return {cycles, words()};
}

Loss small_dma_runs(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  if (d.unit.value > 0 && d.run.value > 0 && d.run < d.unit && c.streaming > d.ideal)
    return loss(c.streaming - d.ideal,
                [&] { return "runs of " + in_bytes(d.run.value) + ", where HBM moves " + in_bytes(d.unit.value) + " at a time"; });
  return {};
}

Loss missing_stack_bit(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  if (d.stacks > 0 && d.stacks < d.stacks_of)
    return loss(stalled(c, "hbm-channel"), [&] { return "only " + used_of(d.stacks, d.stacks_of, "stacks of HBM take part"); });
  return {};
}

Loss few_hbm_channels(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  if (d.channels > 0 && d.stacks == d.stacks_of)
    return loss(stalled(c, "hbm-channel"), [&] {
      if (d.channels < d.channels_of) return "only " + used_of(d.channels, d.channels_of, "channels of HBM take part");
      return "all " + with_commas(d.channels) + " channels of HBM take part, and some have more to do than others";
    });
  return {};
}

Loss row_conflicts(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  return loss(stalled(c, "hbm-row"),
              [&] { return with_commas(d.row_switches) + " of " + with_commas(d.requests) + " requests switch the row of a bank"; });
}

Loss partial_writes(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  return loss(stalled(c, "partial-write"),
              [&] { return with_commas(d.partial_writes) + " writes fill only a part of a unit of HBM, which is read first"; });
}

Loss one_dmn(const Trace&, const Command& c) {
  return loss(stalled(c, "dmn"), [&] { return "DMN pairs work with one DMN, which has half the rate of their DMA engine"; });
}

Loss few_dma_engines(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  if (d.engines > 0 && d.engines < d.engines_of && c.streaming > d.ideal && d.unit.value > 0 && d.run >= d.unit)
    return loss(c.streaming - d.ideal, [&] { return "only " + used_of(d.engines, d.engines_of, "DMA engines work"); });
  return {};
}

/// From DM to DM nothing is moved that another mapping of the tensor could not have brought there.
Loss relayout(const Trace&, const Command& c) {
  if (!c.dma) return {};
  const DmaFacts& d = *c.dma;
  if (d.engines > 0 && d.unit.value == 0 && c.streaming > d.ideal)
    return loss(c.streaming - d.ideal, [&] {
      return in_bytes(d.bytes.value) + " change their place within DM, by " + used_of(d.engines, d.engines_of, "DMA engines");
    });
  return {};
}

Loss broadcast_by_dma(const Trace&, const Command& c) {
  return loss(stalled(c, "broadcast"), [&] { return "DMA engines that read the same bytes of HBM for many slices wait for each other"; });
}

Loss shared_medium(const Trace&, const Command& c) {
  return loss(stalled(c, "shared-medium"), [&] { return "source and destination lie in one memory, which reads and writes in turn"; });
}

Loss padding(const Trace&, const Command& c) {
  if (!c.pass) return {};
  const PassFacts& p = *c.pass;
  if (p.packet_bytes < p.flit_bytes)
    return loss(unused_share(c, p.packet_bytes.value, p.flit_bytes.value), [&] {
      return percent((p.flit_bytes - p.packet_bytes).value, p.flit_bytes.value) + " of each flit is padding: packets have " +
             in_bytes(p.packet_bytes.value) + ", flits carry " + in_bytes(p.flit_bytes.value);
    });
  return {};
}

Loss idle_clusters(const Trace&, const Command& c) {
  if (!c.pass) return {};
  const PassFacts& p = *c.pass;
  return loss(unused_share(c, p.clusters, p.clusters_of), [&] { return "only " + used_of(p.clusters, p.clusters_of, "clusters work"); });
}

Loss idle_slices(const Trace&, const Command& c) {
  if (!c.pass) return {};
  const PassFacts& p = *c.pass;
  return loss(unused_share(c, p.slices, p.slices_of), [&] { return "only " + used_of(p.slices, p.slices_of, "slices of a cluster work"); });
}

Loss idle_rows(const Trace&, const Command& c) {
  if (!c.pass) return {};
  const PassFacts& p = *c.pass;
  return loss(unused_share(c, p.rows, p.rows_of),
              [&] { return "only " + used_of(p.rows, p.rows_of, "Rows of the Contraction Engine multiply"); });
}

Loss idle_lanes(const Trace&, const Command& c) {
  if (!c.pass) return {};
  const PassFacts& p = *c.pass;
  return loss(unused_share(c, p.lanes, p.lanes_of),
              [&] { return "only " + used_of(p.lanes, p.lanes_of, "multipliers of a Row have data"); });
}

/// A wait for a bank counts from when nothing else held the command back.
Loss starvation(const Trace& trace, const Command& c) {
  Cycles lost = stalled(c, "starvation");
  if (c.binding != none && c.after[static_cast<std::size_t>(c.binding)].kind == "starvation") {
    Cycles ready{};
    for (const Edge& e : c.after)
      if (e.kind != "starvation") ready = std::max(ready, trace.commands[static_cast<std::size_t>(e.from)].end);
    if (ready < c.start) lost += c.start - ready;
  }
  std::int64_t run = 0;
  if (c.pass) run = c.pass->longest_bank_run;
  return loss(lost, [&] {
    return run > 0 ? with_commas(run) + " accesses in a row go to one bank of DM, and DMA cannot get at it"
                   : "other commands hold the banks of DM that it needs";
  });
}

Loss bank_conflicts(const Trace&, const Command& c) {
  Cycles const trf = stalled(c, "trf-bank"), dm = stalled(c, "dm-bank");
  return loss(trf + dm, [&] { return trf > dm ? "a TRF read and a store meet in one bank" : "accesses meet in one bank of DM"; });
}

Loss slower_engine(const Trace&, const Command& c) {
  return loss(stalled(c, "engine"), [&] { return c.slowest + " is slower than the fetch and sets the pace"; });
}

Loss between_chips(const Trace&, const Command& c) {
  return loss(stalled(c, "pcie"), [&] { return "the way between chips and to the host is narrower than HBM"; });
}

struct Rule {
  const char* name;
  Loss (*look)(const Trace&, const Command&);
  const char* help;
};
constexpr Rule rules[] = {
    {"small-dma-runs", small_dma_runs, "let the innermost axis in HBM have a run of a whole unit, or move several rows as one"},
    {"missing-stack-bit", missing_stack_bit, "let the walk change bit 8 of the address: no stride that is a multiple of 512 bytes alone"},
    {"few-hbm-channels", few_hbm_channels, "spread the addresses: strides that are large powers of two meet in few channels"},
    {"row-conflicts", row_conflicts, "walk addresses in order, or pad the outer axis so that rows lie in other banks"},
    {"partial-writes", partial_writes, "align writes to HBM, and pad their runs, to whole units"},
    {"one-dmn", one_dmn, "spread the tensor over slices of both DMNs of a pair"},
    {"few-dma-engines", few_dma_engines, "spread the tensor over more slices, so that the engines of all DMN pairs work"},
    {"relayout", relayout, "commit, or load, the tensor in the layout in which it is read; else spread it over more slices"},
    {"broadcast-by-dma", broadcast_by_dma,
     "load one copy and broadcast it inside the chip, by the switch; or keep a copy in HBM for each engine"},
    {"shared-medium", shared_medium, "copy through DM, or avoid the copy by reading where the data lies"},
    {"padding", padding, "choose a packet that fills its flits"},
    {"idle-clusters", idle_clusters, "put an axis into Cluster, so that both clusters work"},
    {"idle-slices", idle_slices, "put more of an axis into Slice"},
    {"idle-rows", idle_rows, "put an axis of the weights into Row"},
    {"idle-lanes", idle_lanes, "let the contracted axis fill the packet"},
    {"starvation", starvation, "change the stride of the walk so that neighbouring accesses go to different banks"},
    {"bank-conflicts", bank_conflicts, "use the other half of the TRF for the next store, or another address in DM"},
    {"slower-engine", slower_engine, "give that engine less to do a packet, or split the pass"},
    {"between-chips", between_chips, "keep data on its chip, or move it while something else runs"},
};

}  // namespace

std::vector<Finding> find(const Trace& trace) {
  std::map<std::pair<std::size_t, std::int32_t>, Finding> by_line;
  std::map<std::pair<std::size_t, std::int32_t>, Cycles> worst;
  for (const Command& c : trace.commands)
    for (std::size_t r = 0; r < std::size(rules); ++r) {
      Loss loss = rules[r].look(trace, c);
      if (loss.cycles <= Cycles{0}) continue;
      Finding& f = by_line[{r, c.source}];
      Cycles& most = worst[{r, c.source}];
      if (loss.cycles > most) f.what = std::move(loss.what);
      most = std::max(most, loss.cycles);
      f.rule = rules[r].name;
      f.help = rules[r].help;
      f.source = c.source;
      ++f.commands;
      f.cycles += loss.cycles;
      if (c.critical) f.critical += loss.cycles;
    }
  std::vector<Finding> all;
  for (auto& [key, f] : by_line) all.push_back(std::move(f));
  std::sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return std::tie(b.critical, b.cycles, a.rule, a.source) < std::tie(a.critical, a.cycles, b.rule, b.source);
  });
  return all;
}

}  // namespace tcp::trace
