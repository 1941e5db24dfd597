// Reads the JSON that the vendor's scheduler dumps: commands with their cycles and source lines, and tensors.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "io/dump_names.hpp"

namespace tcp::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t most_address = std::int64_t{1} << 52;

/// Any value as a text: one of JSON's texts as it is.
std::string words_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A whole number from 0 to `most`; fractions are cut. Nothing for what is no such number.
std::optional<std::int64_t> count_of(const Json& value, std::int64_t most) {
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) return {};
    std::int64_t const n = value.get<std::int64_t>();
    return n >= 0 && n <= most ? std::optional(n) : std::nullopt;
  }
  if (!value.is_number_float()) return {};
  double const n = value.get<double>();
  return std::isfinite(n) && n >= 0 && n <= static_cast<double>(most) ? std::optional(static_cast<std::int64_t>(n)) : std::nullopt;
}

const Json* member(const Json& object, const char* key) {
  auto const at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() ? &*at : nullptr;
}
std::string text_in(const Json& object, const char* key) {
  const Json* const value = member(object, key);
  return value == nullptr || value->is_null() ? "" : words_of(*value);
}

struct Lifetime {
  std::int64_t begin = 0, end = 0;
};
std::optional<Lifetime> lifetime_of(const Json& object) {
  const Json* const life = member(object, "lifetime");
  const Json *const begin = life == nullptr ? nullptr : member(*life, "begin"), *const end =
                                                                                    life == nullptr ? nullptr : member(*life, "end");
  if (begin == nullptr || end == nullptr) return {};
  auto const from = count_of(*begin, most_dump_cycles), to = count_of(*end, most_dump_cycles);
  if (!from || !to || *from > *to) return {};
  return Lifetime{*from, *to};
}

/// `util.total_util`: what we have no place for is kept under its name.
void keep_rest(const Json& value, const std::string& name, std::vector<trace::Setting>& rest) {
  if (value.is_object() && !value.empty() && value.size() <= 16) {
    std::string const before = name + ".";
    for (const auto& [key, inner] : value.items()) rest.push_back({before + key, words_of(inner), ""});
  } else if (!value.is_null() && !(value.is_structured() && value.empty())) {
    rest.push_back({name, words_of(value), ""});
  }
}
void keep_unknown(const Json& object, const std::set<std::string>& known, std::vector<trace::Setting>& rest) {
  for (const auto& [key, value] : object.items())
    if (!known.contains(key)) keep_rest(value, key, rest);
}

/// Takes `:12` off the end.
bool take_number(std::string_view& text, std::int64_t& number) {
  std::size_t const colon = text.rfind(':');
  if (colon == text.npos) return false;
  const char* const end = text.data() + text.size();
  auto const [at, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || at != end || number < 0 || number > most_address) return false;
  text.remove_suffix(text.size() - colon);
  return true;
}

/// The lines of a call as one, as a reader of a table wants them.
std::string joined_lines(std::string_view text) {
  constexpr std::size_t most = 200;
  constexpr const char* blanks = " \t\r";
  std::string out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::size_t const first = line.find_first_not_of(blanks);
    if (first == line.npos) continue;
    line = line.substr(first, line.find_last_not_of(blanks) - first + 1);
    out += (out.empty() || line.starts_with('.') ? "" : " ") + std::string(line);
  }
  return out.size() > most ? out.substr(0, most) : out;
}

class ScheduleReader {
 public:
  ScheduleReader(std::string_view file, const DumpOptions& options) : file_(file), trace_(empty_trace(options)), resources_(trace_) {}

