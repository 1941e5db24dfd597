// The Valid Count Generator's registers, and what is done where it has none that fit.
//
// Needs: what the rules found of the vector engine's stages. Leaves: registers whose counts every stage that must leave
// padding out can rely on; these are the reduces, the filter, and what is written to VRF (a branch log, an operand that
// is written back) where padding would be written over elements. Registers come from rules/valid_count.hpp, and are
// taken only if they stand the test: for every slice and time step the counts, followed through the changes of width,
// are compared with what the mappings hold. Where the registers cannot count, a reduce may find its identity in the
// padding (identity.cpp). Refuses: the rest, with the reason for which it cannot be counted.
#include "lower/counting.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace tcp::lower {

namespace {

/// A stage that must tell what is there from what is not.
struct Demand {
  std::size_t stage = 0;
  bool reduces = false;
  bool at_least = false;  // padding may count as data, data never as padding
  std::vector<Factors> units;
  Factors time, packet;
  ValidCountAsk ask{};
  program::SliceSet slices;  // that can take part at all
};

/// Counts are held against what mappings hold step by step, and identity values flit by flit: these limits keep the
/// time of compiling bounded.
constexpr std::int64_t most_steps = std::int64_t{1} << 22, most_flits = std::int64_t{1} << 22, most_pairs = std::int64_t{1} << 26;

void take_axis(Factors& f, Name axis) {
  int const a = find_axis(f.mapping, axis);
  for (int k = 0; k < f.mapping.digits; ++k) f.gone[k] |= a >= 0 && f.mapping.digit[k].axis == a;
}
void take_padding(Factors& f) {
  for (int k = 0; k < f.mapping.digits; ++k)
    f.gone[k] |= detail::fold::mere_padding(f.mapping.digit[k]) && !detail::fold::in_group(f.mapping, k);
}

Demand demand_of(const Levels& in, std::size_t stage) {
  Demand d;
  d.stage = stage;
  for (Level l : {Level::chip, Level::cluster, Level::slice}) d.units.push_back({in[l], {}});
  d.time.mapping = in[Level::time];
  d.packet.mapping = in[Level::packet];
  d.slices = slice_set(live_units(in, Level::slice));
  return d;
}

Demand of_intra_slice_reduce(const TensorUnitPass& p, std::size_t i) {
  const IntraSliceResult& r = p.found(i).as<IntraSliceResult>();
  Name const axis = std::get<ir::IntraSliceReduce>(p.stage(i).what).axis;
  Demand d = demand_of(p.in(i), i);
  d.reduces = true;
  take_axis(d.time, axis);
  take_axis(d.packet, axis);
  if (r.folds_padding) take_padding(d.time);
  if (r.tree) take_padding(d.packet);
  d.ask = ValidCountAsk{axis, r.folds_padding};
  return d;
}

Demand of_inter_slice_reduce(const TensorUnitPass& p, std::size_t i) {
  const InterSliceResult& r = p.found(i).as<InterSliceResult>();
  Demand d = demand_of(p.in(i), i);
  d.reduces = true;
  Halves const cut = split_at(d.units.back().mapping, r.group);
  d.units.pop_back();
  Factors kept{cut.outer, {}}, folded{cut.inner, {}};
  folded.take_all();
  // A start belongs to the digits of its axis: where all of them are folded, so is it.
  for (int a = 0; a < kept.mapping.axes; ++a) {
    int const b = find_axis(folded.mapping, kept.mapping.axis[a].name);
    if (b < 0 || coarsest_digit(kept.mapping, a) >= 0 || coarsest_digit(folded.mapping, b) < 0) continue;
    folded.mapping.axis[b].start += kept.mapping.axis[a].start;
    kept.mapping.axis[a].start = 0;
  }
  d.units.push_back(kept);
  d.units.push_back(folded);
  for (int a = 0; a < r.reduced.axes && d.ask.axes < ValidCountAsk::max_axes; ++a)
    if (coarsest_digit(r.reduced, a) >= 0) d.ask.axis[d.ask.axes++] = r.reduced.axis[a].name;
  return d;
}

/// Lane by lane: a filter, a branch log, or an operand that is written back.
Demand of_single_lanes(const TensorUnitPass& p, std::size_t i) {
  Demand d = demand_of(p.in(i), i);
  d.time.take_all();
  d.packet.take_all();
  d.ask = detail::vec::padded_axes(p.in(i));
  return d;
}

/// Whether a tensor shows a part of another one: then what lies beside its elements may be elements, too.
bool shows_part(const ir::Module& module, ir::TensorId id) {
  for (; module.tensor(id).view; id = module.tensor(id).view->tensor)
    if (module.tensor(id).view->kind == ir::ViewOf::Kind::tile) return true;
  return false;
}

/// What a stage writes to VRF needs no counts where the stream's padding goes into padding of the tensor itself.
bool writes_padding_apart(const TensorUnitPass& p, std::size_t i, ir::TensorId to) {
  Levels const in = p.in(i);
  Walks walks;
  walks.access = Access::write;
  auto const loops = derive_loops(p.module.map(p.module.tensor(to).element), in[Level::time], in[Level::packet], walks);
  if (!loops) return false;
  if (!shows_part(p.module, to)) return true;
  ir::TensorId const root = p.module.root_of(to);
  const Mapping& held = p.module.map(p.module.tensor(root).element);
  std::int64_t const begin = (*p.module.address_of(to) - *p.module.address_of(root)) / 4;
  Mapping const stream = pair(in[Level::time], in[Level::packet]);
  if (!stream.ok() || stream.size > most_steps) return false;
  for (std::int64_t position = 0; position < stream.size; ++position) {
    if (cell(stream, position).live()) continue;
    std::int64_t const at = begin + loops->at(position);
    if (at < 0 || at >= held.size || cell(held, at).live()) return false;
  }
  return true;
}

Demand of_written(const TensorUnitPass& p, std::size_t i, ir::TensorId to) {
  Demand d = of_single_lanes(p, i);
  d.at_least = writes_padding_apart(p, i, to);
  return d;
}

std::vector<Demand> demands_of(const TensorUnitPass& p, std::size_t first, std::size_t last) {
  std::vector<Demand> all;
  for (std::size_t i = first; i < last; ++i) {
    const auto& what = p.stage(i).what;
    if (std::holds_alternative<ir::IntraSliceReduce>(what)) all.push_back(of_intra_slice_reduce(p, i));
    if (std::holds_alternative<ir::InterSliceReduce>(what)) all.push_back(of_inter_slice_reduce(p, i));
    if (std::holds_alternative<ir::Filter>(what)) all.push_back(of_single_lanes(p, i));
    if (const auto* w = std::get_if<ir::WriteOperand>(&what)) all.push_back(of_written(p, i, w->vrf));
    if (const auto* b = std::get_if<ir::BranchLog>(&what)) all.push_back(of_written(p, i, b->vrf));
  }
  return all;
}

/// What the registers make of a time step: the count of the packet dimension, and the index that each gate sees.
using StepIndex = std::array<std::int64_t, 1 + ValidCountConfig::max_gates>;
StepIndex index_of(const program::ValidCount& c, std::int64_t t) {
  StepIndex index{};
  std::int64_t lanes = 0;
  for (const program::ValidCount::Counter& counter : c.counters) {
    std::int64_t const round = t % counter.limit;
    t /= counter.limit;
    if (counter.serves >= 0) index[static_cast<std::size_t>(counter.serves)] += round * counter.stride;
    if (counter.serves == 0 && lanes == 0) lanes = counter.stride;
  }
  index[0] = std::clamp(c.packet_valid - index[0], std::int64_t{0}, lanes == 0 ? c.lanes : lanes);
  return index;
}
/// How a gate sees a slice: -1 always open, 0 while its index is valid, 1 closed.
int seen_by(const program::ValidCount::Gate& gate, std::int64_t slice) {
  std::uint64_t const seen = static_cast<std::uint64_t>(slice) & gate.mask;
  if (seen < gate.match) return -1;
  return seen == gate.match || gate.transposed ? 0 : 1;
}
std::int64_t counted(const program::ValidCount& c, std::int64_t slice, std::int64_t t) {
  StepIndex const index = index_of(c, t);
  for (std::size_t g = 0; g < c.gates.size(); ++g) {
    int const seen = seen_by(c.gates[g], slice);
    if (seen > 0 || (seen == 0 && index[1 + g] >= c.gates[g].valid)) return 0;
  }
  return index[0];
}

/// The counts of flits, followed from stage to stage.
class Counts {
 public:
  Counts(std::int64_t lanes, const program::ValidCount* registers) : lanes_(lanes), registers_(registers) {}

