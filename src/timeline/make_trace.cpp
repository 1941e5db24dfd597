// What the debug section says for people (names, mappings, lines) becomes lists that commands share; what is a number
// in the program or the schedule stays one.
#include "tcp/timeline/timeline.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tcp/device/address_map.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/device/fields.hpp"
#include "tcp/program/print.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/sched/unit_sets.hpp"
#include "tcp/trace/report.hpp"
#include "timeline/facts.hpp"

namespace tcp::timeline {

namespace {

/// A list that has each text once.
class Numbers {
 public:
  /// The number of the text, and whether it is the first time.
  std::pair<std::int32_t, bool> of(std::string text) {
    auto const [at, inserted] = known_.emplace(std::move(text), static_cast<std::int32_t>(known_.size()));
    return {at->second, inserted};
  }

 private:
  std::map<std::string, std::int32_t> known_;
};

/// Which tensor's bytes lie where, in each set of units, as commands write one after the other.
class Holders {
 public:
  void put(std::size_t set, std::int64_t begin, std::int64_t end, std::int32_t tensor) {
    if (begin >= end) return;
    if (by_set_.size() <= set) by_set_.resize(set + 1);
    Map& map = by_set_[set];
    auto at = first(map, begin);
    while (at != map.end() && at->first < end) at = map.erase(at);
    map[begin] = {end, ++writes_, tensor};
  }
  /// The tensor that was written last to these bytes, in any of the sets.
  std::int32_t at(const std::vector<std::size_t>& sets, std::int64_t begin, std::int64_t end) {
    Held latest;
    for (std::size_t set : sets) {
      if (set >= by_set_.size()) continue;
      auto const found = first(by_set_[set], begin);
      if (found != by_set_[set].end() && found->first < end && found->second.write > latest.write) latest = found->second;
    }
    return latest.tensor;
  }

 private:
  struct Held {
    std::int64_t end = 0, write = 0;
    std::int32_t tensor = trace::none;
  };
  using Map = std::map<std::int64_t, Held>;

  /// The first that ends after `begin`.
  static Map::iterator first(Map& map, std::int64_t begin) {
    auto at = map.upper_bound(begin);
    if (at != map.begin() && std::prev(at)->second.end > begin) --at;
    return at;
  }

  std::vector<Map> by_set_;
  std::int64_t writes_ = 0;
};

struct AssumptionList : FieldCursor {
  const Device& device;
  std::string_view model;
  std::vector<trace::Assumption> all;

  AssumptionList(const Device& d, std::string_view of_model) : device(d), model(of_model) {}

  template <class T>
  void field(const DeviceField& row, const T& value, const std::type_identity_t<T>&) {
    next();
    if (!device.assumed.contains(index) || !detail::rests_on(model, group_name)) return;
    std::string source = row.source;
    if (!says_assumption(source)) source = "assumption: as on RNGD";
    all.push_back(
        {std::string(group_name) + "." + row.key, words(value), source.substr(source.find_first_not_of(' ', source.find(':') + 1))});
  }