  Expected<trace::Trace> read(const Json& dump) {
    trace_.imported = "schedule";
    trace_.model = "schedule of the vendor";
    trace_.program = text_in(dump, "title");
    if (trace_.program.empty() || trace_.program == "Schedule")
      trace_.program = file_.substr(0, file_.find('.'));  // most dumps have that title
    const Json* const instructions = member(dump, "instructions");
    if (instructions == nullptr || !instructions->is_array())
      return refuse("import-format")
          .what(printable(file_), ": the dump has no list `instructions`")
          .why("each of its entries is a command")
          .help("give the JSON that the vendor's scheduler wrote");
    trace_.facts.push_back({"imported from", printable(file_) + ": " + std::to_string(instructions->size()) + " instructions", ""});
    if (const Json* const tensors = member(dump, "tensors"); tensors != nullptr && tensors->is_array()) tensors_ = tensors;
    add_tensors();
    add_commands(*instructions);
    if (trace_.commands.empty())
      return nothing_to_import(file_,
                               instructions->empty() ? "its list of instructions is empty" : "no instruction has a possible lifetime");
    for (trace::Tensor& t : trace_.tensors) t.gone = std::max(t.born, std::min(t.gone, trace_.makespan));
    if (const Json* const memory = member(dump, "total_memory"))
      if (auto const bytes = count_of(*memory, most_address)) trace_.capacities = {{"DM", Bytes{*bytes}, 1}};
    keep_unknown(dump, {"instructions", "tensors"}, trace_.facts);
    return std::move(trace_);
  }

 private:
  void add_tensors() {
    if (tensors_ == nullptr) return;
    for (const Json& from : *tensors_) {
      trace::Tensor t;
      if (!from.is_object()) {
        t.name = words_of(from);
        trace_.tensors.push_back(std::move(t));
        continue;
      }
      t.name = text_in(from, "name");
      t.memory = memory_of_buffer(text_in(from, "buffer_type"));
      t.mapping = text_in(from, "shape");
      const Json *const address = member(from, "address"), *const size = member(from, "size");
      auto const at = address == nullptr ? std::nullopt : count_of(*address, most_address);
      auto const bytes = size == nullptr ? std::nullopt : count_of(*size, most_address);
      t.begin = at.value_or(0);
      t.end = t.begin + bytes.value_or(0);
      if (auto const life = lifetime_of(from)) {
        t.born = Cycles{life->begin};
        t.gone = Cycles{life->end};
      }
      std::set<std::string> known{"name", "buffer_type", "shape"};
      if (at) known.insert("address");
      if (bytes) known.insert("size");
      keep_unknown(from, known, t.details);
      trace_.tensors.push_back(std::move(t));
    }
  }

  void add_commands(const Json& instructions) {
    struct Timed {
      Lifetime life;
      const Json* from;
    };
    std::vector<Timed> timed;
    std::vector<std::string> without;
    for (const Json& each : instructions) {
      if (auto const life = lifetime_of(each)) timed.push_back({*life, &each});
      else without.push_back(each.is_object() ? text_in(each, "index") : words_of(each));
    }
    // Ties go to the one that stands first in the file.
    std::sort(timed.begin(), timed.end(),
              [](const Timed& a, const Timed& b) { return std::tie(a.life.begin, a.from) < std::tie(b.life.begin, b.from); });
    for (const Timed& each : timed) add_command(*each.from, each.life);
    if (without.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < without.size() && i < 5; ++i) names += (i > 0 ? ", " : "") + printable(without[i], 30);
    trace_.facts.push_back(
        {"left out",
         std::to_string(without.size()) + " instructions without a possible lifetime: " + names + (without.size() > 5 ? ", ..." : ""), ""});
  }

  void add_command(const Json& from, Lifetime life) {
    trace::Command c;
    std::string const type = text_in(from, "tpe");
    c.name = type.empty() ? "unknown" : type;
    c.index = text_in(from, "index");
    c.start = Cycles{life.begin};
    c.end = Cycles{life.end};
    c.streaming = c.length();
    trace_.makespan = std::max(trace_.makespan, c.end);
    trace::Configuration rest;
    c.resources = resources_in(from, type, rest);
    c.source = source_in(text_in(from, "description"), rest);
    c.reads = ranges_in(from, "input_tensors", rest);
    c.writes = ranges_in(from, "output_tensors", rest);
    keep_unknown(from, {"index", "tpe", "lifetime", "contexts", "description", "input_tensors", "output_tensors"}, rest.settings);
    if (!rest.settings.empty()) {
      c.configuration = static_cast<std::int32_t>(trace_.configurations.size());
      trace_.configurations.push_back(std::move(rest));
    }
    trace_.commands.push_back(std::move(c));
  }