  std::int64_t at(std::int64_t slice, std::int64_t t) const { return at(changes_.size(), slice, t); }

  /// Through stage i.
  void pass(const TensorUnitPass& p, std::size_t i) {
    const auto& what = p.stage(i).what;
    half_ = p.device.vector.narrow_lanes;
    if (const auto* o = std::get_if<ir::VectorOperation>(&what)) {
      if (o->step.method == VectorMethod::split) changes_.push_back({Change::split});
      if (o->step.method == VectorMethod::trim_way4) changes_.push_back({Change::trim});
      if (o->step.method == VectorMethod::concat) changes_.push_back({Change::concat});
    }
    if (const auto* u = std::get_if<ir::Unzip>(&what))  // both groups are counted alike
      changes_.push_back({Change::unzip, alternation(p.in(i, Level::time), u->axis)});
    if (std::holds_alternative<ir::IntraSliceReduce>(what) || std::holds_alternative<ir::InterSliceReduce>(what))
      changes_.push_back({Change::whole, p.out(i, Level::packet).size});
  }

  /// What of a slice, or of a time step, the counts depend on: where that is the same, so are they.
  void add_slice(std::vector<std::int64_t>& to, std::int64_t slice) const {
    if (registers_ == nullptr) return;
    for (const program::ValidCount::Gate& gate : registers_->gates) to.push_back(seen_by(gate, slice));
  }
  void add_step(std::vector<std::int64_t>& to, std::int64_t t) const {
    if (registers_ != nullptr) add_step(to, changes_.size(), t);
  }