 private:
  template <class T>
  static std::string words(const T& v) {
    Text t;
    t << v;
    return std::string(t.view());
  }
  static std::string words(bool v) { return v ? "yes" : "no"; }
  template <class T>
  static std::string words(const OneOf<T>& list) {
    std::string out;
    for (const T& each : list) out += (out.empty() ? "" : ", ") + words(each);
    return out;
  }
};

/// Channels of HBM are an exclusive or of bits of the address, of which those from here on have no part in it.
constexpr int channel_bits = 34;

trace::Geometry geometry_of(const Device& device, bool kept_banks_free) {
  trace::Geometry g;
  g.clusters = device.levels.clusters_per_chip;
  g.slices = device.levels.slices_per_cluster;
  g.dma_engines = device.dma.engines_per_chip;
  g.dm_banks = device.dm.banks_per_slice;
  g.dm_row = device.dm.row_bytes;
  g.bank_limit = kept_banks_free ? device.dm.same_bank_limit : 0;
  g.channels = device.hbm.stacks_per_chip * device.hbm.channels_per_stack;
  for (int bit = 0; bit < channel_bits; ++bit) {
    HbmPlace const p = hbm_place(Bytes{std::int64_t{1} << bit});
    g.channel_bits.push_back(p.stack * device.hbm.channels_per_stack + p.channel);
  }
  g.rows = device.levels.rows_per_slice;
  g.hbm_mb_per_s = hbm_mb_per_s(device);
  return g;
}

/// What a model of the scheduler says of a transfer; models elsewhere have their own way.
FactFinder::TransferAlone by_model(std::string_view model, const Device& device) {
  auto made = sched::duration_named(model, device);
  if (!made) return {};
  std::shared_ptr<const sched::Duration> const duration = *std::move(made);
  return [duration](const program::Dma& transfer) -> std::optional<Cycles> {
    program::Command command;
    command.what = transfer;
    auto const cost = duration->cost(command, 0);
    if (!cost) return std::nullopt;
    return cost->total() + duration->lag(command);
  };
}

constexpr program::Resource resources[] = {program::Resource::Main, program::Resource::Sub, program::Resource::TensorDma,
                                           program::Resource::PcieDma, program::Resource::VectorEngine};

class TraceMaker {
 public:
  TraceMaker(const program::Program& program, const program::Schedule& schedule, const Device& device, const TraceOptions& options)
      : program_(program),
        schedule_(schedule),
        device_(device),
        options_(options),
        queue_per_cluster_(options.queue_per_cluster),
        facts_(program, device, schedule.model, options.transfer_alone ? options.transfer_alone : by_model(schedule.model, device)) {}

  trace::Trace make() {
    head();
    for (const program::Region& r : program_.arguments) add_region(r, "argument");
    for (const program::Region& r : program_.results) add_region(r, "result");
    trace_.commands.resize(program_.commands.size());
    for (std::size_t i = 0; i < program_.commands.size(); ++i) add_command(i);
    for (trace::Configuration& c : trace_.configurations)
      for (trace::Setting& stage : c.stages) stage.source = source_of(stage.source);
    add_edges();
    for (std::int32_t c : schedule_.critical_path) trace_.commands[static_cast<std::size_t>(c)].critical = true;
    trace_.usage = facts_.channels();
    return std::move(trace_);
  }

 private:
  void head() {
    trace_.tool = options_.tool;
    trace_.program = program_.name;
    trace_.hash = hash_of(program_);
    trace_.chip = schedule_.chip;
    trace_.model = schedule_.model;
    trace_.chips = program_.chips;
    trace_.core_mhz = device_.clocks.core_mhz;
    trace_.ticks_per_cycle = device_.clocks.ticks_per_cycle;
    trace_.makespan = schedule_.makespan;
    trace_.gained = schedule_.gained;
    trace_.bounds = {{"dependency chain", schedule_.bounds.chain},
                     {"bytes of HBM", schedule_.bounds.hbm},
                     {"bytes of DM", schedule_.bounds.dm},
                     {"multiply-adds", schedule_.bounds.multiplies}};
    if (schedule_.bounds.order > Cycles{0}) trace_.bounds.push_back({"any order", schedule_.bounds.order});
    trace_.path = {{"start-up", schedule_.path.startup}, {"streaming", schedule_.path.streaming}};
    for (const program::StallCycles& s : schedule_.path.stalls) trace_.path.push_back({trace::stall_name(word_of(s.cause)), s.cycles});
    trace_.capacities = {{"HBM", device_.hbm.capacity, 1},
                         {"DM", device_.dm.slice_capacity, device_.levels.clusters_per_chip * device_.levels.slices_per_cluster},
                         {"TRF", device_.trf.slice_capacity, device_.levels.clusters_per_chip * device_.levels.slices_per_cluster},
                         {"VRF", device_.vrf.slice_capacity, device_.levels.clusters_per_chip * device_.levels.slices_per_cluster},
                         {"SPM", device_.spm.pe_capacity, device_.levels.clusters_per_chip * device_.levels.pes_per_cluster}};
    trace_.geometry = geometry_of(device_, options_.kept_banks_free);
    add_axes();
    for (program::Resource r : resources) trace_.resources.emplace_back(word_of(r));
    AssumptionList assumed(device_, schedule_.model);
    each_field(device_, assumed);
    trace_.assumptions = std::move(assumed.all);
    trace_.order_by = word_of(schedule_.order_by);
    bool const as_written = std::is_sorted(schedule_.order.begin(), schedule_.order.end());
    if (!as_written) trace_.order = schedule_.order;
    trace_.critical_path = schedule_.critical_path;
  }

