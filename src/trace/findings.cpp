// One function for each rule. It looks at one command and says how many cycles it loses that way, 0 for none, and the
// numbers. What a command loses is the difference to the length that it would have if the cause were gone: what its
// next-slowest engine takes, or the full rate of what it moves and multiplies.
#include "tcp/trace/findings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

struct Loss {
  Cycles cycles{};
  std::string what;
  std::vector<Changes::Dropped> dropped;
  std::vector<Changes::Length> also;  // commands that the same change of a mapping makes shorter
  std::string_view also_loads_as{};   // a layout: loads into it have longer runs with the same change
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

/// A share of so many cycles, rounded up: what is left is never promised away.
Cycles share_of(Cycles cycles, std::int64_t part, std::int64_t whole) {
  auto const exact = static_cast<double>(cycles.value) * static_cast<double>(part) / static_cast<double>(whole);
  auto const down = static_cast<std::int64_t>(exact);
  return Cycles{down + (static_cast<double>(down) < exact ? 1 : 0)};
}

/// Cycles in which an engine of a pass works, as the slowest one has it.
Cycles working(const Command& c) {
  Cycles waiting = c.startup;
  for (const Part& p : c.stalls)
    if (p.name != "engine") waiting += p.cycles;
  return c.length() - waiting;
}

/// The words are made for those only that lose something.
template <class Words>
Loss loss(Cycles cycles, Words&& words) {
  if (cycles <= Cycles{0}) return {};
  return {cycles, words(), {}, {}, {}};
}

/// What an engine of a command would take alone.
Cycles engine_cycles(const Command& c, const char* engine) {
  Cycles most{};
  for (const Part& p : c.engines)
    if (p.name == engine) most = std::max(most, p.cycles);
  return most;
}

/// What a command takes itself: without it the program still begins and ends, and one cluster waits for the other.
Cycles own_length(const Command& c) { return c.length() - c.of_program - stalled(c, "lag"); }

/// What a transfer streams less if its runs were whole units; 0 where they are. Parts of units take the channels of HBM
/// as long as whole ones.
Cycles lost_by_runs(const Command& c) {
  const DmaFacts& d = *c.dma;
  if (d.unit.value == 0 || d.run.value == 0 || d.run >= d.unit) return {};
  Cycles const data = c.streaming + stalled(c, "hbm-channel");
  return data - std::min(data, std::max(d.ideal, share_of(data, d.run.value, d.unit.value)));
}

/// The slices of the tensor in DM that a transfer reads or writes; 0: unknown.
std::int64_t slices_in_dm(const Trace& trace, const Command& c);

/// The part of a mapping that says which slices have what.
std::string_view slices_of(const std::string& mapping) {
  auto const begin = mapping.find(" Slice[");
  return begin == std::string::npos ? std::string_view() : std::string_view(mapping).substr(begin, mapping.find("] ", begin) - begin);
}

/// The part of a mapping that says where elements are.
std::string_view layout_of(const std::string& mapping) {
  auto const at = mapping.find(" in ");
  return std::string_view(mapping).substr(at == std::string::npos ? 0 : at);
}

/// The chip's DM that no command of the trace touches, of a slice.
Bytes room_in_dm(const Trace& trace) {
  std::int64_t highest = 0, capacity = 0;
  for (const Command& c : trace.commands)
    for (const auto* ranges : {&c.reads, &c.writes})
      for (const Range& r : *ranges)
        if (r.memory == "DM") highest = std::max(highest, r.end);
  for (const Capacity& c : trace.capacities)
    if (c.memory == "DM") capacity = c.bytes.value;
  return Bytes{std::max<std::int64_t>(capacity - highest, 0)};
}

const Range* range_in(const std::vector<Range>& ranges, const char* memory) {
  auto const found = std::find_if(ranges.begin(), ranges.end(), [&](const Range& r) { return r.memory == memory; });
  return found == ranges.end() ? nullptr : &*found;
}

/// More slices help as far as each of them has a packet of the result to make. What fills a register file is needed
/// where it is used, however many slices that are.
Cycles lost_by_idle_units(const Command& c, std::int64_t used, std::int64_t of) {
  const PassFacts& p = *c.pass;
  if (used <= 0 || used >= of || p.outputs <= 0) return {};
  std::int64_t const more = std::min((of + used - 1) / used, p.outputs);
  return working(c) - std::max(share_of(working(c), used, of), share_of(working(c), 1, more));
}

/// The trace, and what rules that compare commands want to know of it.
class Commands {
 public:
  explicit Commands(const Trace& t) : trace(t) {
    find_loads();
    find_parts();
    find_rings();
    find_short_runs();
    find_transfers();
    for (const Command& c : t.commands)
      if (c.dma && range_in(c.reads, "HBM") != nullptr && range_in(c.writes, "HBM") != nullptr) copies_in_hbm.push_back(&c);
    for (std::size_t i = 0; i < t.commands.size(); ++i)
      for (const Range& r : t.commands[i].reads)
        if (r.tensor != none && (readers_[r.tensor].empty() || readers_[r.tensor].back() != number(i)))
          readers_[r.tensor].push_back(number(i));
    for (std::size_t i = 0; i < t.commands.size(); ++i)
      for (const Range& w : t.commands[i].writes)
        if (w.tensor != none) writers_[w.tensor].push_back(number(i));
    in_few_slices_ = bytes_of_idle([](const PassFacts& p) { return std::pair{p.slices, p.slices_of}; }, true);
    in_few_clusters_ = bytes_of_idle([](const PassFacts& p) { return std::pair{p.clusters, p.clusters_of}; }, false);
  }

  const Trace& trace;
  std::vector<const Command*> copies_in_hbm;  // a few of up to a million commands

  const Command& at(std::int32_t c) const { return trace.commands[static_cast<std::size_t>(c)]; }
  std::int32_t number_of(const Command& c) const { return static_cast<std::int32_t>(&c - trace.commands.data()); }
  const std::string& mapping_of(std::int32_t tensor) const { return trace.tensors[static_cast<std::size_t>(tensor)].mapping; }