 private:
  struct Change {
    enum Kind : std::uint8_t { split, trim, concat, unzip, whole } kind;
    std::int64_t number = 0;  // unzip: flits of a group in turn; whole: lanes
  };
  static std::int64_t alternation(const Mapping& time, Name axis) {
    int const k = coarsest_digit(time, find_axis(time, axis));
    return footprints(time).inside[k];
  }
  std::int64_t at(std::size_t changes, std::int64_t slice, std::int64_t t) const {
    if (changes == 0) return registers_ == nullptr ? lanes_ : counted(*registers_, slice, t);
    Change const& c = changes_[changes - 1];
    switch (c.kind) {
      case Change::split: return std::clamp(at(changes - 1, slice, t / 2) - t % 2 * half_, std::int64_t{0}, half_);
      case Change::trim: return std::min(at(changes - 1, slice, t), half_);
      case Change::concat: return at(changes - 1, slice, 2 * t) + at(changes - 1, slice, 2 * t + 1);
      case Change::unzip: return at(changes - 1, slice, t / c.number * 2 * c.number + t % c.number);
      case Change::whole: break;
    }
    return c.number;
  }
  void add_step(std::vector<std::int64_t>& to, std::size_t changes, std::int64_t t) const {
    if (changes == 0) {
      StepIndex const index = index_of(*registers_, t);
      to.insert(to.end(), index.begin(), index.begin() + 1 + static_cast<std::ptrdiff_t>(registers_->gates.size()));
      return;
    }
    Change const& c = changes_[changes - 1];
    switch (c.kind) {
      case Change::split: to.push_back(t % 2); return add_step(to, changes - 1, t / 2);
      case Change::trim: return add_step(to, changes - 1, t);
      case Change::concat: add_step(to, changes - 1, 2 * t); return add_step(to, changes - 1, 2 * t + 1);
      case Change::unzip: return add_step(to, changes - 1, t / c.number * 2 * c.number + t % c.number);
      case Change::whole: return;
    }
  }

