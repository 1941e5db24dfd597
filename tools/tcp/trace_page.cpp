// Packs a trace into columns and blocks, and puts them into the viewer's page.
#include "trace_page.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "tcp/io/file.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/round.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/findings.hpp"
#include "tcp/trace/join.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/trials.hpp"
#include "tcp/trace/what_if.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;
using Column = std::vector<std::int64_t>;

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

/// Each text once; commands speak of them by number.
class Texts {
 public:
  std::int64_t number(const std::string& text) {
    auto const [at, fresh] = known_.try_emplace(text, static_cast<std::int64_t>(all_.size()));
    if (fresh) all_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::unordered_map<std::string, std::int64_t> known_;
  std::vector<std::string> all_;
};

template <class T>
void append(std::string& bytes, const Column& column) {
  std::size_t const at = bytes.size();
  bytes.resize(at + column.size() * sizeof(T));
  char* to = bytes.data() + at;
  for (std::int64_t value : column) {
    T const narrow = static_cast<T>(value);
    std::memcpy(to, &narrow, sizeof(T));
    to += sizeof(T);
  }
}

/// The narrowest type of JavaScript's typed arrays that holds all of a column; whole numbers below 2^53 are exact as
/// f64.
const char* append_narrowest(std::string& bytes, const Column& column) {
  auto const [low, high] = std::minmax_element(column.begin(), column.end());
  std::int64_t const least = column.empty() ? 0 : *low, most = column.empty() ? 0 : *high;
  if (least < -(std::int64_t{1} << 31) || most >= std::int64_t{1} << 32 || (least < 0 && most >= std::int64_t{1} << 31)) {
    append<double>(bytes, column);
    return "f64";
  }
  if (least < 0) {
    bool const narrow = least >= -(1 << 15) && most < 1 << 15;
    narrow ? append<std::int16_t>(bytes, column) : append<std::int32_t>(bytes, column);
    return narrow ? "i16" : "i32";
  }
  if (most < 1 << 8) return append<std::uint8_t>(bytes, column), "u8";
  if (most < 1 << 16) return append<std::uint16_t>(bytes, column), "u16";
  return append<std::uint32_t>(bytes, column), "u32";
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  // Level 1: higher ones take seconds for a million commands and save little.
  int const done = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                             static_cast<uLong>(bytes.size()), 1);
  TCP_BUG_UNLESS(done == Z_OK, "zlib has room for all that it makes");
  out.resize(size);
  return out;
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out.reserve(out.size() + bytes.size() * 4 / 3 + 8);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t const left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
}

void append_block(std::string& page, const std::string& name, std::string_view bytes) {
  page += "<script type=\"application/octet-stream\" id=\"" + name + "\">";
  append_base64(page, deflated(bytes));
  page += "</script>\n";
}

/// What a command has or has not, as a list.
template <class T>
std::span<const T> none_or_one(const std::optional<T>& v) {
  return v ? std::span<const T>(&*v, 1) : std::span<const T>();
}

/// Columns that are needed at the same time. A page reads the commands first, and what a click asks for when it is
/// asked for.
class Block {
 public:
  explicit Block(std::string name) : name_(std::move(name)) {}

  void add(const char* column, const Column& values) {
    bytes_.resize(static_cast<std::size_t>(round_up(std::ssize(bytes_), 8)));
    Json entry{{"name", column}, {"at", bytes_.size()}, {"size", values.size()}};
    entry["type"] = append_narrowest(bytes_, values);
    columns_.push_back(std::move(entry));
  }
  /// One number per command.
  template <class Of>
  void each(const char* column, const trace::Trace& trace, Of&& of) {
    Column values;
    values.reserve(trace.commands.size());
    for (const trace::Command& c : trace.commands) values.push_back(of(c));
    add(column, values);
  }
  /// One list per command: how many entries each has, then one column per field.
  template <class Entry, class List, class... Field>
  void lists(const std::string& prefix, const trace::Trace& trace, List&& list, Field... fields) {
    each((prefix + ".count").c_str(), trace, [&](const trace::Command& c) { return static_cast<std::int64_t>(list(c).size()); });
    (list_field<Entry>(prefix, trace, list, fields), ...);
  }
  void write(std::string& page, const std::string& prefix, Json& directory) const {
    directory.push_back({{"name", name_}, {"columns", columns_}});
    append_block(page, prefix + name_, bytes_);
  }