  /// The command that brought the same bytes of HBM into the same slices before, if DM has room to keep them.
  std::int32_t loaded_before(std::int32_t c) const {
    auto const found = loaded_before_.find(c);
    return found == loaded_before_.end() || !fits_.contains(at(c).source) ? none : found->second;
  }
  /// Whether a command touches a tensor of passes that could use more slices, or more clusters.
  bool touches_idle_slices(const Command& c) const { return touches(c, in_few_slices_); }
  bool touches_idle_clusters(const Command& c) const { return touches(c, in_few_clusters_); }
  bool leaves_units_idle(const Command& c) const { return touches_idle_slices(c) || touches_idle_clusters(c); }
  /// Whether some pass carries values from slice to slice of a tensor's layout, or into such slices.
  bool goes_round(std::int32_t tensor) const { return in_rings_.contains(slices_of(mapping_of(tensor))); }
  /// Commands that read a tensor, and those that write it.
  const std::vector<std::int32_t>& readers(std::int32_t tensor) const { return of(readers_, tensor); }
  const std::vector<std::int32_t>& writers(std::int32_t tensor) const { return of(writers_, tensor); }
  /// Loads into a layout whose runs are parts of units, with the lengths that whole units would give them.
  const std::vector<Changes::Length>& loads_with_short_runs(std::string_view layout) const {
    static const std::vector<Changes::Length> none_of_them;
    auto const found = short_runs_.find(layout);
    return found == short_runs_.end() ? none_of_them : found->second;
  }
  /// How many cycles of a transfer have transfers by other engines beside them, each counted by itself.
  Cycles beside_other_engines(const Command& c) const {
    Cycles sum{};
    for (const auto& [engines, all] : transfers_) {
      if (engines == c.dma->engine_set) continue;
      auto at = std::partition_point(all.begin(), all.end(), [&](const Transfer& t) { return t.start < c.end; });
      while (at != all.begin() && std::prev(at)->last_end > c.start) {
        --at;
        sum += std::max(std::min(c.end, at->end) - std::max(c.start, at->start), Cycles{0});
      }
    }
    return sum;
  }

 private:
  using ByTensor = std::map<std::int32_t, std::vector<std::int32_t>>;
  static const std::vector<std::int32_t>& of(const ByTensor& all, std::int32_t tensor) {
    static const std::vector<std::int32_t> no_command;
    auto const found = all.find(tensor);
    return found == all.end() ? no_command : found->second;
  }
  static std::int32_t number(std::size_t i) { return static_cast<std::int32_t>(i); }
  /// Stretches of DM that do not touch: begin to end.
  using Stretches = std::map<std::int64_t, std::int64_t>;
  static bool touches(const Command& c, const Stretches& stretches) {
    for (const auto* ranges : {&c.reads, &c.writes})
      for (const Range& r : *ranges)
        if (r.memory == "DM" && meets(stretches, r)) return true;
    return false;
  }
  static void enter(const Command& c, Stretches& stretches) {
    for (const auto* ranges : {&c.reads, &c.writes})
      for (const Range& r : *ranges)
        if (r.memory == "DM") enter(stretches, r.begin, r.end);
  }
  /// Whether a store could not be divided among twice the slices: their pieces would be parts of units of HBM.
  bool has_no_more_pieces(const Command& c) const {
    if (!c.dma || c.dma->unit.value == 0 || c.reads.size() != 1 || c.reads[0].memory != "DM") return false;
    std::int64_t const slices = slices_in_dm(trace, c);
    return slices > 0 && c.dma->bytes.value < 2 * slices * c.dma->unit.value;
  }
  /// Whether a pass touches a part of a tensor, as those do that put one together from tiles, or lay padding around it.
  bool touches_a_part(const Command& c) const {
    auto const is_part = [this](const Range& r) { return r.memory == "DM" && r.tensor != none && parts_.contains(r.tensor); };
    return c.pass && (std::any_of(c.writes.begin(), c.writes.end(), is_part) || std::any_of(c.reads.begin(), c.reads.end(), is_part));
  }
  /// What a pass touches, with what fills the register files that it reads: their slices are its own.
  void enter_with_operands(const Command& c, Stretches& stretches) const {
    enter(c, stretches);
    for (const Range& r : c.reads)
      if (r.tensor != none && (r.memory == "VRF" || r.memory == "TRF"))
        for (std::int32_t writer : writers(r.tensor)) enter(at(writer), stretches);
  }
  bool touches_with_operands(const Command& c, const Stretches& stretches) const {
    if (touches(c, stretches)) return true;
    for (const Range& r : c.reads)
      if (r.tensor != none && (r.memory == "VRF" || r.memory == "TRF"))
        for (std::int32_t writer : writers(r.tensor))
          if (touches(at(writer), stretches)) return true;
    return false;
  }
  /// DM of passes that could use more units. A pass that has too few results for that keeps the layout of all that it
  /// touches, and so do other passes that touch it, and stores of few bytes. Of what each slice has a copy, more slices
  /// of a cluster would load more copies (`copies_count`); another cluster has engines of its own for them.
  template <class UsedOf>
  Stretches bytes_of_idle(const UsedOf& used_of, bool copies_count) const {
    Stretches kept, free;
    std::vector<const Command*> could;
    for (const Command& c : trace.commands) {
      if (has_no_more_pieces(c) || (copies_count && ((c.dma && c.dma->copies > 1) || touches_a_part(c)))) enter(c, kept);
      if (!c.pass || c.pass->outputs <= 0) continue;
      auto const [used, of] = used_of(*c.pass);
      if (used >= of) continue;
      if (c.pass->outputs * used < std::min<std::int64_t>(of, 2 * used)) enter(c, kept);
      else could.push_back(&c);
    }
    for (bool changed = !kept.empty(); changed;) {
      changed = false;
      for (const Command*& c : could)
        if (c != nullptr && touches_with_operands(*c, kept)) {
          enter_with_operands(*c, kept);
          c = nullptr;
          changed = true;
        }
    }
    for (const Command* c : could)
      if (c != nullptr) enter_with_operands(*c, free);
    return free;
  }

  /// Tensors of one name of which each has bytes that the other has not, and both have some, are views of one tensor.
  void find_parts() {
    std::map<std::string_view, std::vector<std::int32_t>> by_name;
    for (std::size_t i = 0; i < trace.tensors.size(); ++i)
      if (trace.tensors[i].memory == "DM") by_name[trace.tensors[i].name].push_back(number(i));
    for (auto& [name, all] : by_name) {
      auto const range = [this](std::int32_t i) { return std::pair{tensor(i).begin, tensor(i).end}; };
      std::sort(all.begin(), all.end(), [&](std::int32_t a, std::int32_t b) { return range(a) < range(b); });
      auto const same = [&](std::int32_t a, std::int32_t b) { return range(a) == range(b); };
      std::vector<std::int32_t> const every = all;
      all.erase(std::unique(all.begin(), all.end(), same), all.end());
      constexpr std::size_t looked_back = 64;
      for (std::size_t i = 1; i < all.size(); ++i)
        for (std::size_t k = i; k-- > 0 && i - k <= looked_back;)
          if (tensor(all[k]).begin < tensor(all[i]).begin && tensor(all[i]).begin < tensor(all[k]).end &&
              tensor(all[k]).end < tensor(all[i]).end)
            parts_.insert({all[k], all[i]});
      for (std::size_t i = 1; i < every.size(); ++i)
        if (same(every[i - 1], every[i]) && parts_.contains(every[i - 1])) parts_.insert(every[i]);
    }
  }
  void find_short_runs() {
    for (const Command& c : trace.commands) {
      if (!c.dma || c.writes.size() != 1 || c.writes[0].memory != "DM" || c.writes[0].tensor == none) continue;
      if (Cycles const lost = lost_by_runs(c); lost > Cycles{0})
        short_runs_[layout_of(mapping_of(c.writes[0].tensor))].push_back({number_of(c), c.length() - lost});
    }
  }
  void find_transfers() {
    for (const Command& c : trace.commands)
      if (c.dma && c.dma->engines > 0) transfers_[c.dma->engine_set].push_back({c.start, c.end, c.end});
    for (auto& [engines, all] : transfers_) {
      std::sort(all.begin(), all.end(), [](const Transfer& a, const Transfer& b) { return a.start < b.start; });
      for (std::size_t i = 1; i < all.size(); ++i) all[i].last_end = std::max(all[i].last_end, all[i - 1].last_end);
    }
  }
  void find_rings() {
    for (const Command& c : trace.commands) {
      const Range *const from = range_in(c.reads, "DM"), *const to = range_in(c.writes, "DM");
      if (!c.pass || from == nullptr || to == nullptr || from->tensor == none || to->tensor == none) continue;
      std::string_view const before = slices_of(mapping_of(from->tensor)), after = slices_of(mapping_of(to->tensor));
      if (before != after) in_rings_.insert({before, after});
    }
  }
  const Tensor& tensor(std::int32_t i) const { return trace.tensors[static_cast<std::size_t>(i)]; }