  std::int64_t lanes_, half_ = 0;
  const program::ValidCount* registers_;
  std::vector<Change> changes_;
};

bool flit_by_flit(const Levels& l) {
  Checked const flits = Checked(l[Level::chip].size) * l[Level::cluster].size * l[Level::slice].size * l[Level::time].size;
  return flits.fits && flits.value <= most_flits;
}

/// The first of the positions that are alike in all that matters.
class FirstOfEach {
 public:
  void add(std::int64_t position, const std::vector<std::int64_t>& alike) {
    if (last_ != nullptr && *last_ == alike) return;  // runs of them are common
    auto const [it, added] = seen_.insert(alike);
    last_ = &*it;
    if (added) first_.push_back(position);
  }
  const std::vector<std::int64_t>& positions() const { return first_; }

 private:
  std::set<std::vector<std::int64_t>> seen_;
  const std::vector<std::int64_t>* last_ = nullptr;
  std::vector<std::int64_t> first_;
};

/// Law: for every unit, time step and lane, the lane is below the count iff (or, of `at_least`, if) the place holds an
/// element, where that matters.
bool holds(const Demand& d, const Counts& counts) {
  Presence const there(d.units, d.time, d.packet);
  std::int64_t slices = d.units[2].mapping.size;
  for (std::size_t i = 3; i < d.units.size(); ++i) slices *= d.units[i].mapping.size;
  FirstOfEach units, steps;
  std::vector<std::int64_t> alike;
  for (std::int64_t u = 0; u < there.units(); ++u) {
    alike.assign(1, d.slices.contains(u % slices) ? 1 : 0);
    counts.add_slice(alike, u % slices);
    there.add_unit(alike, u);
    units.add(u, alike);
  }
  for (std::int64_t t = 0; t < there.steps(); ++t) {
    alike.clear();
    counts.add_step(alike, t);
    there.add_step(alike, t);
    steps.add(t, alike);
  }
  if (static_cast<std::int64_t>(units.positions().size() * steps.positions().size()) > most_pairs)
    return false;  // none that a memory could fill
  for (std::int64_t u : units.positions())
    for (std::int64_t t : steps.positions()) {
      std::int64_t const n = d.slices.contains(u % slices) ? counts.at(u % slices, t) : 0;
      for (std::int64_t lane = 0; lane < there.lanes(); ++lane) {
        Holds const is = there.at(u, t, lane);
        if (is == Holds::whatever || (d.at_least && is != Holds::element)) continue;
        if ((is == Holds::element) != (lane < n)) return false;
      }
    }
  return true;
}

class CountingPlan {
 public:
  CountingPlan(const TensorUnitPass& p, std::size_t first, std::size_t last) : p_(p), first_(first), demands_(demands_of(p, first, last)) {
    for (std::size_t i = first; i < last; ++i) {
      const auto& what = p.stage(i).what;
      if (door_ == 0 && (std::holds_alternative<ir::Branch>(what) || std::holds_alternative<ir::Unzip>(what))) door_ = i;
    }
  }

  Expected<Counting> run(program::Fetch& fetch) {
    for (const Demand& d : demands_)
      if (!d.at_least && (p_.in(entry_of(d))[Level::time].size > most_steps || d.time.mapping.size > most_steps)) return too_long(d);
    if (branches_by_count()) return shared_with_branch(fetch);
    std::vector<std::size_t> needy;
    for (std::size_t d = 0; d < demands_.size(); ++d)
      if (!met_without_counts(d)) needy.push_back(d);
    if (needy.empty()) return counted_all_the_same();
    // All that need counts by one setting; else one of them, and identity values for the rest; else identity values for
    // all.
    std::vector<std::vector<std::size_t>> choices{needy};
    if (needy.size() > 1)
      for (std::size_t d : needy) choices.push_back({d});
    choices.emplace_back();
    std::optional<Refusal> reason;
    for (const std::vector<std::size_t>& by_count : choices) {
      Counting plan;
      program::Fetch masked = fetch;
      Verdict v = try_registers(by_count, plan);
      if (v) v = fill(needy, by_count, plan, masked);
      if (v) {
        fetch = std::move(masked);
        return plan;
      }
      reason = reason ? both(*reason, v.refusal()) : v.refusal();
    }
    return *reason;
  }