 private:
  template <class Entry, class List, class Field>
  void list_field(const std::string& prefix, const trace::Trace& trace, List&& list, Field& field) {
    Column values;
    values.reserve(trace.commands.size());
    for (const trace::Command& c : trace.commands)
      for (const Entry& e : list(c)) values.push_back(field.second(c, e));
    add((prefix + "." + field.first).c_str(), values);
  }

  std::string name_, bytes_;
  Json columns_ = Json::array();
};

template <class Of>
std::pair<const char*, Of> field(const char* name, Of of) {
  return {name, of};
}

Json parts(const std::vector<trace::Part>& all) {
  Json list = Json::array();
  for (const trace::Part& p : all) list.push_back({{"name", p.name}, {"cycles", p.cycles.value}});
  return list;
}

Json settings(const std::vector<trace::Setting>& all) {
  Json list = Json::array();
  for (const trace::Setting& s : all) list.push_back({s.name, s.text, s.why});
  return list;
}

Json stages(const std::vector<trace::Setting>& all) {
  Json list = Json::array();
  for (const trace::Setting& s : all) list.push_back({s.name, s.text, s.why, s.source});
  return list;
}

constexpr std::int64_t most_source_lines = 4000;  // of a page
constexpr std::int64_t lines_around = 3, widest_gap = 24;

std::string trimmed(const std::string& line) {
  constexpr const char* blanks = " \t\r\f\v";
  std::size_t const first = line.find_first_not_of(blanks);
  return first == line.npos ? "" : line.substr(first, line.find_last_not_of(blanks) + 1 - first).substr(0, 200);
}