  void add_axes() {
    for (const program::DebugAxis& axis : program_.debug.axes)
      if (axis.size >= 1) trace_.axes.push_back({axis.name, axis.size});
  }

  std::int32_t source_of(std::int32_t line) {
    const program::SourceLine* at = program::line_of(program_, line);
    if (at == nullptr || (at->file.empty() && at->line == 0)) return trace::none;
    auto const [number, first] = source_numbers_.of(at->file + ":" + std::to_string(at->line));
    if (first) {
      std::string text = options_.source_line ? options_.source_line(at->file, at->line) : "";
      trace_.sources.push_back({at->file, short_function(at->function), at->line, at->column, std::move(text)});
    }
    return number;
  }

  /// Several calls may be on one line; and a chain of calls may reach over several.
  void place_calls(const program::DebugCommand& d, trace::Command& c) {
    const program::SourceLine* const first = program::line_of(program_, d.at);
    if (first == nullptr || c.source == trace::none) return;
    if (first->column != trace_.sources[static_cast<std::size_t>(c.source)].column) c.column = first->column;
    const program::SourceLine* const last = d.stages.empty() ? nullptr : program::line_of(program_, d.stages.back().at);
    if (last == nullptr || last->file != first->file || (last->line == first->line && last->column == first->column)) return;
    c.last_line = last->line;
    c.last_column = last->column;
  }

  std::int32_t units_number(const program::Units& u) {
    trace::Units made = units_of(u);
    auto const [number, first] = units_numbers_.of(made.chips + "/" + made.clusters + "/" + made.slices);
    if (first) {
      trace_.units.push_back(std::move(made));
      units_.push_back(u);
    }
    return number;
  }
  /// Who has a unit in common with a range.
  const std::vector<std::size_t>& sets_meeting(const trace::Range& r) { return sets_.meeting(set_of(r)); }
  std::size_t set_of(const trace::Range& r) { return sets_.number(memories_.at(r.memory), units_[static_cast<std::size_t>(r.units)]); }

  /// Regions are numbered as commands meet them.
  std::int32_t region_number(std::int32_t region) {
    auto const [at, first] = region_numbers_.try_emplace(region, static_cast<std::int32_t>(trace_.regions.size()));
    if (first) {
      const program::DebugRegion& r = program_.debug.regions[static_cast<std::size_t>(region)];
      trace_.regions.push_back({r.name, r.index});
    }
    return at->second;
  }

  /// Tensors are numbered as commands meet them. `at`: a line that names the tensor, for its source.
  std::int32_t tensor_number(std::int32_t tensor, std::int32_t at) {
    auto const [known, first] = tensor_numbers_.try_emplace(tensor, static_cast<std::int32_t>(trace_.tensors.size()));
    if (!first) return known->second;
    const program::DebugTensor& d = program_.debug.tensors[static_cast<std::size_t>(tensor)];
    trace::Tensor t;
    t.name = program::name_of(program_, tensor);
    t.memory = word_of(d.memory);
    t.mapping = program::shape_of(d);
    t.source = source_of(at);
    trace_.tensors.push_back(std::move(t));
    return known->second;
  }