 private:
  bool branches_by_count() const {
    if (door_ == 0) return false;
    const auto* b = std::get_if<ir::Branch>(&p_.stage(door_).what);
    return b != nullptr && b->mode.kind == BranchMode::Kind::ValidCount;
  }
  /// Counts that need not be right, as the book sets them: those of a reduce whose padding is trimmed away, or lies in
  /// slices that write nothing.
  Counting counted_all_the_same() const {
    for (std::size_t d = 0; d < demands_.size(); ++d) {
      if (!std::holds_alternative<ir::IntraSliceReduce>(p_.stage(demands_[d].stage).what)) continue;
      auto const asked = plan_valid_count(p_.device, p_.in(entry_of(demands_[d])), demands_[d].ask);
      Counting plan;
      if (asked && asked->mode != ValidCountMode::none && try_registers({d}, plan)) return plan;
    }
    return {};
  }
  /// The branch has said what to count; the others live with it.
  Expected<Counting> shared_with_branch(program::Fetch& fetch) {
    Counting plan;
    plan.before = door_;
    const ValidCountPlan& count = p_.found(door_).as<BranchPlan>().count;
    if (count.mode != ValidCountMode::none) {
      auto const registers = registers_of(count.config, trims());
      if (!registers) return registers.refusal();
      plan.registers = *registers;
    }
    std::vector<std::size_t> all, met;
    for (std::size_t d = 0; d < demands_.size(); ++d) {
      all.push_back(d);
      if (entry_of(demands_[d]) == door_ ? met_by(d, plan) : met_without_counts(d)) met.push_back(d);
    }
    auto const filled = fill(all, met, plan, fetch);
    if (!filled) return filled.refusal();
    return plan;
  }

  /// The stage in front of which counts for a demand are made: the intra-slice block's door, or the inter-slice reduce
  /// that comes before it.
  std::size_t entry_of(const Demand& d) const { return door_ == 0 || d.stage < door_ ? d.stage : door_; }

  bool met_without_counts(std::size_t d) const { return demands_[d].at_least || met_by(d, Counting{}); }
  bool met_by(std::size_t d, const Counting& plan) const {
    const Demand& demand = demands_[d];
    std::size_t const entry = entry_of(demand);
    Counts counts(p_.device.vector.lanes, plan.registers ? &*plan.registers : nullptr);
    for (std::size_t i = entry; i < demand.stage; ++i) counts.pass(p_, i);
    return holds(demand, counts);
  }

