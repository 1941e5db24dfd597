// What is text for people in the debug section (names, mappings, lines) becomes lists that commands share; what is a number in the program or the schedule stays one.
#include "tcp/sched/trace.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "plan.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/fields.hpp"
#include "tcp/sched/schedule.hpp"
#include "trace_facts.hpp"
#include "trace_names.hpp"
#include "trace_words.hpp"
#include "unit_sets.hpp"

namespace tcp::sched {

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
  /// Of all sets, what was written last.
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

  /// The first that ends behind `begin`.
  static Map::iterator first(Map& map, std::int64_t begin) {
    auto at = map.upper_bound(begin);
    if (at != map.begin() && std::prev(at)->second.end > begin) --at;
    return at;
  }

  std::vector<Map> by_set_;
  std::int64_t writes_ = 0;
};

/// "x: i32 in DM Slice[...]" as the debug section has it.
struct TensorText {
  std::string name, memory, mapping;
};
TensorText take_apart(const std::string& text) {
  TensorText t;
  std::size_t const colon = text.find(": ");
  t.name = text.substr(0, colon);
  t.mapping = colon == text.npos ? "" : text.substr(colon + 2);
  std::size_t const in = t.mapping.find(" in ");
  if (in == t.mapping.npos) return t;
  std::size_t const begin = in + 4, end = std::min(t.mapping.find(' ', begin), t.mapping.size());
  t.memory = t.mapping.substr(begin, end - begin);
  return t;
}

struct AssumptionList : FieldCursor {
  const Device& device;
  std::vector<trace::Assumption> all;

  explicit AssumptionList(const Device& d) : device(d) {}

  template <class T>
  void field(const DeviceField& row, const T& value, const std::type_identity_t<T>&) {
    next();
    if (!device.assumed.contains(index)) return;
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
  return g;
}

bool has_queue_per_cluster(const std::string& model, const Device& device) {
  auto const duration = duration_named(model, device);
  return duration && (*duration)->queue_per_cluster();
}

/// Lowering calls a tensor that the kernel gave no name by its number.
bool unnamed(const std::string& name) { return name.starts_with('%'); }

constexpr program::Resource resources[] = {program::Resource::Main, program::Resource::Sub, program::Resource::TensorDma,
                                           program::Resource::PcieDma, program::Resource::VectorEngine};

class TraceMaker {
 public:
  TraceMaker(const program::Program& program, const program::Schedule& schedule, const Device& device, const TraceOptions& options)
      : program_(program),
        schedule_(schedule),
        device_(device),
        options_(options),
        queue_per_cluster_(options.queue_per_cluster || has_queue_per_cluster(schedule.model, device)),
        facts_(device) {}

  trace::Trace make() {
    head();
    for (std::size_t i = 0; i < program_.arguments.size(); ++i) add_region(program_.arguments[i], "argument", i);
    for (std::size_t i = 0; i < program_.results.size(); ++i) add_region(program_.results[i], "result", i);
    regions_ = trace_.tensors.size();
    trace_.commands.resize(program_.commands.size());
    for (std::size_t i = 0; i < program_.commands.size(); ++i) add_command(i);
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
    trace_.makespan = schedule_.makespan;
    trace_.gained = schedule_.gained;
    trace_.bounds = {{"dependency chain", schedule_.bounds.chain},
                     {"bytes of HBM", schedule_.bounds.hbm},
                     {"bytes of DM", schedule_.bounds.dm},
                     {"multiply-adds", schedule_.bounds.multiplies}};
    trace_.path = {{"start-up", schedule_.path.startup}, {"streaming", schedule_.path.streaming}};
    for (const program::StallCycles& s : schedule_.path.stalls)
      trace_.path.push_back({std::string("stall: ") + word_of(s.cause), s.cycles});
    trace_.capacities = {{"HBM", device_.hbm.capacity, 1},
                         {"DM", device_.dm.slice_capacity, device_.levels.clusters_per_chip * device_.levels.slices_per_cluster},
                         {"TRF", device_.trf.slice_capacity, device_.levels.clusters_per_chip * device_.levels.slices_per_cluster},
                         {"VRF", device_.vrf.slice_capacity, device_.levels.clusters_per_chip * device_.levels.slices_per_cluster},
                         {"SPM", device_.spm.dmn_capacity, device_.levels.clusters_per_chip * device_.levels.dmns_per_cluster}};
    trace_.geometry = geometry_of(device_, options_.kept_banks_free);
    add_axes();
    for (program::Resource r : resources) trace_.resources.push_back(word_of(r));
    AssumptionList assumed(device_);
    each_field(device_, assumed);
    trace_.assumptions = std::move(assumed.all);
    bool const as_written = std::is_sorted(schedule_.order.begin(), schedule_.order.end());
    if (!as_written) trace_.order = schedule_.order;
    trace_.critical_path = schedule_.critical_path;
  }