  using Stretch = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::int64_t>;  // of HBM; the units, and how many bytes there

  /// What any command writes to HBM may be another value the second time.
  void find_loads() {
    std::map<Stretch, std::int32_t> loads;
    Stretches written;  // begin to end of what any command writes
    std::map<std::int32_t, std::pair<std::set<Stretch>, std::int64_t>> kept;
    for (const Command& c : trace.commands)
      for (const Range& w : c.writes)
        if (w.memory == "HBM") enter(written, w.begin, w.end);
    for (std::size_t i = 0; i < trace.commands.size(); ++i) {
      const Command& c = trace.commands[i];
      if (!c.dma || c.reads.size() != 1 || c.writes.size() != 1 || c.reads[0].memory != "HBM" || c.writes[0].memory != "DM") continue;
      const Range& from = c.reads[0];
      if (meets(written, from)) continue;
      std::int64_t const bytes = c.writes[0].end - c.writes[0].begin;
      Stretch const key{from.begin, from.end, c.writes[0].units, bytes};
      auto const [known, fresh] = loads.try_emplace(key, number(i));
      if (fresh || !same_shape(at(known->second), c)) continue;
      loaded_before_[number(i)] = known->second;
      auto& [keys, sum] = kept[c.source];
      if (keys.insert(key).second) sum += bytes;
    }
    Bytes const room = room_in_dm(trace);
    for (const auto& [source, what] : kept)
      if (what.second <= room.value) fits_.insert(source);
  }
  /// Stretches that touch become one.
  static void enter(Stretches& stretches, std::int64_t begin, std::int64_t end) {
    auto at = stretches.upper_bound(begin);
    if (at != stretches.begin() && std::prev(at)->second >= begin) --at;
    while (at != stretches.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = stretches.erase(at);
    }
    stretches[begin] = end;
  }
  static bool meets(const Stretches& stretches, const Range& r) {
    auto const after = stretches.lower_bound(r.end);
    return after != stretches.begin() && std::prev(after)->second > r.begin;
  }
  bool same_shape(const Command& a, const Command& b) const {
    std::int32_t const x = a.writes[0].tensor, y = b.writes[0].tensor;
    return a.dma->bytes == b.dma->bytes && x != none && y != none && mapping_of(x) == mapping_of(y);
  }
  std::map<std::int32_t, std::int32_t> loaded_before_;
  std::set<std::int32_t> fits_;  // lines all of whose repeated loads fit into DM together
  ByTensor readers_, writers_;
  std::map<std::string_view, std::vector<Changes::Length>> short_runs_;  // by layout
  /// A transfer, and when the last one ends of those that start no later.
  struct Transfer {
    Cycles start{}, end{}, last_end{};
  };
  std::map<std::string_view, std::vector<Transfer>> transfers_;  // by the engines that work on them, by start
  std::set<std::string_view> in_rings_;                          // slices of mappings that passes carry values between
  std::set<std::int32_t> parts_;                                 // tensors that are views of a part of another
  Stretches in_few_slices_, in_few_clusters_;                    // DM of passes that could use more
};

/// Where writes fill only parts of units, whole ones are partial_writes' to ask for. A run is never longer than what a
/// slice has, and where a slice has padding between the runs, they stay as they are.
Loss small_dma_runs(const Commands& all, const Command& c) {
  if (!c.dma || stalled(c, "partial-write") > Cycles{0}) return {};
  const DmaFacts& d = *c.dma;
  std::int64_t const slices = slices_in_dm(all.trace, c);
  if (slices > 0 && d.bytes.value <= slices * d.run.value) return {};
  const Range* const dm = range_in(c.writes, "DM") != nullptr ? range_in(c.writes, "DM") : range_in(c.reads, "DM");
  if (slices > 0 && dm != nullptr && (dm->end - dm->begin) * slices > d.bytes.value) return {};
  return loss(lost_by_runs(c),
              [&] { return "runs of " + in_bytes(d.run.value) + ", where HBM moves " + in_bytes(d.unit.value) + " at a time"; });
}

/// What a transfer would take less if HBM were walked in the order of its addresses, as the trace's own model says.
Cycles lost_by_order(const Command& c) {
  if (!c.dma || c.dma->in_order == Cycles{0}) return {};
  return own_length(c) - c.dma->in_order;
}
/// Where most requests close a row that another needs, that is the cause.
bool switches_rows(const DmaFacts& d) { return 2 * d.row_switches >= d.requests; }

/// So many channels or stacks can take part: each has a unit at least.
std::int64_t at_most_used(const DmaFacts& d, std::int64_t of) {
  return std::min(of, d.unit.value > 0 ? (d.bytes.value + d.unit.value - 1) / d.unit.value : of);
}

Loss missing_stack_bit(const Commands&, const Command& c) {
  if (!c.dma || c.dma->stacks <= 0 || c.dma->stacks >= at_most_used(*c.dma, c.dma->stacks_of)) return {};
  return loss(lost_by_order(c), [&] { return "only " + used_of(c.dma->stacks, c.dma->stacks_of, "stacks of HBM take part"); });
}

Loss few_hbm_channels(const Commands&, const Command& c) {
  if (!c.dma || c.dma->stacks < c.dma->stacks_of || switches_rows(*c.dma)) return {};
  const DmaFacts& d = *c.dma;
  if (d.bytes.value <= d.channels * d.unit.value) return {};
  return loss(lost_by_order(c), [&] {
    if (d.channels < d.channels_of) return "only " + used_of(d.channels, d.channels_of, "channels of HBM take part");
    return "all " + with_commas(d.channels) + " channels of HBM take part, and some have more to do than others";
  });
}

Loss row_conflicts(const Commands&, const Command& c) {
  if (!c.dma || c.dma->stacks < c.dma->stacks_of || !switches_rows(*c.dma)) return {};
  const DmaFacts& d = *c.dma;
  return loss(lost_by_order(c),
              [&] { return with_commas(d.row_switches) + " of " + with_commas(d.requests) + " requests switch the row of a bank"; });
}

/// What it costs to have whole units in slices that have less than one: fewer slices, which work longer, or another
/// pass, in which a switch brings together what the slices have.
struct Gathering {
  Cycles cycles{};
  bool fewer_slices = false;
};
Gathering gathering(const Commands& all, const Command& store) {
  const Range* const from = range_in(store.reads, "DM");
  std::int64_t const slices = slices_in_dm(all.trace, store), unit = store.dma->unit.value;
  if (from == nullptr || from->tensor == none || slices == 0 || store.dma->bytes.value >= slices * unit) return {};
  std::int64_t const a_slice = std::max<std::int64_t>(store.dma->bytes.value / slices, 1);
  Cycles longer{}, by_switch{};
  for (std::int32_t writer : all.writers(from->tensor)) {
    const Command& pass = all.at(writer);
    if (!pass.pass) continue;
    longer += Cycles{working(pass).value * ((unit + a_slice - 1) / a_slice - 1)};
    by_switch =
        std::max(by_switch, pass.startup - pass.of_program + Cycles{(a_slice + 31) / 32 * std::max<std::int64_t>(pass.pass->slices, 1)});
  }
  return longer <= by_switch ? Gathering{longer, true} : Gathering{by_switch, false};
}

bool meet_in_hbm(const std::vector<Range>& a, const std::vector<Range>& b) {
  const Range *const x = range_in(a, "HBM"), *const y = range_in(b, "HBM");
  return x != nullptr && y != nullptr && x->begin < y->end && y->begin < x->end;
}

/// A write of whole units has whole runs. Bytes that fill no unit leave one partial write. Where fewer slices have
/// longer runs, so have the loads of the same layout.
Loss partial_writes(const Commands& all, const Command& c) {
  Cycles const stall = stalled(c, "partial-write");
  if (!c.dma || stall == Cycles{0} || c.dma->unit.value == 0) return {};
  if (range_in(c.reads, "HBM") != nullptr && range_in(c.writes, "HBM") != nullptr) return {};  // a copy: both layouts are wanted
  const DmaFacts& d = *c.dma;
  Cycles left{};
  if (d.bytes.value % d.unit.value != 0 && d.partial_writes > 0)
    left = share_of(stall, std::min(d.channels, d.partial_writes), d.partial_writes);
  for (const Command* copy : all.copies_in_hbm)  // of the same bytes would write the pieces instead
    if (meet_in_hbm(c.writes, copy->reads))
      left += share_of(stall, std::min(copy->dma->bytes.value, d.bytes.value), std::max<std::int64_t>(d.bytes.value, 1));
  Gathering const made = gathering(all, c);
  Loss found = loss(stall - left + lost_by_runs(c) - made.cycles, [&] {
    return with_commas(d.partial_writes) + (d.partial_writes == 1 ? " write fills" : " writes fill") +
           " only a part of a unit of HBM, which is read first: runs of " + in_bytes(d.run.value) + ", units of " + in_bytes(d.unit.value);
  });
  const Range* const from = range_in(c.reads, "DM");
  if (found.cycles == Cycles{0} || !made.fewer_slices || from == nullptr || from->tensor == none) return found;
  found.also_loads_as = layout_of(all.mapping_of(from->tensor));
  return found;
}

std::int64_t slices_in_dm(const Trace& trace, const Command& c) {
  const std::vector<Range>& ranges = range_in(c.writes, "DM") != nullptr ? c.writes : c.reads;
  std::int64_t slices = 0;
  for (const Range& r : ranges) {
    if (r.memory != "DM") continue;
    if (r.units == none) return 0;
    const Units& u = trace.units[static_cast<std::size_t>(r.units)];
    slices += static_cast<std::int64_t>(numbers_of(u.chips).size() * numbers_of(u.clusters).size() * numbers_of(u.slices).size());
  }
  return slices;
}

/// In `detailed` an engine fills one slice after the other, and waits for its DMN however many engines there are.
bool one_slice_at_a_time(const Trace& trace) { return trace.model == "detailed"; }

/// What a transfer would stream less by all engines and both DMNs of each. Copies that more slices would want are
/// loaded by as many engines, and take as long as before.
Cycles lost_by_engines(const Trace& trace, const Command& c, bool more_slices = false) {
  const DmaFacts& d = *c.dma;
  std::int64_t const slices = more_slices ? 0 : slices_in_dm(trace, c);
  std::int64_t const most = slices > 0 ? std::min(d.engines_of, slices) : d.engines_of;  // an engine for each slice
  if (d.engines <= 0 || d.engines >= most || d.unit.value == 0 || d.run < d.unit || d.copies > 1) return {};
  Cycles const least = std::max(d.ideal, engine_cycles(c, "HBM"));
  Cycles const data = c.streaming + (one_slice_at_a_time(trace) ? stalled(c, "dmn") : Cycles{0});
  return data - std::min(data, std::max(least, share_of(data, d.engines, most)));
}
/// What it would take less if both DMNs of each engine worked.
Cycles lost_by_dmns(const Command& c) {
  Cycles const stall = stalled(c, "dmn"), least = std::max(c.dma->ideal, engine_cycles(c, "HBM"));
  return stall - std::min(stall, std::max(least - c.streaming, Cycles{0}));
}

/// Whether the slices of a tensor in DM are bound by a ring: some pass carries values from slice to slice of this
/// layout, and slices that lie further apart, or in another order, make that way longer.
bool is_in_a_ring(const Commands& all, const Command& transfer) {
  for (const auto* ranges : {&transfer.reads, &transfer.writes})
    for (const Range& r : *ranges) {
      if (r.memory != "DM" || r.tensor == none) continue;
      if (all.goes_round(r.tensor)) return true;
      for (std::int32_t reader : all.readers(r.tensor))
        for (const Range& w : all.at(reader).writes)  // what a register file holds belongs to the slices of those who use it
          if (w.tensor != none && (w.memory == "TRF" || w.memory == "VRF"))
            for (std::int32_t user : all.readers(w.tensor))
              for (const Range& of : all.at(user).reads)
                if (of.memory == "DM" && of.tensor != none && all.goes_round(of.tensor)) return true;
    }
  return false;
}

/// Whether a transfer leaves one DMN of a pair without a slice.
bool misses_a_dmn(const Trace& trace, const Command& c) {
  const Range* dm = range_in(c.writes, "DM");
  if (dm == nullptr) dm = range_in(c.reads, "DM");
  if (dm == nullptr || dm->units == none || !trace.geometry || trace.geometry->dma_engines <= 0) return true;
  if (slices_in_dm(trace, c) == 1) return false;
  std::int64_t const dmn = std::max<std::int64_t>(trace.geometry->slices * trace.geometry->clusters / trace.geometry->dma_engines / 2, 1);
  std::set<std::int64_t> dmns;
  for (std::int64_t slice : numbers_of(trace.units[static_cast<std::size_t>(dm->units)].slices)) dmns.insert(slice / dmn);
  return std::any_of(dmns.begin(), dmns.end(), [&](std::int64_t d) { return !dmns.contains(d ^ 1); });
}

Loss one_dmn(const Commands& all, const Command& c) {
  if (!c.dma || c.dma->both_dmns == Cycles{0} || !misses_a_dmn(all.trace, c)) return {};
  if (c.dma->unit.value == 0 || all.leaves_units_idle(c) || is_in_a_ring(all, c))
    return {};  // within DM it is the whole transfer that is too much
  return loss(own_length(c) - c.dma->both_dmns, [&] { return "DMN pairs work with one DMN, which has half the rate of their DMA engine"; });
}

/// Whether other engines work on another transfer for most of the time: clusters may have queues of their own.
bool others_work_beside(const Commands& all, const Command& c) {
  Cycles const beside = all.beside_other_engines(c);
  return beside + beside > c.length();
}

/// Where passes leave clusters or slices idle, that is the cause.
Loss few_dma_engines(const Commands& all, const Command& c) {
  if (!c.dma || c.dma->engines >= c.dma->engines_of || all.leaves_units_idle(c) || is_in_a_ring(all, c)) return {};
  if (one_slice_at_a_time(all.trace) && others_work_beside(all, c)) return {};
  return loss(lost_by_engines(all.trace, c), [&] { return "only " + used_of(c.dma->engines, c.dma->engines_of, "DMA engines work"); });
}

/// Longer runs than a unit are slower on chips.
Loss row_interleaving(const Commands&, const Command& c) {
  if (!c.dma || c.dma->dealt == Cycles{0} || stalled(c, "broadcast") > Cycles{0}) return {};
  return loss(c.streaming - c.dma->dealt, [&] {
    return "each slice takes long runs of HBM, one slice after the other; rows of " + in_bytes(c.dma->unit.value) +
           " that are dealt out over the slices are read " + percent((c.streaming - c.dma->dealt).value, c.streaming.value) + " quicker";
  });
}

/// What a pass needs for what another one would do for it: it would take what the slower of both takes.
Cycles beside(const Command& reader, Cycles cycles) { return std::max(cycles - working(reader), Cycles{0}); }

/// What a switch takes for bytes of DM: every flit goes round a ring of the slices that get them.
Cycles by_switch(const Trace& trace, const Range& from, const Range& to) {
  std::size_t const ring = to.units == none ? 1 : numbers_of(trace.units[static_cast<std::size_t>(to.units)].slices).size();
  return Cycles{(from.end - from.begin + 31) / 32 * static_cast<std::int64_t>(ring)};
}

/// Values that only change their place, on their way to passes which could fetch them from where they are: a switch and
/// a transpose can stand in front of what a pass computes.
Loss relayout(const Commands& all, const Command& c) {
  bool const pass = c.pass && c.pass->moves;
  bool const transfer = c.dma && c.dma->unit.value == 0 && range_in(c.reads, "DM") != nullptr && all.trace.chips == 1;
  const Range* const made = range_in(c.writes, "DM");
  if ((!pass && !transfer) || made == nullptr || made->tensor == none) return {};
  const Range* const from = range_in(c.reads, "DM");
  bool const stays = pass && from != nullptr && from->tensor != none && all.mapping_of(from->tensor) == all.mapping_of(made->tensor) &&
                     all.mapping_of(made->tensor).find(" = ") == std::string::npos;  // tiles are put together
  Cycles stays_for{};
  if (!stays) {
    Cycles const moved = pass ? working(c) : by_switch(all.trace, *from, *made);
    for (std::int32_t reader : all.readers(made->tensor)) {
      if (!all.at(reader).pass || all.at(reader).pass->moves) return {};  // a store wants its layout
      stays_for += beside(all.at(reader), moved);
    }
    if (all.readers(made->tensor).empty()) return {};
  }
  return loss(own_length(c) - stays_for, [&] {
    std::string const bytes = in_bytes(made->end - made->begin) + " of each slice";
    if (stays) return bytes + " are copied as they are: nothing is computed, and the layout stays the same";
    return bytes + (pass ? " only change their place, in a pass that computes nothing" : " change their place within DM by DMA");
  });
}

Loss replication(const Commands& all, const Command& c) {
  if (!c.dma) return {};
  std::int32_t const before = all.loaded_before(all.number_of(c));
  if (before != none)
    return loss(own_length(c), [&] {
      return in_bytes(c.dma->bytes.value) + " are loaded that " + place_of(all.trace.sources, all.at(before).source) +
             " loaded before; DM has room to keep them";
    });
  if (c.dma->one_copy == Cycles{0} || is_in_a_ring(all, c)) return {};  // neighbours are then those of another ring
  return loss(c.length() - c.dma->one_copy, [&] {
    return "each byte is loaded " + with_commas(c.dma->copies) + " times, " + in_bytes(c.dma->bytes.value) +
           " in all; one copy and a pass that broadcasts it take " + with_commas(c.dma->one_copy.value) + " cycles";
  });
}

/// Commands for one cluster each, one after the other, where one command for both would take no longer.
Loss cluster_lag(const Commands& all, const Command& c) {
  auto const clusters = [&](const Command& of) -> std::string {
    const Range* dm = range_in(of.writes, "DM");
    if (dm == nullptr) dm = range_in(of.reads, "DM");
    return dm == nullptr || dm->units == none ? "" : all.trace.units[static_cast<std::size_t>(dm->units)].clusters;
  };
  std::string const own = clusters(c);
  if (c.binding == none || own.empty() || own == "0" || own.find_first_not_of("0123456789") != own.npos) return {};
  const Edge& waits = c.after[static_cast<std::size_t>(c.binding)];
  const Command& before = all.at(waits.from);
  std::string const other = clusters(before);
  bool const alike = c.name == before.name && c.dma.has_value() == before.dma.has_value() &&
                     c.pass.has_value() == before.pass.has_value() && c.resources == before.resources;
  if (waits.kind != "resource" || !alike || other.empty() || other == own || other.find_first_not_of("0123456789") != other.npos) return {};
  for (const Edge& e : c.after)
    if (e.kind != "resource" && e.from == waits.from) return {};
  Cycles together = std::max(own_length(c), own_length(before));
  if (c.dma) {
    if (c.dma->bytes != before.dma->bytes) return {};
    together = std::max({together, c.startup - c.of_program + c.dma->ideal + before.dma->ideal, c.dma->both_clusters});
  }
  return loss(own_length(c) - (together - own_length(before)), [&] {
    return "cluster " + own + " begins when cluster " + other + " has ended, " + with_commas(before.length().value) +
           " cycles later: there is one command for each of them";
  });
}

/// Copies inside HBM, as they are, that the kernel itself reads.
Loss shared_medium(const Commands& all, const Command& c) {
  if (!c.dma || c.reads.size() != 1 || c.writes.size() != 1) return {};  // rows that an index names must be put together
  const Range &from = c.reads[0], &to = c.writes[0];
  if (from.memory != "HBM" || to.memory != "HBM" || from.tensor == none || to.tensor == none) return {};
  bool const kept = !all.trace.tensors[static_cast<std::size_t>(to.tensor)].role.empty() || all.readers(to.tensor).empty();
  if (kept || all.mapping_of(from.tensor) != all.mapping_of(to.tensor)) return {};
  return loss(own_length(c), [&] { return in_bytes(c.dma->bytes.value) + " are copied from HBM to HBM, which reads and writes in turn"; });
}

/// A flit that is not full costs as much as one that is.
Loss padding(const Commands&, const Command& c) {
  if (!c.pass) return {};
  const PassFacts& p = *c.pass;
  if (p.packet_bytes <= Bytes{0} || p.packet_bytes >= p.flit_bytes) return {};
  return loss(working(c) - std::max(p.ideal, share_of(working(c), p.packet_bytes.value, p.flit_bytes.value)), [&] {
    return percent((p.flit_bytes - p.packet_bytes).value, p.flit_bytes.value) + " of each flit is padding: packets have " +
           in_bytes(p.packet_bytes.value) + ", flits carry " + in_bytes(p.flit_bytes.value);
  });
}

/// A pass that could use more of the chip, or a transfer of a tensor that such passes touch: one mapping decides about
/// all of them.
Loss idle_clusters(const Commands& all, const Command& c) {
  if (c.dma && all.touches_idle_clusters(c))
    return loss(lost_by_engines(all.trace, c, true),
                [&] { return "only " + used_of(c.dma->engines, c.dma->engines_of, "DMA engines work"); });
  if (!c.pass || !all.touches_idle_clusters(c)) return {};
  const PassFacts& p = *c.pass;
  return loss(lost_by_idle_units(c, p.clusters, p.clusters_of),
              [&] { return "only " + used_of(p.clusters, p.clusters_of, "clusters work"); });
}

Loss idle_slices(const Commands& all, const Command& c) {
  if (c.dma && all.touches_idle_slices(c))
    return loss(lost_by_engines(all.trace, c, true) + (one_slice_at_a_time(all.trace) ? Cycles{0} : lost_by_dmns(c)),
                [&] { return "only " + used_of(c.dma->engines, c.dma->engines_of, "DMA engines work"); });
  if (!c.pass || !all.touches_idle_slices(c)) return {};
  const PassFacts& p = *c.pass;
  return loss(lost_by_idle_units(c, p.slices, p.slices_of),
              [&] { return "only " + used_of(p.slices, p.slices_of, "slices of a cluster work"); });
}

Loss idle_rows(const Commands&, const Command& c) {
  if (!c.pass || c.pass->rows <= 0 || c.pass->rows >= c.pass->rows_of) return {};
  const PassFacts& p = *c.pass;
  return loss(working(c) - std::max(p.ideal, share_of(working(c), p.rows, p.rows_of)),
              [&] { return "only " + used_of(p.rows, p.rows_of, "Rows of the Contraction Engine multiply"); });
}

Loss idle_lanes(const Commands&, const Command& c) {
  if (!c.pass || c.pass->lanes <= 0 || c.pass->lanes >= c.pass->lanes_of) return {};
  const PassFacts& p = *c.pass;
  return loss(working(c) - std::max(p.ideal, share_of(working(c), p.lanes, p.lanes_of)),
              [&] { return "only " + used_of(p.lanes, p.lanes_of, "multipliers of a Row have data"); });
}

/// When a command could start without some of its edges.
template <class Dropped>
Cycles ready_without(const Commands& all, const Command& c, const Dropped& dropped) {
  Cycles ready{};
  for (const Edge& e : c.after)
    if (!dropped(e)) ready = std::max(ready, all.at(e.from).end);
  return ready;
}

/// Whether a pass holds a bank of DM so long that it keeps all transfers away.
bool keeps_transfers_away(const Trace& trace, const Command& c) {
  return c.pass && trace.geometry && trace.geometry->bank_limit > 0 && c.pass->longest_bank_run >= trace.geometry->bank_limit;
}

/// A wait for a bank counts from when nothing else held the command back. Where one command holds a bank too long by
/// itself, it has the tensor DMA to itself: others wait for that.
Loss starvation(const Commands& all, const Command& c) {
  auto const for_a_bank = [&](const Edge& e) {
    if (e.kind == "starvation") return true;
    bool const alone = keeps_transfers_away(all.trace, c) != keeps_transfers_away(all.trace, all.at(e.from));
    return e.kind == "resource" && e.on == "tensor DMA" && alone;
  };
  Loss made;
  made.cycles = stalled(c, "starvation");
  std::int64_t run = c.pass ? c.pass->longest_bank_run : 0;
  for (std::size_t e = 0; e < c.after.size(); ++e) {
    if (!for_a_bank(c.after[e])) continue;
    made.dropped.push_back({all.number_of(c), static_cast<std::int32_t>(e)});
    const Command& holds = all.at(c.after[e].from);
    if (holds.pass) run = std::max(run, holds.pass->longest_bank_run);
  }
  Cycles const ready = ready_without(all, c, for_a_bank);
  if (c.binding != none && for_a_bank(c.after[static_cast<std::size_t>(c.binding)]) && ready < c.start) made.cycles += c.start - ready;
  if (made.cycles == Cycles{0}) return {};
  made.what = run > 0 ? with_commas(run) + " accesses in a row go to one bank of DM, and DMA cannot get at it"
                      : "other commands hold the banks of DM that it needs";
  return made;
}

Loss bank_conflicts(const Commands&, const Command& c) {
  Cycles const trf = stalled(c, "trf-bank"), dm = stalled(c, "dm-bank");
  return loss(trf + dm, [&] { return trf > dm ? "a TRF read and a store meet in one bank" : "accesses meet in one bank of DM"; });
}

/// What the engines of a pass take without one of them, and what the pass takes at the least.
Cycles without_slowest(const Command& c) {
  Cycles next = c.pass ? c.pass->ideal : Cycles{0};
  bool left_out = false;
  Cycles const most = working(c);
  for (const Part& p : c.engines) {
    if (!left_out && p.name == c.slowest && p.cycles == most) left_out = true;
    else next = std::max(next, p.cycles);
  }
  return left_out ? next : most;
}

/// What the DMA engines take to bring each packet to its slice.
Cycles packets_by_dma(const Trace& trace, const Command& c) {
  const PassFacts& p = *c.pass;
  std::int64_t const engines = trace.geometry ? trace.geometry->dma_engines * p.clusters / std::max<std::int64_t>(p.clusters_of, 1) : 0;
  return Cycles{p.outputs * p.slices * p.clusters / std::max<std::int64_t>(engines, 1)};
}

/// What a switch carries from slice to slice, a DMA can. Of the other engines none can be made quicker by what is
/// written: a multiplier that has data in each cycle does what it can, as does the Vector Engine on the lanes that a
/// stage has; padding and lookups have rules of their own.
Loss slower_engine(const Commands& all, const Command& c) {
  if (!c.pass || stalled(c, "engine") == Cycles{0} || c.slowest != "Switch") return {};
  if (c.pass->packet_bytes < c.pass->flit_bytes) return {};
  if (all.trace.model != "book" && all.trace.model != "detailed") return {};  // elsewhere DMA has rates of its own
  const Range* const from = range_in(c.reads, "DM");
  if (from != nullptr && from->tensor != none)
    for (std::int32_t writer : all.writers(from->tensor))
      if (!all.at(writer).dma) return {};  // a store of what a pass made would have runs of a packet
  Cycles const next = std::max(without_slowest(c), packets_by_dma(all.trace, c));
  return loss(working(c) - next, [&] {
    return "Switch sets the pace, with " + with_commas(working(c).value) +
           " cycles; DMA that brings each packet to its slice takes about " + with_commas(next.value);
  });
}

/// A table costs its own writing, which may hold up the load of what is looked up, and a pace of its own. Where the
/// fetch has no cast of the stored type, only a table can read it.
Loss lookups(const Commands& all, const Command& c) {
  if (!c.pass || c.pass->table == 0 || !c.pass->computable) return {};
  Cycles const own = stalled(c, "table");
  Cycles const others = std::max(c.slowest == "Fetch" ? without_slowest(c) : working(c), c.pass->computed);
  Cycles const pace = std::max(working(c) - others, Cycles{0}), slower = std::max(others - working(c), Cycles{0});
  Cycles table = own;
  std::vector<Changes::Length> loads;
  if (const Range* const from = range_in(c.reads, "DM"); from != nullptr && from->tensor != none)
    for (std::int32_t writer : all.writers(from->tensor)) {
      const Command& load = all.at(writer);
      Cycles const waits = load.dma ? stalled(load, "table") : Cycles{0};
      if (waits == Cycles{0}) continue;
      table += waits;
      loads.push_back({writer, load.length() - waits});
    }
  Loss made = loss(own + pace - slower, [&] {
    return "values are looked up in a table of " + with_commas(c.pass->table) + " entries: " + with_commas(table.value) +
           " cycles until it is written, " + with_commas(pace.value) + " more for the lookups";
  });
  if (made.cycles > Cycles{0}) made.also = std::move(loads);
  return made;
}

struct Rule {
  std::string_view name;
  Loss (*look)(const Commands&, const Command&);
  const char* help;
  bool less_to_do = false;  // without the cause fewer bytes are moved
  bool of_kernel = false;   // one change mends all lines
  bool by_model = false;    // the model says what a transfer would take, with what cluster 1 lags
};
constexpr Rule rules[] = {
    {"small-dma-runs", small_dma_runs, "let the innermost axis in HBM have a run of a whole unit, or move several rows as one"},
    {"missing-stack-bit", missing_stack_bit, "let the walk change bit 8 of the address: no stride that is a multiple of 512 bytes alone",
     false, false, true},
    {"few-hbm-channels", few_hbm_channels, "walk addresses in order, or choose another stride: the rows of this one meet in few channels",
     false, false, true},
    {"row-conflicts", row_conflicts, "walk addresses in order, or pad the outer axis so that rows are in other banks", false, false, true},
    {"partial-writes", partial_writes, "write whole units: store tile by tile, or let fewer slices have longer runs of the result"},
    {"one-dmn", one_dmn, "spread the tensor over slices of both DMNs of a pair", false, true, true},
    {"few-dma-engines", few_dma_engines,
     "spread the tensor over more slices, or over both clusters, so that the engines of all DMN pairs work", false, true},
    {"row-interleaving", row_interleaving, "deal rows out: the inner part of the axis into Slice, the outer part into Element", false},
    {"relayout", relayout, "put the switch or the transpose into the pass that reads it, or commit it in the layout in which it is read",
     true},
    {"replication", replication, "keep what is loaded; or load one copy, and let a switch broadcast it in a ring of neighbouring slices",
     true},
    {"cluster-lag", cluster_lag, "write one command for both clusters: an axis in Cluster", false, false, true},
    {"shared-medium", shared_medium, "read the data where it is stored, and leave the copy out", true},
    {"padding", padding, "choose a packet that fills its flits"},
    {"idle-clusters", idle_clusters, "put an axis into Cluster, so that both clusters work", false, true},
    {"idle-slices", idle_slices, "put more of an axis into Slice", false, true},
    {"idle-rows", idle_rows, "put an axis of the weights into Row"},
    {"idle-lanes", idle_lanes, "let the contracted axis fill the packet"},
    {"starvation", starvation, "change the stride of the walk so that neighbouring accesses go to different banks", false, true},
    {"bank-conflicts", bank_conflicts, "use the other half of the TRF for the next store, or another address in DM"},
    {"slower-engine", slower_engine, "a ring of fewer slices, or the layout made by DMA as it loads or stores"},
    {"lookups", lookups, "compute the values: a cast of the fetch, or stages of the Vector Engine"},
};
constexpr std::size_t rule_count = std::size(rules);

/// What bytes of HBM and multiply-adds leave of the makespan.
Cycles beyond_the_bounds(const Trace& trace) {
  Cycles bound{};
  for (const Part& b : trace.bounds)
    if (b.name == "bytes of HBM" || b.name == "multiply-adds") bound = std::max(bound, b.cycles);
  return std::max(trace.makespan - bound, Cycles{0});
}

/// What the rules find line by line, before anything is planned again.
std::vector<std::pair<const Rule*, Finding>> candidates(const Trace& trace) {
  Commands const all(trace);
  std::map<std::pair<std::size_t, std::int32_t>, Finding> by_line;
  std::map<std::pair<std::size_t, std::int32_t>, Cycles> worst;
  struct Known {
    std::set<std::int32_t> shorter;      // commands that are in the changes
    std::set<std::string_view> layouts;  // whose loads are
  };
  std::map<std::pair<std::size_t, std::int32_t>, Known> known_by_line;
  std::set<std::int32_t> merged;  // commands that another one would do
  for (const Command& c : trace.commands)
    for (std::size_t r = 0; r < rule_count; ++r) {
      Loss loss = rules[r].look(all, c);
      if (loss.cycles <= Cycles{0}) continue;
      if (rules[r].look == cluster_lag) {
        if (merged.contains(c.after[static_cast<std::size_t>(c.binding)].from)) continue;
        merged.insert(all.number_of(c));
      }
      std::pair<std::size_t, std::int32_t> const key{r, rules[r].of_kernel ? none : c.source};
      Finding& f = by_line[key];
      Cycles& most = worst[key];
      if (loss.cycles > most) {
        f.what = std::move(loss.what);
        f.source = c.source;
      }
      most = std::max(most, loss.cycles);
      f.rule = rules[r].name;
      f.help = rules[r].help;
      ++f.commands;
      f.cycles += loss.cycles;
      Cycles const shorter = loss.dropped.empty() ? loss.cycles : stalled(c, "starvation");
      Known& known = known_by_line[key];
      if (shorter > Cycles{0}) {
        f.changes.lengths.push_back({all.number_of(c), c.length() - std::min(c.length(), shorter)});
        known.shorter.insert(all.number_of(c));
      }
      if (!loss.also_loads_as.empty() && known.layouts.insert(loss.also_loads_as).second)
        loss.also = all.loads_with_short_runs(loss.also_loads_as);
      for (const Changes::Length& l : loss.also) {
        if (!known.shorter.insert(l.command).second) continue;
        f.changes.lengths.push_back(l);
        f.cycles += all.at(l.command).length() - l.cycles;
      }
      f.changes.dropped.insert(f.changes.dropped.end(), loss.dropped.begin(), loss.dropped.end());
    }
  std::vector<std::pair<const Rule*, Finding>> made;
  for (auto& [key, f] : by_line) made.emplace_back(&rules[key.first], std::move(f));
  return made;
}

/// What a finding gains at the most: the critical path without what its commands lose there. Where edges are dropped,
/// the path may be another one.
Cycles at_most(const Trace& trace, const Finding& f) {
  if (!f.changes.dropped.empty()) return trace.makespan;
  Cycles sum{};
  for (const Changes::Length& l : f.changes.lengths) {
    const Command& c = trace.commands[static_cast<std::size_t>(l.command)];
    if (c.critical) sum += c.length() - l.cycles;
  }
  return sum;
}
bool is_worth_a_change(const Trace& trace, Cycles gain) {
  return gain > Cycles{0} && gain.value * 1000 >= trace.makespan.value * least_gain_permille;
}

/// Loads that both clusters take part in let cluster 1 lag, and the kernel waits for that in the end. What of it is due
/// to loads that a finding makes shorter.
Cycles of_the_lag(const Trace& trace, const Finding& f) {
  auto const data = [](const Command& c) {
    bool const lags = c.dma && 2 * c.dma->engines > c.dma->engines_of && range_in(c.reads, "HBM") != nullptr;
    return lags ? (c.streaming + stalled(c, "hbm-channel") + stalled(c, "dmn")).value : 0;
  };
  auto const ends_before = [](const Command& a, const Command& b) { return a.end < b.end; };
  auto const last = std::max_element(trace.commands.begin(), trace.commands.end(), ends_before);
  if (last == trace.commands.end() || stalled(*last, "lag") == Cycles{0}) return {};
  std::int64_t all = 0, less = 0;
  for (const Command& c : trace.commands) all += data(c);
  for (const Changes::Length& l : f.changes.lengths) {
    const Command& c = trace.commands[static_cast<std::size_t>(l.command)];
    less += std::min(data(c), (c.length() - l.cycles).value);
  }
  double const share = all > 0 ? static_cast<double>(less) / static_cast<double>(all) : 0;
  return Cycles{static_cast<std::int64_t>(share * static_cast<double>(stalled(*last, "lag").value))};
}

/// Where else it is, besides the line that a finding names.
std::string elsewhere(const Trace& trace, std::int32_t named, std::vector<std::int32_t> lines) {
  constexpr std::size_t shown = 3;
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::erase_if(lines, [&](std::int32_t line) { return line == named || line == none; });
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), shown); ++i)
    text += (i == 0 ? "; the same at " : i + 1 < lines.size() ? ", " : " and ") + place_of(trace.sources, lines[i]);
  if (lines.size() > shown) text += " and " + std::to_string(lines.size() - shown) + " more";
  return text;
}