  /// Registers that count for these demands, and do no harm to the others at the same place.
  Verdict try_registers(const std::vector<std::size_t>& by_count, Counting& plan) const {
    if (by_count.empty()) return accept();
    plan.before = entry_of(demands_[by_count[0]]);
    ValidCountAsk ask;
    for (std::size_t d : by_count) {
      if (entry_of(demands_[d]) != plan.before) return shared(d);
      ask.padding |= demands_[d].ask.padding;
      for (int a = 0; a < demands_[d].ask.axes; ++a) {
        Name const axis = demands_[d].ask.axis[a];
        if (std::find(ask.axis, ask.axis + ask.axes, axis) == ask.axis + ask.axes && ask.axes < ValidCountAsk::max_axes)
          ask.axis[ask.axes++] = axis;
      }
    }
    // What is mere padding where flits enter may be padding of the axis where they are reduced: a split joins the two.
    // So may the upper half of the lanes.
    Verdict const v = try_registers(ask, trims(), by_count, plan);
    if (v) return v;
    ask.padding = true;
    if (try_registers(ask, trims(), by_count, plan) || try_registers(ask, true, by_count, plan)) return accept();
    return v;
  }
  /// `half`: at most four lanes of a flit count.
  Verdict try_registers(const ValidCountAsk& ask, bool half, const std::vector<std::size_t>& by_count, Counting& plan) const {
    auto const found = plan_valid_count(p_.device, p_.in(plan.before), ask, p_.where(demands_[by_count[0]].stage));
    if (!found) return found.refusal();
    auto const registers = registers_of(found->config, half);
    if (!registers) return registers.refusal();
    plan.registers = {*registers};
    for (std::size_t d = 0; d < demands_.size(); ++d) {
      bool const asked = std::find(by_count.begin(), by_count.end(), d) != by_count.end();
      bool const harmed = entry_of(demands_[d]) == plan.before && met_without_counts(d);
      if ((asked || harmed) && !met_by(d, plan)) return asked && by_count.size() == 1 ? not_told(d) : shared(d);
    }
    return accept();
  }
  Refusal too_long(const Demand& d) const {
    return refuse("lower-count-too-long", p_.where(d.stage))
        .what("Time ", d.time.mapping, " has ", d.time.mapping.size, " steps; counts are made for at most ", most_steps)
        .why("which lanes hold data is held against every time step before registers are believed")
        .help("reduce or filter in several passes");
  }
  Refusal not_told(std::size_t d) const {
    return refuse("lower-lanes-not-counted", p_.where(demands_[d].stage))
        .what("with Time ", p_.in(demands_[d].stage)[Level::time], ", Packet ", p_.in(demands_[d].stage)[Level::packet],
              ", which lanes hold data is not told by any count of first lanes")
        .why("a flit comes with one number; what a filter, a reduce or what is written to VRF leaves out are the lanes after it")
        .help("keep the data of a packet together, padding after it");
  }
  Refusal shared(std::size_t d) const {
    return refuse("lower-valid-count-shared", p_.where(demands_[d].stage))
        .what("the padding of Time ", p_.in(demands_[d].stage)[Level::time], ", Packet ", p_.in(demands_[d].stage)[Level::packet],
              " and what the pass's other stages must leave out cannot be told by one setting of counts")
        .why("there is one Valid Count Generator; it counts once, where flits enter")
        .help("reduce or filter in two passes, or choose placements that end at the same steps");
  }

  Expected<program::ValidCount> registers_of(const ValidCountConfig& config, bool half) const {
    program::ValidCount out;
    for (int i = 0; i < config.counters; ++i)
      out.counters.push_back({config.counter[i].limit, config.counter[i].stride, config.counter[i].serves});
    for (int g = 0; g < ValidCountConfig::max_gates && g < p_.device.vector.valid_count_gates; ++g) {
      ValidGate const& gate = config.gate[g];
      out.gates.push_back({gate.mask, gate.match, gate.valid, gate.transposed});
    }
    out.packet_valid = config.packet_valid;
    out.lanes = config.lanes;
    return half ? capped(std::move(out)) : out;
  }
  /// Trimming keeps the count, so a flit of eight valid lanes of which the upper four are padding is counted as four.
  Expected<program::ValidCount> capped(program::ValidCount c) const {
    std::int64_t const half = p_.device.vector.narrow_lanes, whole = p_.device.vector.lanes;
    std::int64_t lanes = c.lanes;
    auto const fastest = std::find_if(c.counters.begin(), c.counters.end(), [](const auto& counter) { return counter.serves == 0; });
    if (fastest != c.counters.end()) lanes = fastest->stride;
    if (std::min(lanes, c.packet_valid) <= half) return c;
    c.packet_valid = c.packet_valid * half / whole;
    for (program::ValidCount::Counter& counter : c.counters)
      if (counter.serves == 0) counter.stride = counter.stride * half / whole;
    if (fastest != c.counters.end()) return c;
    if (static_cast<std::int64_t>(c.counters.size()) == p_.device.vector.valid_count_counters)
      return check_trimmed_count(p_.device, ValidCountConfig{}, p_.where(first_)).refusal();
    c.counters.insert(c.counters.begin(), {1, half, 0});
    return c;
  }
  bool trims() const {
    for (std::size_t i = first_; i < p_.pass.stages.size(); ++i)
      if (const auto* o = std::get_if<ir::VectorOperation>(&p_.stage(i).what); o && o->step.method == VectorMethod::trim_way4) return true;
    return false;
  }