  /// An argument or a result. Without a tensor in the debug section it is known by its role alone.
  void add_region(const program::Region& r, const std::string& role) {
    bool const known = r.debug >= 0 && static_cast<std::size_t>(r.debug) < program_.debug.tensors.size();
    std::int32_t const number = known ? tensor_number(r.debug, program_.debug.tensors[static_cast<std::size_t>(r.debug)].at)
                                      : static_cast<std::int32_t>(trace_.tensors.size());
    if (!known) trace_.tensors.emplace_back().name = role;
    trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(number)];
    t.role = role;
    t.memory = word_of(r.memory);
    t.begin = r.address;
    t.end = r.address + r.bytes;
    t.gone = schedule_.makespan;
  }

  void add_command(std::size_t i) {
    const program::Command& from = program_.commands[i];
    const program::Scheduled& when = schedule_.commands[i];
    trace::Command& c = trace_.commands[i];
    const program::DebugCommand* d = program::debug_of(program_, from);
    for (std::size_t r = 0; r < std::size(resources); ++r)
      if ((when.resources & program::bit(resources[r])) != 0) c.resources.push_back(static_cast<std::int32_t>(r));
    if (queue_per_cluster_ && (when.resources & program::bit(program::Resource::TensorDma)) != 0)
      c.queues = numbers_of(sched::queues_by_cluster(device_, from));
    c.start = when.start;
    c.end = when.end;
    c.startup = when.cost.startup;
    c.of_program = when.cost.of_program;
    c.streaming = when.cost.streaming;
    for (const program::StallCycles& s : when.cost.stalls) c.stalls.push_back({word_of(s.cause), s.cycles});
    for (const program::EngineCycles& e : when.cost.engines) c.engines.push_back({word_of(e.engine), e.cycles});
    c.slowest = word_of(when.cost.slowest);
    c.slack = when.slack;
    c.name = d == nullptr || d->name.empty() ? word_of(resources[static_cast<std::size_t>(c.resources.empty() ? 0 : c.resources.front())])
                                             : d->name;
    c.source = d == nullptr ? trace::none : source_of(d->at);
    if (d != nullptr) place_calls(*d, c);
    facts_.add_to(from, c);
    if (options_.kept_banks_free) c.bank_runs = bank_runs_number(facts_.runs_of(from));
    for (const program::Range& r : from.reads) c.reads.push_back(range_of(r));
    for (const program::Range& r : from.writes) c.writes.push_back(range_of(r));
    trace::Configuration configuration;
    configuration.settings = setting_texts(from);
    if (d != nullptr) describe(*d, i, configuration);
    name_ranges(i);
    c.configuration = configuration_number(std::move(configuration));
  }

  std::int32_t bank_runs_number(std::vector<std::int64_t> runs) {
    if (runs.empty()) return trace::none;
    std::string key;
    for (std::int64_t run : runs) key += std::to_string(run) + ' ';
    auto const [number, first] = bank_runs_numbers_.of(std::move(key));
    if (first) trace_.bank_runs.push_back({std::move(runs)});
    return number;
  }

  trace::Range range_of(const program::Range& r) {
    memories_.emplace(word_of(r.memory), r.memory);
    return {word_of(r.memory), r.begin, std::max(r.begin, r.end), units_number(r.units), trace::none};
  }

  void describe(const program::DebugCommand& d, std::size_t i, trace::Configuration& configuration) {
    for (std::int32_t source : d.sources) name_source(tensor_number(source, d.at), i);
    for (const program::DebugStage& stage : d.stages) configuration.stages.push_back({stage.name, stage.shape, {}, stage.at});
    if (d.destination) name_sink(tensor_number(*d.destination, d.at), i);
    if (d.rows) name_rows(tensor_number(*d.rows, d.at), i);
    if (d.region) trace_.commands[i].region = region_number(*d.region);
  }