/// Lines that are worth nothing by themselves are one finding: a loop that was unrolled has a line for each round.
std::vector<std::pair<const Rule*, Finding>> worth_planning(const Trace& trace) {
  std::vector<std::pair<const Rule*, Finding>> made;
  struct Small {
    Finding all;
    Cycles most{};  // that a line loses
    std::vector<std::int32_t> lines;
  };
  std::map<const Rule*, Small> small;
  for (auto& [rule, f] : candidates(trace)) {
    if (is_worth_a_change(trace, at_most(trace, f))) {
      made.emplace_back(rule, std::move(f));
      continue;
    }
    auto& [all, most, lines] = small[rule];
    lines.push_back(f.source);
    if (f.cycles > most) {
      most = f.cycles;
      std::tie(all.rule, all.source, all.what, all.help) = std::tie(f.rule, f.source, f.what, f.help);
    }
    all.commands += f.commands;
    all.cycles += f.cycles;
    all.changes.lengths.insert(all.changes.lengths.end(), f.changes.lengths.begin(), f.changes.lengths.end());
  }
  for (auto& [rule, f] : small) {
    if (!is_worth_a_change(trace, at_most(trace, f.all))) continue;
    f.all.what += elsewhere(trace, f.all.source, f.lines);
    made.emplace_back(rule, std::move(f.all));
  }
  return made;
}

}  // namespace

std::span<const std::string_view> finding_rules() {
  static constexpr auto names = [] {
    std::array<std::string_view, rule_count> all;
    for (std::size_t r = 0; r < rule_count; ++r) all[r] = rules[r].name;
    return all;
  }();
  return names;
}

std::vector<Finding> find(const Trace& trace) {
  WhatIf what_if(trace);
  Cycles const most = beyond_the_bounds(trace);
  std::vector<Finding> all;
  for (auto& [rule, f] : worth_planning(trace)) {
    f.gain = what_if.gain(f.changes);
    if (!rule->by_model) f.gain += of_the_lag(trace, f);
    if (!rule->less_to_do) f.gain = std::min(f.gain, most);
    if (is_worth_a_change(trace, f.gain)) all.push_back(std::move(f));
  }
  std::sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return std::tie(b.gain, b.cycles, a.rule, a.source) < std::tie(a.gain, a.cycles, b.rule, b.source);
  });
  return all;
}

}  // namespace tcp::trace