  /// Lowering leaves them behind what is about commands and tensors.
  void add_axes() {
    if (program_.debug.empty() || program_.debug.back().name != "axes") return;
    for (const auto& [name, text] : program_.debug.back().fields) {
      trace::Axis axis{name, 0};
      std::from_chars(text.data(), text.data() + text.size(), axis.size);
      if (axis.size >= 1) trace_.axes.push_back(std::move(axis));
    }
  }

  const program::Debug* debug_of(std::int32_t number) const {
    bool const there = number >= 0 && static_cast<std::size_t>(number) < program_.debug.size();
    return there ? &program_.debug[static_cast<std::size_t>(number)] : nullptr;
  }

  std::int32_t source_of(const program::Debug& d) {
    if (d.file.empty() && d.line == 0) return trace::none;
    auto const [number, first] = source_numbers_.of(d.file + ":" + std::to_string(d.line));
    if (first) {
      std::string text = options_.source_line ? options_.source_line(d.file, d.line) : "";
      trace_.sources.push_back({d.file, short_function(d.function), d.line, d.column, std::move(text)});
    }
    return number;
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

  /// "tile[3]".
  std::int32_t region_of(const std::string& text) {
    auto const [number, first] = region_numbers_.of(text);
    if (!first) return number;
    trace::Region r{text, 0};
    if (std::size_t const bracket = text.rfind('['); bracket != text.npos) {
      r.name = text.substr(0, bracket);
      std::from_chars(text.data() + bracket + 1, text.data() + text.size(), r.index);
    }
    trace_.regions.push_back(std::move(r));
    return number;
  }

  std::int32_t tensor_number(const std::string& text, const program::Debug& d) {
    auto const [number, first] = tensor_numbers_.of(text);
    if (!first) return number;
    TensorText parts = take_apart(text);
    trace::Tensor t;
    t.name = std::move(parts.name);
    t.memory = std::move(parts.memory);
    t.mapping = std::move(parts.mapping);
    t.source = source_of(d);
    trace_.tensors.push_back(std::move(t));
    return number;
  }

  /// Of a tensor that the kernel gave no name: the variable that the line sets, or the function that returns it.
  std::string name_made_by(const program::Debug& d) const {
    std::string name = variable_at(options_.source_line, d.file, d.line);
    if (!name.empty() || !options_.source_line || options_.source_line(d.file, d.line).empty()) return name;
    name = short_function(d.function);
    if (constexpr std::string_view call = "::operator()"; name.ends_with(call)) name.resize(name.size() - call.size());
    return name.substr(name.rfind(':') + 1);
  }
  /// A kernel in text form may well call its tensors so itself.
  bool written_at(const program::Debug& d, const std::string& name) const {
    return options_.source_line && options_.source_line(d.file, d.line).find(name) != std::string::npos;
  }
  std::string region_name(const program::Debug& d, const std::string& role, std::size_t position, std::size_t of) const {
    std::string name = role == "argument" ? receiver_at(options_.source_line, d.file, d.line) : "";
    return !name.empty() ? name : of == 1 ? role : role + " " + std::to_string(position);
  }
  /// Views of an argument or a result, and of what was written before, are called as these are.
  std::string name_at(const trace::Range& r, bool written_before) {
    for (std::size_t i = 0; i < regions_; ++i)
      if (const trace::Tensor& t = trace_.tensors[i]; t.memory == r.memory && t.begin <= r.begin && r.begin < t.end) return t.name;
    if (!written_before) return "";
    std::int32_t const held = holders_.at(sets_meeting(r), r.begin, r.end);
    return held == trace::none ? "" : trace_.tensors[static_cast<std::size_t>(held)].name;
  }

  void add_region(const program::Region& r, const std::string& role, std::size_t position) {
    const program::Debug* d = debug_of(r.debug);
    std::string text = d == nullptr ? role + " in HBM" : d->name + ": in HBM";
    if (d != nullptr)
      for (const auto& [key, value] : d->fields)
        if (key == "tensor") text = value;
    trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(tensor_number(text, d == nullptr ? program::Debug{} : *d))];
    t.role = role;
    if (d != nullptr && unnamed(t.name) && !written_at(*d, t.name))
      t.name = region_name(*d, role, position, role == "argument" ? program_.arguments.size() : program_.results.size());
    t.memory = word_of(program::Memory::Hbm);
    t.begin = r.address;
    t.end = r.address + r.bytes;
    t.gone = schedule_.makespan;
  }