  /// A transfer reads its source in any number of stretches. A pass has one fetch, for all of its sources: each of them
  /// has the stretch.
  void name_source(std::int32_t tensor, std::size_t i) {
    std::vector<trace::Range>& reads = trace_.commands[i].reads;
    const std::string memory = trace_.tensors[static_cast<std::size_t>(tensor)].memory;
    bool named = false;
    for (trace::Range& r : reads)
      if (r.memory == memory && r.tensor == trace::none && !is_table(i, r)) named = true, name_one(r, tensor, i, false);
    if (named) return;
    auto const fetched = std::find_if(reads.begin(), reads.end(), [&](const trace::Range& r) { return r.memory == memory; });
    if (fetched == reads.end()) return;
    auto const also = reads.insert(std::next(fetched), *fetched);
    name_one(*also, tensor, i, false);
  }
  /// The table of a gather or scatter may lie beside the source: then a stretch has both.
  void name_rows(std::int32_t tensor, std::size_t i) {
    std::vector<trace::Range>& reads = trace_.commands[i].reads;
    std::vector<trace::Range> both;
    for (trace::Range& r : reads) {
      if (!has_table(i, r)) continue;
      if (r.tensor == trace::none) touch(r, tensor, i, !written_.contains(tensor));
      else touch(both.emplace_back(r), tensor, i, false);
    }
    reads.insert(reads.end(), both.begin(), both.end());
  }
  /// A pass writes its sink last; before that, the Vector Engine may leave something in VRF.
  void name_sink(std::int32_t tensor, std::size_t i) {
    bool const transfer = std::holds_alternative<program::Dma>(program_.commands[i].what);
    std::vector<trace::Range>& writes = trace_.commands[i].writes;
    for (std::size_t k = writes.size(); k-- > 0;) {
      if (writes[k].memory != trace_.tensors[static_cast<std::size_t>(tensor)].memory) continue;
      name_one(writes[k], tensor, i, true);
      if (!transfer) return;
    }
  }

  /// Whether a table of rows begins in a range, and whether the range has nothing but tables.
  bool has_table(std::size_t i, const trace::Range& r) const {
    return any_side(i, r, [](const program::DmaDescriptor& d, auto&& visit) {
      if (d.index) visit(d.index->table);
    });
  }
  bool is_table(std::size_t i, const trace::Range& r) const {
    return has_table(i, r) && !any_side(i, r, [](const program::DmaDescriptor& d, auto&& visit) { visit(d.read); });
  }
  template <class Sides>
  bool any_side(std::size_t i, const trace::Range& r, Sides&& sides) const {
    const auto* dma = std::get_if<program::Dma>(&program_.commands[i].what);
    bool found = false;
    if (dma == nullptr || dma->descriptors.empty() || !dma->descriptors.front().index) return found;
    for (const program::DmaDescriptor& d : dma->descriptors)
      sides(d, [&](const program::DmaSide& side) {
        std::int64_t const address =
            side.memory == program::Memory::Dm ? side.address % device_.dm.dma_slice_stride.value : side.address;  // in its slice
        found |= r.memory == word_of(side.memory) && r.begin <= address && address < r.end;
      });
    return found;
  }

  void name_one(trace::Range& r, std::int32_t tensor, std::size_t i, bool sink) {
    // Where a tensor lies is known from the command that writes it; what is read may be a stretch with others in it.
    touch(r, tensor, i, sink || !written_.contains(tensor));
    if (sink) written_.insert(tensor);
  }

