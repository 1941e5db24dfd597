// What is text for people in the debug section (names, mappings, lines) becomes lists that commands share; what is a number in the program or the schedule stays one.
#include "tcp/sched/trace.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "tcp/device/fields.hpp"
#include "trace_facts.hpp"
#include "trace_words.hpp"

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

/// Which tensor's bytes lie where, as commands write one after the other.
class Holders {
 public:
  void put(std::int64_t begin, std::int64_t end, std::int32_t tensor) {
    if (begin >= end) return;
    auto at = first(begin);
    while (at != holder_.end() && at->first < end) at = holder_.erase(at);
    holder_[begin] = {end, tensor};
  }
  std::int32_t at(std::int64_t begin, std::int64_t end) {
    auto const found = first(begin);
    return found == holder_.end() || found->first >= end ? trace::none : found->second.second;
  }

 private:
  using Map = std::map<std::int64_t, std::pair<std::int64_t, std::int32_t>>;

  /// The first that ends behind `begin`.
  Map::iterator first(std::int64_t begin) {
    auto at = holder_.upper_bound(begin);
    if (at != holder_.begin() && std::prev(at)->second.first > begin) --at;
    return at;
  }

  Map holder_;
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

constexpr program::Resource resources[] = {program::Resource::Main, program::Resource::Sub, program::Resource::TensorDma,
                                           program::Resource::PcieDma, program::Resource::VectorEngine};

class TraceMaker {
 public:
  TraceMaker(const program::Program& program, const program::Schedule& schedule, const Device& device, const TraceOptions& options)
      : program_(program), schedule_(schedule), device_(device), options_(options), facts_(device) {}

  trace::Trace make() {
    head();
    for (const program::Region& r : program_.arguments) add_region(r, "argument");
    for (const program::Region& r : program_.results) add_region(r, "result");
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
    for (program::Resource r : resources) trace_.resources.push_back(word_of(r));
    AssumptionList assumed(device_);
    each_field(device_, assumed);
    trace_.assumptions = std::move(assumed.all);
    bool const as_written = std::is_sorted(schedule_.order.begin(), schedule_.order.end());
    if (!as_written) trace_.order = schedule_.order;
    trace_.critical_path = schedule_.critical_path;
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
      trace_.sources.push_back({d.file, d.function, d.line, d.column, std::move(text)});
    }
    return number;
  }

  std::int32_t units_number(const program::Units& u) {
    trace::Units made = units_of(u);
    auto const [number, first] = units_numbers_.of(made.chips + "/" + made.clusters + "/" + made.slices);
    if (first) trace_.units.push_back(std::move(made));
    return number;
  }

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

  void add_region(const program::Region& r, const char* role) {
    const program::Debug* d = debug_of(r.debug);
    std::string text = d == nullptr ? std::string(role) + " in HBM" : d->name + ": in HBM";
    if (d != nullptr)
      for (const auto& [key, value] : d->fields)
        if (key == "tensor") text = value;
    trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(tensor_number(text, d == nullptr ? program::Debug{} : *d))];
    t.role = role;
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
    for (const program::Range& r : from.reads) c.reads.push_back(range_of(r));
    for (const program::Range& r : from.writes) c.writes.push_back(range_of(r));
    trace::Configuration configuration;
    configuration.settings = settings_of(from);
    if (d != nullptr) describe(*d, i, configuration);
    name_ranges(i);
    c.configuration = configuration_number(std::move(configuration));
  }

  trace::Range range_of(const program::Range& r) {
    return {word_of(r.memory), r.begin, std::max(r.begin, r.end), units_number(r.units), trace::none};
  }

  void describe(const program::Debug& d, std::size_t i, trace::Configuration& configuration) {
    trace::Command& c = trace_.commands[i];
    for (const auto& [key, value] : d.fields) {
      if (key == "source" || key == "rows") name_one(c.reads, tensor_number(value, d), i, false);
      else if (key == "destination") name_one(c.writes, tensor_number(value, d), i, true);
      else if (key == "region") c.region = region_of(value);
      else if (key != "at") configuration.stages.push_back({key, value, {}});
    }
  }

  /// Sources come first among what a command reads, the sink last among what it writes.
  void name_one(std::vector<trace::Range>& ranges, std::int32_t tensor, std::size_t i, bool last) {
    const std::string& memory = trace_.tensors[static_cast<std::size_t>(tensor)].memory;
    auto const fits = [&](const trace::Range& r) { return r.tensor == trace::none && r.memory == memory; };
    if (last) {
      auto const at = std::find_if(ranges.rbegin(), ranges.rend(), fits);
      if (at != ranges.rend()) touch(*at, tensor, i);
    } else {
      auto const at = std::find_if(ranges.begin(), ranges.end(), fits);
      if (at != ranges.end()) touch(*at, tensor, i);
    }
  }

  /// What has no name of its own, TRF and VRF operands above all, is the tensor that was written there last.
  void name_ranges(std::size_t i) {
    trace::Command& c = trace_.commands[i];
    for (trace::Range& r : c.reads)
      if (r.tensor == trace::none)
        if (std::int32_t const held = holders_[r.memory].at(r.begin, r.end); held != trace::none) touch(r, held, i);
    for (const trace::Range& r : c.writes)
      if (r.tensor != trace::none) holders_[r.memory].put(r.begin, r.end, r.tensor);
  }

  void touch(trace::Range& r, std::int32_t tensor, std::size_t i) {
    r.tensor = tensor;
    trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(tensor)];
    const trace::Command& c = trace_.commands[i];
    bool const fresh = t.first == trace::none;
    if (fresh) t.first = static_cast<std::int32_t>(i);
    t.last = static_cast<std::int32_t>(i);
    if (t.role.empty()) {
      t.born = fresh ? c.start : std::min(t.born, c.start);
      t.gone = fresh ? c.end : std::max(t.gone, c.end);
      t.begin = fresh ? r.begin : std::min(t.begin, r.begin);
      t.end = fresh ? r.end : std::max(t.end, r.end);
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
  FactFinder facts_;
  trace::Trace trace_;
  Numbers source_numbers_, units_numbers_, region_numbers_, tensor_numbers_, configuration_numbers_;
  std::map<std::string, Holders> holders_;
};

}  // namespace

trace::Trace make_trace(const program::Program& program, const program::Schedule& schedule, const Device& device,
                        const TraceOptions& options) {
  return TraceMaker(program, schedule, device, options).make();
}

}  // namespace tcp::sched