  /// Its own queue first: the type says which.
  std::vector<std::int32_t> resources_in(const Json& from, const std::string& type, trace::Configuration& rest) {
    std::vector<std::string> names;
    const Json* const contexts = member(from, "contexts");
    if (contexts != nullptr && contexts->is_array()) {
      for (const Json& each : *contexts) names.push_back(resource_of_context(words_of(each)));
    } else if (contexts != nullptr) {
      keep_rest(*contexts, "contexts", rest.settings);
    }
    std::string const own = resource_of_type(type);
    if (names.empty()) names.push_back(own);
    if (auto const at = std::find(names.begin(), names.end(), own); at != names.end()) std::rotate(names.begin(), at, at + 1);
    std::vector<std::int32_t> numbers;
    for (const std::string& name : names) {
      std::int32_t const number = resources_.of(name);
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
    }
    return numbers;
  }

  /// `--> file:line:column`, an empty line, and the text of the call; another description is kept as it is.
  std::int32_t source_in(const std::string& description, trace::Configuration& rest) {
    if (description.empty()) return trace::none;
    constexpr std::string_view arrow = "--> ";
    std::string_view text = description;
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    if (first != text.npos) text.remove_prefix(first);
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view place = text.substr(0, end);
    trace::Source s;
    bool const placed = place.starts_with(arrow) && take_number(place, s.column) && take_number(place, s.line);
    if (!placed) {
      rest.settings.push_back({"description", description, ""});
      return trace::none;
    }
    s.file = place.substr(arrow.size());
    s.text = joined_lines(text.substr(end));
    auto const key = std::make_tuple(s.file, s.line, s.column);
    auto const [at, fresh] = sources_.try_emplace(key, static_cast<std::int32_t>(trace_.sources.size()));
    if (fresh) trace_.sources.push_back(std::move(s));
    return at->second;
  }

  std::vector<trace::Range> ranges_in(const Json& from, const char* key, trace::Configuration& rest) {
    std::vector<trace::Range> all;
    const Json* const list = member(from, key);
    if (list == nullptr) return all;
    auto const command = static_cast<std::int32_t>(trace_.commands.size());
    bool whole = list->is_array();
    if (whole)
      for (const Json& each : *list) {
        auto const number = count_of(each, std::ssize(trace_.tensors) - 1);
        if (!number) {
          whole = false;
          continue;
        }
        trace::Tensor& t = trace_.tensors[static_cast<std::size_t>(*number)];
        if (t.first == trace::none) t.first = command;
        t.last = command;
        all.push_back({t.memory, t.begin, t.end, trace::none, static_cast<std::int32_t>(*number)});
      }
    if (!whole) keep_rest(*list, key, rest.settings);
    return all;
  }

  std::string_view file_;
  trace::Trace trace_;
  ResourceNumbers resources_;
  const Json* tensors_ = nullptr;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::int32_t> sources_;
};

Refusal broken_json(std::string_view text, std::string_view file, std::size_t byte, std::string_view what) {
  auto const line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size())), '\n');
  // The library's own words, without its name for the mistake and its place.
  if (std::size_t const bracket = what.find("] "); bracket != what.npos) what.remove_prefix(bracket + 2);
  if (std::size_t const colon = what.find(": "); what.starts_with("parse error at") && colon != what.npos) what.remove_prefix(colon + 2);
  return refuse("import-json")
      .what(printable(file), ":", line, ": the dump is broken: ", printable(what, 120))
      .why("the dump of a schedule is one JSON object, whole numbers and texts; a number such as NaN is none of JSON")
      .help("look at that line; if the file ends too early, have the scheduler write it again");
}

}  // namespace

Expected<trace::Trace> read_schedule_dump(std::string_view text, std::string_view file, const DumpOptions& options) {
  Json dump;
  try {
    dump = Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& e) {
    return broken_json(text, file, e.byte == 0 ? 0 : e.byte - 1, e.what());
  } catch (const Json::exception& e) {  // a number that no double holds: it is quoted, and not placed
    std::string_view const said = e.what();
    std::size_t const quote = said.find('\''), end = said.rfind('\'');
    std::size_t const at = quote < end && end != said.npos ? text.find(said.substr(quote + 1, end - quote - 1)) : 0;
    return broken_json(text, file, at == text.npos ? 0 : at, said);
  }
  return ScheduleReader(file, options).read(dump);
}

}  // namespace tcp::io