  /// What has no name of its own, TRF and VRF operands above all, is the tensor that was written there last; or else,
  /// what the Vector Engine leaves in VRF for itself.
  void name_ranges(std::size_t i) {
    trace::Command& c = trace_.commands[i];
    for (auto* ranges : {&c.reads, &c.writes})
      for (trace::Range& r : *ranges)
        if (r.tensor == trace::none)
          if (std::int32_t const held = holders_.at(sets_meeting(r), r.begin, r.end); held != trace::none) touch(r, held, i, false);
    for (trace::Range& r : c.writes) {
      if (r.tensor == trace::none && r.memory == word_of(program::Memory::Vrf)) touch(r, scratch_number(r, i), i);
      if (r.tensor != trace::none) holders_.put(set_of(r), r.begin, r.end, r.tensor);
    }
  }
  std::int32_t scratch_number(const trace::Range& r, std::size_t i) {
    trace::Tensor t;
    t.name = "scratch";
    t.memory = r.memory;
    t.source = trace_.commands[i].source;
    trace_.tensors.push_back(std::move(t));
    return static_cast<std::int32_t>(trace_.tensors.size()) - 1;
  }

  /// `known`: the range says where the tensor lies.
  void touch(trace::Range& r, std::int32_t tensor, std::size_t i, bool known = true) {
    r.tensor = tensor;
    trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(tensor)];
    const trace::Command& c = trace_.commands[i];
    bool const fresh = t.first == trace::none;
    if (fresh) t.first = static_cast<std::int32_t>(i);
    t.last = static_cast<std::int32_t>(i);
    if (t.role.empty()) {
      t.born = fresh ? c.start : std::min(t.born, c.start);
      t.gone = fresh ? c.end : std::max(t.gone, c.end);
      if (known) t.begin = fresh ? r.begin : std::min(t.begin, r.begin);
      if (known) t.end = fresh ? r.end : std::max(t.end, r.end);
    }
    if (t.units == trace::none) t.units = r.units;
  }

  /// A stage's source is the line of the debug section, until all commands are known: their lines are numbered first.
  std::int32_t configuration_number(trace::Configuration c) {
    std::string key;
    for (const auto* list : {&c.stages, &c.settings})
      for (const trace::Setting& s : *list) key += s.name + '\n' + s.text + '\n' + std::to_string(s.source) + '\n';
    auto const [number, first] = configuration_numbers_.of(std::move(key));
    if (first) trace_.configurations.push_back(std::move(c));
    return number;
  }

  static trace::Edge edge_of(const program::Edge& e) {
    bool const barrier = e.kind == program::EdgeKind::Barrier;
    const char* const on = barrier ? "" : e.kind == program::EdgeKind::Resource ? word_of(e.resource) : word_of(e.memory);
    return {word_of(e.kind), e.from, on, e.begin, e.end};
  }

  void add_edges() {
    for (const program::Edge& e : schedule_.edges) trace_.commands[static_cast<std::size_t>(e.to)].after.push_back(edge_of(e));
    for (std::size_t i = 0; i < trace_.commands.size(); ++i) {
      const program::Edge& binding = schedule_.commands[i].binding;
      if (binding.kind == program::EdgeKind::None || binding.from < 0) continue;
      auto& after = trace_.commands[i].after;
      trace::Edge const wanted = edge_of(binding);
      auto at = std::find(after.begin(), after.end(), wanted);
      if (at == after.end()) at = after.insert(at, wanted);
      trace_.commands[i].binding = static_cast<std::int32_t>(at - after.begin());
    }
  }

  const program::Program& program_;
  const program::Schedule& schedule_;
  const Device& device_;
  const TraceOptions& options_;
  bool queue_per_cluster_;
  FactFinder facts_;
  trace::Trace trace_;
  std::set<std::int32_t> written_;
  Numbers source_numbers_, units_numbers_, configuration_numbers_, bank_runs_numbers_;
  std::map<std::int32_t, std::int32_t> region_numbers_, tensor_numbers_;  // of the debug section: of the trace
  std::vector<program::Units> units_;                                     // of the trace's
  std::map<std::string, program::Memory> memories_;
  sched::UnitSets sets_;
  Holders holders_;
};

}  // namespace

trace::Trace make_trace(const program::Program& program, const program::Schedule& schedule, const Device& device,
                        const TraceOptions& options) {
  return TraceMaker(program, schedule, device, options).make();
}

}  // namespace tcp::timeline