  /// Identity values for the demands that are not counted.
  Verdict fill(const std::vector<std::size_t>& needy, const std::vector<std::size_t>& by_count, Counting& plan,
               program::Fetch& fetch) const {
    for (std::size_t d : needy) {
      if (std::find(by_count.begin(), by_count.end(), d) != by_count.end()) continue;
      if (auto v = fill(demands_[d], plan, fetch); !v) return v;
    }
    return accept();
  }
  Verdict fill(const Demand& d, Counting& plan, program::Fetch& fetch) const {
    Where const at = p_.where(d.stage);
    if (!plan.filled.empty() || !d.reduces) return shared_or_uncounted(d);
    const auto* intra = std::get_if<ir::IntraSliceReduce>(&p_.stage(d.stage).what);
    ReduceOp const op = intra != nullptr ? intra->op : std::get<ir::InterSliceReduce>(p_.stage(d.stage).what).op;
    ScalarType const type = p_.type_in(d.stage);
    ReducePath const path{only_moved(p_, d.stage), p_.type_in(0)};
    auto const way = plan_reduce_padding(p_.device, type, op, p_.in(entry_of(d)), d.ask, path, at);
    if (!way) return way.refusal();
    if (!path.moves_only) return shared_or_uncounted(d);
    if (!flit_by_flit(p_.in(d.stage))) return shared_or_uncounted(d);  // it could not be looked at place by place
    auto masked = masked_with_identity(p_, d.stage, Presence(d.units, d.time, d.packet), shared_or_uncounted(d));
    if (!masked) return masked.refusal();
    fetch = *std::move(masked);
    plan.filled.push_back(d.stage);
    plan.identity = identity_bits(type, op);
    return accept();
  }
  Refusal shared_or_uncounted(const Demand& d) const {
    auto const counted = plan_valid_count(p_.device, p_.in(entry_of(d)), d.ask, p_.where(d.stage));
    if (!counted) return counted.refusal();
    auto const number = static_cast<std::size_t>(&d - demands_.data());
    return demands_.size() == 1 ? not_told(number) : shared(number);
  }
  /// Why it cannot be counted is what the author can change; why identity values do not help either is said after it.
  static Refusal both(Refusal counting, const Refusal& filling) {
    if (std::string_view(counting.code) == filling.code || std::string_view(filling.code) == "reduce-identity-not-fetched") return filling;
    return counting.why("; and identity values cannot stand in for the padding: ", filling.headline);
  }

  const TensorUnitPass& p_;
  std::size_t first_, door_ = 0;
  std::vector<Demand> demands_;
};

}  // namespace

std::vector<program::TimeLoop> reduce_loops(const TensorUnitPass& p, std::size_t i) {
  const IntraSliceResult& r = p.found(i).as<IntraSliceResult>();
  Factors time{p.in(i, Level::time), {}};
  take_axis(time, std::get<ir::IntraSliceReduce>(p.stage(i).what).axis);
  if (r.folds_padding) take_padding(time);
  Mapping const& m = time.mapping;
  std::vector<program::TimeLoop> loops;
  for (int k = 0; k < m.digits; ++k) {
    if (m.digit[k].joined) continue;
    std::int64_t rounds = m.digit[k].slot;
    bool const gone = time.gone[k];
    for (int t = 0; t < m.tails; ++t) {  // a padded group is one loop; the outermost comes first
      if (m.tail[t].first != k) continue;
      rounds = m.tail[t].slot;
      k = m.tail[t].last;
      break;
    }
    if (rounds == 1) continue;
    if (!loops.empty() && loops.back().added == gone) loops.back().rounds *= rounds;
    else loops.push_back({rounds, gone});
  }
  return loops;
}

Expected<Counting> plan_counting(const TensorUnitPass& p, std::size_t first, std::size_t last, program::Fetch& fetch) {
  return CountingPlan(p, first, last).run(fetch);
}

}  // namespace tcp::lower