/// Lines between those that the trace has, by file: [number, text]. A file that is not at hand, or was changed since,
/// is left out.
Json source_files(const trace::Trace& t) {
  std::map<std::string, std::map<std::int64_t, std::string>> known;
  for (const trace::Source& s : t.sources) known[s.file][s.line] = s.text;
  Json files = Json::object();
  std::int64_t room = most_source_lines;
  for (const auto& [file, lines] : known) {
    std::ifstream in(file);
    std::vector<std::string> text;
    for (std::string line; text.size() < 200'000 && std::getline(in, line);) text.push_back(line.substr(0, 240));
    auto const is_same = [&](const auto& line) {
      return line.first >= 1 && line.first <= std::ssize(text) && trimmed(text[static_cast<std::size_t>(line.first) - 1]) == line.second;
    };
    if (text.empty() || !std::all_of(lines.begin(), lines.end(), is_same)) continue;
    Json shown = Json::array();
    std::int64_t next = 1;
    for (auto at = lines.begin(); at != lines.end(); ++at) {
      bool const joined = at != lines.begin() && at->first - std::prev(at)->first <= widest_gap;
      for (std::int64_t n = std::max(next, joined ? next : at->first - lines_around);
           n <= std::min(at->first + lines_around, std::ssize(text)) && room > 0; ++n, --room) {
        shown.push_back({n, text[static_cast<std::size_t>(n) - 1]});
        next = n + 1;
      }
    }
    files[file] = std::move(shown);
  }
  return files;
}

Json values_of(const trace::Trace& t) {
  Json all = Json::array();
  for (const trace::Values& v : t.values) {
    Json entry{{"command", v.command}, {"digest", v.digest}, {"left_out", v.left_out}, {"parts", Json::array()}};
    for (const trace::HeldBytes& p : v.parts)
      entry["parts"].push_back({{"memory", p.memory},
                                {"chip", p.chip},
                                {"cluster", p.cluster},
                                {"slices", p.slices},
                                {"row", p.row},
                                {"begin", p.begin},
                                {"data", p.data},
                                {"undefined", p.undefined}});
    if (v.not_finite) {
      const trace::NotFinite& n = *v.not_finite;
      entry["not_finite"] = {{"text", n.text},   {"memory", n.memory}, {"chip", n.chip}, {"cluster", n.cluster},
                             {"slice", n.slice}, {"row", n.row},       {"byte", n.byte}, {"count", n.count}};
    }
    all.push_back(std::move(entry));
  }
  return all;
}

Json launches_of(const trace::Trace& t) {
  Json all = Json::array();
  for (const trace::Launch& l : t.launches) {
    Json axes = Json::object();
    for (const trace::Axis& a : l.axes) axes[a.name] = a.size;
    all.push_back({{"name", l.name},
                   {"command", l.command},
                   {"tensor", l.tensor},
                   {"cycles", l.cycles.value},
                   {"transfer_cycles", l.transfer_cycles.value},
                   {"transfer_bytes", l.transfer_bytes.value},
                   {"axes", std::move(axes)}});
  }
  return all;
}

constexpr std::size_t most_changes = 20'000;  // that a page can apply; of more it has the result in words

/// What to change, for the page to plan it: `lengths` as command and cycles in turn; `dropped` as command, the number
/// of its edge, and the command that is waited for instead, or -1.
void add_changes(Json& entry, const trace::Trace& t, trace::WhatIf& what_if, const trace::Changes& changes) {
  if (changes.lengths.size() + changes.dropped.size() > most_changes) return;
  Json lengths = Json::array(), dropped = Json::array();
  for (const trace::Changes::Length& l : changes.lengths) {
    lengths.push_back(l.command);
    lengths.push_back(l.cycles.value);
  }
  for (const trace::Changes::Dropped& d : changes.dropped) {
    const trace::Command& c = t.commands[static_cast<std::size_t>(d.command)];
    dropped.push_back(d.command);
    dropped.push_back(d.edge);
    dropped.push_back(what_if.instead_of(d.command, c.after[static_cast<std::size_t>(d.edge)]));
  }
  entry["lengths"] = std::move(lengths);
  entry["dropped"] = std::move(dropped);
}

/// Findings, and what would help most (`tcp report --what-if`).
void add_advice(Json& head, const trace::Trace& t) {
  std::vector<trace::Finding> const findings = trace::find(t);
  trace::Trials const trials = trace::try_all(t, findings);
  trace::WhatIf what_if(t);
  for (const trace::Finding& f : findings) {
    Json entry{{"rule", f.rule},       {"source", f.source}, {"commands", f.commands}, {"cycles", f.cycles.value},
               {"gain", f.gain.value}, {"what", f.what},     {"help", f.help}};
    add_changes(entry, t, what_if, f.changes);
    head["findings"].push_back(std::move(entry));
  }
  head["trials"] = {{"tried", trials.tried}, {"of", trials.of}, {"best", Json::array()}};
  for (const trace::Trial& trial : trials.best) {
    Json entry{
        {"kind", trial.kind}, {"what", trial.what}, {"after", trial.after.value}, {"gain", trial.gain.value}, {"finding", trial.finding}};
    if (trial.finding == trace::none) add_changes(entry, t, what_if, trial.changes);
    head["trials"]["best"].push_back(std::move(entry));
  }
}

Json head_of(const trace::Trace& t) {
  Json head;
  head["tool"] = t.tool;
  head["program"] = t.program;
  head["hash"] = t.hash;
  head["chip"] = t.chip;
  head["model"] = t.model;
  head["chips"] = t.chips;
  head["core_mhz"] = t.core_mhz;
  head["ticks_per_cycle"] = t.ticks_per_cycle;
  head["complete"] = t.complete;
  head["makespan"] = t.makespan.value;
  head["imported"] = t.imported;
  head["facts"] = settings(t.facts);
  head["tensor_details"] = Json::object();
  for (std::size_t i = 0; i < t.tensors.size(); ++i)
    if (!t.tensors[i].details.empty()) head["tensor_details"][std::to_string(i)] = settings(t.tensors[i].details);
  head["gained"] = t.gained.value;
  head["bounds"] = parts(t.bounds);
  head["path"] = parts(t.path);
  head["resources"] = t.resources;
  for (const char* list : {"assumptions", "capacities", "sources", "units", "configurations", "usage", "host_transfers", "findings"})
    head[list] = Json::array();
  for (const auto& a : t.assumptions) head["assumptions"].push_back({{"name", a.name}, {"value", a.value}, {"source", a.source}});
  for (const auto& c : t.capacities) head["capacities"].push_back({{"memory", c.memory}, {"bytes", c.bytes.value}, {"units", c.units}});
  for (const auto& s : t.sources)
    head["sources"].push_back({{"file", s.file}, {"function", s.function}, {"line", s.line}, {"text", s.text}});
  for (const auto& u : t.units) head["units"].push_back({{"chips", u.chips}, {"clusters", u.clusters}, {"slices", u.slices}});
  for (const auto& c : t.configurations)
    head["configurations"].push_back({{"stages", stages(c.stages)}, {"settings", settings(c.settings)}});
  for (const auto& h : t.host_transfers)
    head["host_transfers"].push_back(
        {{"direction", h.direction}, {"tensor", h.tensor}, {"bytes", h.bytes.value}, {"cycles", h.cycles.value}, {"source", h.source}});
  for (const auto& u : t.usage)
    head["usage"].push_back(
        {{"group", u.group}, {"name", u.name}, {"busy", u.busy.value}, {"bytes", u.bytes.value}, {"conflicts", u.conflicts}});
  add_advice(head, t);
  return head;
}

Column widened(const std::vector<std::int32_t>& numbers) { return Column(numbers.begin(), numbers.end()); }

/// "0-3,8" as numbers; a trace may come from any source, so those from `below` on are left out.
std::vector<std::int64_t> numbers_of(const std::string& text, std::int64_t below) {
  std::vector<std::int64_t> all;
  std::int64_t first = -1, number = -1;
  for (char c : text + ",") {
    if (c >= '0' && c <= '9') number = std::min(std::max<std::int64_t>(number, 0) * 10 + (c - '0'), below);
    if (c == '-') first = std::exchange(number, -1);
    if (c != ',' || number < 0) continue;
    for (std::int64_t i = first < 0 ? number : first; i <= std::min(number, below - 1); ++i) all.push_back(i);
    first = number = -1;
  }
  return all;
}

/// Which chips and clusters commands touch. Commands share few such sets, which go by their numbers.
class CommandPlaces {
 public:
  CommandPlaces(const trace::Trace& t, std::int64_t clusters) {
    for (const trace::Units& u : t.units) {
      Set set;
      for (std::int64_t chip : numbers_of(u.chips, most)) {
        set.chips.insert(chip);
        for (std::int64_t cluster : numbers_of(u.clusters, clusters)) set.clusters.insert(chip * clusters + cluster);
      }
      units_.push_back(std::move(set));
    }
  }

  std::int64_t number(const trace::Command& c) {
    std::vector<std::int64_t> key;
    for (const auto* ranges : {&c.reads, &c.writes})
      for (const trace::Range& r : *ranges) {
        bool const of_chip = r.memory == "HBM" || r.memory == "host";
        if (r.units != trace::none) key.push_back(std::int64_t{r.units} * 2 + (of_chip ? 1 : 0));
      }
    std::sort(key.begin(), key.end());
    key.erase(std::unique(key.begin(), key.end()), key.end());
    auto const [at, fresh] = known_.try_emplace(key, static_cast<std::int64_t>(all_.size()));
    if (fresh) all_.push_back(joined(key));
    return at->second;
  }
  /// `chips`, and `clusters` counted through chips; HBM and the host belong to no cluster.
  Json all() const {
    Json list = Json::array();
    for (const Set& set : all_) list.push_back({{"chips", set.chips}, {"clusters", set.clusters}});
    return list;
  }

 private:
  static constexpr std::int64_t most = 1024;
  struct Set {
    std::set<std::int64_t> chips, clusters;
  };
  Set joined(const std::vector<std::int64_t>& key) const {
    Set set;
    for (std::int64_t k : key) {
      const Set& units = units_[static_cast<std::size_t>(k / 2)];
      set.chips.insert(units.chips.begin(), units.chips.end());
      if (k % 2 == 0) set.clusters.insert(units.clusters.begin(), units.clusters.end());
    }
    return set;
  }

  std::vector<Set> units_, all_;
  std::map<std::vector<std::int64_t>, std::int64_t> known_;
};

/// The units that hold a tensor: those of every range in which a command touches it.
void add_tensor_places(Block& b, const trace::Trace& t) {
  std::vector<std::vector<std::int32_t>> units(t.tensors.size());
  auto const add = [&units](std::int32_t tensor, std::int32_t number) {
    if (tensor == trace::none || number == trace::none) return;
    std::vector<std::int32_t>& all = units[static_cast<std::size_t>(tensor)];
    if (std::find(all.begin(), all.end(), number) == all.end()) all.push_back(number);
  };
  for (std::size_t i = 0; i < t.tensors.size(); ++i) add(static_cast<std::int32_t>(i), t.tensors[i].units);
  for (const trace::Command& c : t.commands)
    for (const auto* ranges : {&c.reads, &c.writes})
      for (const trace::Range& r : *ranges) add(r.tensor, r.units);
  Column counts, numbers;
  for (const auto& all : units) {
    counts.push_back(std::ssize(all));
    numbers.insert(numbers.end(), all.begin(), all.end());
  }
  b.add("tensor_places.count", counts);
  b.add("tensor_places.units", numbers);
}

/// Tables that may be as long as the program.
Block tables_of(const trace::Trace& t, Texts& texts) {
  using trace::Region, trace::Tensor;
  Block b("tables");
  auto const column = [&b](const char* name, const auto& all, auto&& of) {
    Column values;
    values.reserve(all.size());
    for (const auto& entry : all) values.push_back(of(entry));
    b.add(name, values);
  };
  column("tensor_rows.name", t.tensors, [&](const Tensor& x) { return texts.number(x.name); });
  column("tensor_rows.memory", t.tensors, [&](const Tensor& x) { return texts.number(x.memory); });
  column("tensor_rows.mapping", t.tensors, [&](const Tensor& x) { return texts.number(x.mapping); });
  column("tensor_rows.role", t.tensors, [&](const Tensor& x) { return texts.number(x.role); });
  column("tensor_rows.begin", t.tensors, [](const Tensor& x) { return x.begin; });
  column("tensor_rows.end", t.tensors, [](const Tensor& x) { return x.end; });
  column("tensor_rows.units", t.tensors, [](const Tensor& x) { return std::int64_t{x.units}; });
  column("tensor_rows.source", t.tensors, [](const Tensor& x) { return std::int64_t{x.source}; });
  column("tensor_rows.first", t.tensors, [](const Tensor& x) { return std::int64_t{x.first}; });
  column("tensor_rows.last", t.tensors, [](const Tensor& x) { return std::int64_t{x.last}; });
  column("region_rows.name", t.regions, [&](const Region& x) { return texts.number(x.name); });
  column("region_rows.index", t.regions, [](const Region& x) { return x.index; });
  add_tensor_places(b, t);
  return b;
}

Block commands_of(const trace::Trace& t, Texts& texts, CommandPlaces& places) {
  using trace::Command;
  Block b("commands");
  b.each("name", t, [&](const Command& c) { return texts.number(c.name); });
  b.each("index", t, [&](const Command& c) { return texts.number(c.index); });
  b.each("start", t, [](const Command& c) { return c.start.value; });
  b.each("length", t, [](const Command& c) { return c.length().value; });
  b.each("source", t, [](const Command& c) { return std::int64_t{c.source}; });
  b.each("region", t, [](const Command& c) { return std::int64_t{c.region}; });
  b.each("configuration", t, [](const Command& c) { return std::int64_t{c.configuration}; });
  b.each("binding", t, [](const Command& c) { return std::int64_t{c.binding}; });
  b.each("slack", t, [](const Command& c) { return c.slack.value; });
  b.each("startup", t, [](const Command& c) { return c.startup.value; });
  b.each("streaming", t, [](const Command& c) { return c.streaming.value; });
  b.each("slowest", t, [&](const Command& c) { return texts.number(c.slowest); });
  b.each("place", t, [&](const Command& c) { return places.number(c); });
  // Sets of DMA engines and of queues are few; commands share them as texts.
  b.each("engine_set", t, [&](const Command& c) { return texts.number(c.dma ? c.dma->engine_set : std::string()); });
  b.each("queues", t, [&](const Command& c) { return texts.number(c.queues); });
  b.each("bank_runs_of", t, [](const Command& c) { return std::int64_t{c.bank_runs}; });
  b.each("stalled", t, [](const Command& c) { return (c.length() - c.startup - c.streaming).value; });
  b.lists<std::int32_t>(
      "resources", t, [](const Command& c) -> auto& { return c.resources; },
      field("number", [](const Command&, std::int32_t r) { return std::int64_t{r}; }));
  b.add("order", widened(t.order));
  b.add("critical_path", widened(t.critical_path));
  return b;
}

Block edges_of(const trace::Trace& t, Texts& texts) {
  using trace::Command, trace::Edge;
  Block b("edges");
  const Command* const first = t.commands.data();
  b.lists<Edge>(
      "after", t, [](const Command& c) -> auto& { return c.after; },
      field("kind", [&](const Command&, const Edge& e) { return texts.number(e.kind); }),
      // As a distance: most commands wait for a near one, and small numbers deflate well.
      field("back", [=](const Command& c, const Edge& e) { return static_cast<std::int64_t>(&c - first) - e.from; }),
      field("on", [&](const Command&, const Edge& e) { return texts.number(e.on); }),
      field("begin", [](const Command&, const Edge& e) { return e.begin; }),
      field("end", [](const Command&, const Edge& e) { return e.end; }));
  return b;
}

Block parts_of(const trace::Trace& t, Texts& texts) {
  using trace::Command, trace::Part;
  Block b("parts");
  auto const name = field("name", [&](const Command&, const Part& p) { return texts.number(p.name); });
  auto const cycles = field("cycles", [](const Command&, const Part& p) { return p.cycles.value; });
  b.lists<Part>("stalls", t, [](const Command& c) -> auto& { return c.stalls; }, name, cycles);
  b.lists<Part>("engines", t, [](const Command& c) -> auto& { return c.engines; }, name, cycles);
  return b;
}

Block ranges_of(const trace::Trace& t, Texts& texts) {
  using trace::Command, trace::Range;
  Block b("ranges");
  auto const memory = field("memory", [&](const Command&, const Range& r) { return texts.number(r.memory); });
  auto const begin = field("begin", [](const Command&, const Range& r) { return r.begin; });
  auto const end = field("end", [](const Command&, const Range& r) { return r.end; });
  auto const units = field("units", [](const Command&, const Range& r) { return std::int64_t{r.units}; });
  auto const tensor = field("tensor", [](const Command&, const Range& r) { return std::int64_t{r.tensor}; });
  b.lists<Range>("reads", t, [](const Command& c) -> auto& { return c.reads; }, memory, begin, end, units, tensor);
  b.lists<Range>("writes", t, [](const Command& c) -> auto& { return c.writes; }, memory, begin, end, units, tensor);
  return b;
}

Block facts_of(const trace::Trace& t) {
  using trace::Command, trace::DmaFacts, trace::PassFacts;
  Block b("facts");
#define TCP_FACT(Facts, member) field(#member, [](const Command&, const Facts& f) { return std::int64_t{f.member}; })
#define TCP_MEASURE(Facts, member) field(#member, [](const Command&, const Facts& f) { return f.member.value; })
  b.lists<DmaFacts>(
      "dma", t, [](const Command& c) { return none_or_one(c.dma); }, TCP_MEASURE(DmaFacts, bytes), TCP_MEASURE(DmaFacts, run),
      TCP_MEASURE(DmaFacts, ideal), TCP_FACT(DmaFacts, descriptors), TCP_FACT(DmaFacts, engines), TCP_FACT(DmaFacts, engines_of),
      TCP_FACT(DmaFacts, channels), TCP_FACT(DmaFacts, channels_of), TCP_FACT(DmaFacts, requests), TCP_FACT(DmaFacts, row_switches),
      TCP_FACT(DmaFacts, partial_writes));
  b.lists<PassFacts>(
      "pass", t, [](const Command& c) { return none_or_one(c.pass); }, TCP_FACT(PassFacts, clusters), TCP_FACT(PassFacts, clusters_of),
      TCP_FACT(PassFacts, slices), TCP_FACT(PassFacts, slices_of), TCP_FACT(PassFacts, rows), TCP_FACT(PassFacts, rows_of),
      TCP_FACT(PassFacts, lanes), TCP_FACT(PassFacts, lanes_of), TCP_FACT(PassFacts, longest_bank_run), TCP_FACT(PassFacts, multiply_adds));
#undef TCP_FACT
#undef TCP_MEASURE
  return b;
}

/// The geometry that commands and units tell of, for a trace that does not say how its chip is made.
trace::Geometry geometry_of(const trace::Trace& t) {
  if (t.geometry) return *t.geometry;
  constexpr std::int64_t most_clusters = 32;
  trace::Geometry g;
  for (const trace::Command& c : t.commands)
    if (c.pass) g.clusters = std::clamp<std::int64_t>(c.pass->clusters_of, g.clusters, most_clusters);
  for (const trace::Units& u : t.units)
    for (std::int64_t cluster : numbers_of(u.clusters, most_clusters)) g.clusters = std::max(g.clusters, cluster + 1);
  return g;
}

Json to_json(const trace::Geometry& g) {
  return {{"clusters", g.clusters},
          {"slices", g.slices},
          {"dma_engines", g.dma_engines},
          {"dm_banks", g.dm_banks},
          {"dm_row", g.dm_row.value},
          {"bank_limit", g.bank_limit},
          {"channels", g.channels},
          {"channel_bits", g.channel_bits},
          {"rows", g.rows},
          {"hbm_mb_per_s", g.hbm_mb_per_s}};
}

void append_trace(std::string& page, const trace::Trace& t, const std::string& prefix, bool ticks) {
  Texts texts;
  Json head = head_of(t);
  head["ticks_shown"] = ticks;
  head["commands"] = t.commands.size();
  head["geometry"] = to_json(geometry_of(t));
  head["axes"] = Json::object();
  for (const trace::Axis& a : t.axes) head["axes"][a.name] = a.size;
  head["bank_runs"] = Json::array();
  for (const trace::BankRuns& b : t.bank_runs) head["bank_runs"].push_back(b.runs);
  head["launches"] = launches_of(t);
  head["files"] = source_files(t);
  head["has_values"] = !t.values.empty();
  Json directory = Json::array();
  CommandPlaces places(t, geometry_of(t).clusters);
  for (const Block& b :
       {commands_of(t, texts, places), tables_of(t, texts), edges_of(t, texts), parts_of(t, texts), ranges_of(t, texts), facts_of(t)})
    b.write(page, prefix, directory);
  head["blocks"] = std::move(directory);
  head["places"] = places.all();
  head["texts"] = texts.all();
  if (!t.values.empty()) append_block(page, prefix + "values", values_of(t).dump());
  append_block(page, prefix + "head", head.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string page_of(std::string_view page, const std::vector<trace::Trace>& traces, bool ticks) {
  constexpr std::string_view here = "<!--traces-->";
  std::size_t const at = page.find(here);
  TCP_BUG_UNLESS(at != page.npos, "the viewer's template has a place for traces");
  std::string made(page.substr(0, at));
  for (std::size_t i = 0; i < traces.size(); ++i) append_trace(made, traces[i], "trace" + std::to_string(i) + "-", ticks);
  if (traces.size() == 2) {
    std::ostringstream diff;
    trace::write_json(trace::compare(traces[0], traces[1]), diff);
    append_block(made, "diff", diff.view());
    append_block(made, "partners", Json(trace::partners(traces[0], traces[1])).dump());
  }
  made += page.substr(at + here.size());
  return made;
}

Expected<std::string> page_of(const Terminal& terminal, const std::vector<trace::Trace>& traces, bool ticks) {
  auto const file = io::MappedFile::open((terminal.share / "viewer" / "page.html").string());
  if (!file) return file.refusal();
  return page_of(std::string_view(reinterpret_cast<const char*>((*file)->bytes().data()), (*file)->bytes().size()), traces, ticks);
}

}  // namespace tcp::tool