  void add_command(std::size_t i) {
    const program::Command& from = program_.commands[i];
    const program::Scheduled& when = schedule_.commands[i];
    trace::Command& c = trace_.commands[i];
    const program::Debug* d = debug_of(from.debug);
    for (std::size_t r = 0; r < std::size(resources); ++r)
      if ((when.resources & program::bit(resources[r])) != 0) c.resources.push_back(static_cast<std::int32_t>(r));
    if (queue_per_cluster_ && (when.resources & program::bit(program::Resource::TensorDma)) != 0)
      c.queues = numbers_of(queues_by_cluster(device_, from));
    c.start = when.start;
    c.end = when.end;
    c.startup = when.cost.startup;
    c.streaming = when.cost.streaming;
    for (const program::StallCycles& s : when.cost.stalls) c.stalls.push_back({word_of(s.cause), s.cycles});
    for (const program::EngineCycles& e : when.cost.engines) c.engines.push_back({word_of(e.engine), e.cycles});
    c.slowest = word_of(when.cost.slowest);
    c.slack = when.slack;
    c.name = d == nullptr || d->name.empty() ? word_of(resources[static_cast<std::size_t>(c.resources.empty() ? 0 : c.resources.front())])
                                             : d->name;
    c.source = d == nullptr ? trace::none : source_of(*d);
    facts_.add_to(from, c);
    if (options_.kept_banks_free) c.bank_runs = bank_runs_number(facts_.runs_of(from));
    for (const program::Range& r : from.reads) c.reads.push_back(range_of(r));
    for (const program::Range& r : from.writes) c.writes.push_back(range_of(r));
    trace::Configuration configuration;
    configuration.settings = settings_of(from);
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

  void describe(const program::Debug& d, std::size_t i, trace::Configuration& configuration) {
    trace::Command& c = trace_.commands[i];
    for (const auto& [key, value] : d.fields) {
      if (key == "source") name_source(tensor_number(value, d), i, d);
      else if (key == "rows") name_rows(tensor_number(value, d), i);
      else if (key == "destination") name_sink(tensor_number(value, d), i, d);
      else if (key == "region") c.region = region_of(value);
      else if (key != "at") configuration.stages.push_back({key, value, {}});
    }
  }

  /// A transfer reads its source in any number of stretches. A pass has one fetch, for all of its sources: each of them has the stretch.
  void name_source(std::int32_t tensor, std::size_t i, const program::Debug& d) {
    std::vector<trace::Range>& reads = trace_.commands[i].reads;
    const std::string memory = trace_.tensors[static_cast<std::size_t>(tensor)].memory;
    bool named = false;
    for (trace::Range& r : reads)
      if (r.memory == memory && r.tensor == trace::none && !is_table(i, r)) named = true, name_one(r, tensor, i, false, d);
    if (named) return;
    auto const fetched = std::find_if(reads.begin(), reads.end(), [&](const trace::Range& r) { return r.memory == memory; });
    if (fetched == reads.end()) return;
    auto const also = reads.insert(std::next(fetched), *fetched);
    name_one(*also, tensor, i, false, d);
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
  void name_sink(std::int32_t tensor, std::size_t i, const program::Debug& d) {
    bool const transfer = std::holds_alternative<program::Dma>(program_.commands[i].what);
    std::vector<trace::Range>& writes = trace_.commands[i].writes;
    for (std::size_t k = writes.size(); k-- > 0;) {
      if (writes[k].memory != trace_.tensors[static_cast<std::size_t>(tensor)].memory) continue;
      name_one(writes[k], tensor, i, true, d);
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

  void name_one(trace::Range& r, std::int32_t tensor, std::size_t i, bool sink, const program::Debug& d) {
    trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(tensor)];
    if (unnamed(t.name))
      if (std::string name = name_of(r, sink, d); !name.empty()) t.name = std::move(name);
    // Where a tensor lies is known from whoever writes it; what is read may be a stretch with others in it.
    touch(r, tensor, i, sink || !written_.contains(tensor));
    if (sink) written_.insert(tensor);
  }
  std::string name_of(const trace::Range& r, bool sink, const program::Debug& d) {
    std::string const before = name_at(r, !sink);
    if (!before.empty()) return before;
    return sink ? name_made_by(d) : receiver_at(options_.source_line, d.file, d.line);
  }

  /// What has no name of its own, TRF and VRF operands above all, is the tensor that was written there last; or else, what the Vector Engine leaves in VRF for itself.
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
    return tensor_numbers_.of("scratch " + std::to_string(i) + " " + std::to_string(r.begin)).first;
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

  std::int32_t configuration_number(trace::Configuration c) {
    std::string key;
    for (const auto* list : {&c.stages, &c.settings})
      for (const trace::Setting& s : *list) key += s.name + '\n' + s.text + '\n';
    auto const [number, first] = configuration_numbers_.of(std::move(key));
    if (first) trace_.configurations.push_back(std::move(c));
    return number;
  }

  static trace::Edge edge_of(const program::Edge& e) {
    const char* const on = e.kind == program::EdgeKind::Resource ? word_of(e.resource) : word_of(e.memory);
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
  std::size_t regions_ = 0;  // the first of the tensors: arguments and results
  std::set<std::int32_t> written_;
  Numbers source_numbers_, units_numbers_, region_numbers_, tensor_numbers_, configuration_numbers_, bank_runs_numbers_;
  std::vector<program::Units> units_;  // of the trace's
  std::map<std::string, program::Memory> memories_;
  UnitSets sets_;
  Holders holders_;
};

}  // namespace

trace::Trace make_trace(const program::Program& program, const program::Schedule& schedule, const Device& device,
                        const TraceOptions& options) {
  return TraceMaker(program, schedule, device, options).make();
}

}  // namespace tcp::sched
