// Writes and reads the JSON twin, through the same tables as the binary form.
//
// A refusal names the field by its way from the root: commands[3].what.Exec.fetch.read.loops[0].size.
#include "tcp/program/encode.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "program/shapes.hpp"
#include "program/slice_set.hpp"

namespace tcp::program {

namespace {

using Json = nlohmann::json;

constexpr const char* version_key = "tcp_program";

/// What fits into a line stays in one.
class JsonWriter {
 public:
  static std::string text(const Program& program) {
    std::vector<std::string> parts{entry(version_key, std::to_string(version))};
    add_fields(program, 1, parts);
    return joined(parts, 0, '{', '}') + "\n";
  }

 private:
  static constexpr std::size_t line = 140;

  static std::string text(bool v, std::size_t) { return v ? "true" : "false"; }
  template <WholeNumber T>
  static std::string text(T v, std::size_t) {
    return std::to_string(v);
  }
  template <Enumeration T>
  static std::string text(T v, std::size_t) {
    return quoted(word(v));
  }
  static std::string text(const std::string& v, std::size_t) { return quoted(v); }
  static std::string text(const SliceSet& v, std::size_t) { return quoted(ranges_of(v)); }
  template <class T>
  static std::string text(const std::vector<T>& v, std::size_t depth) {
    std::vector<std::string> parts;
    for (const auto& each : v) parts.push_back(text(static_cast<const T&>(each), depth + 1));
    return joined(parts, depth, '[', ']');
  }
  template <class T>
  requires is_tuple<T> static std::string text(const T& v, std::size_t depth) {
    std::vector<std::string> parts;
    std::apply([&](const auto&... each) { (parts.push_back(text(each, depth + 1)), ...); }, v);
    return joined(parts, depth, '[', ']');
  }
  template <class T>
  static std::string text(const std::optional<T>& v, std::size_t depth) {
    return v ? text(*v, depth) : "null";
  }
  template <class... T>
  static std::string text(const std::variant<T...>& v, std::size_t depth) {
    return std::visit(
        [depth](const auto& each) {
          return joined({entry(table_of<std::remove_cvref_t<decltype(each)>>.name, text(each, depth + 1))}, depth, '{', '}');
        },
        v);
  }
  template <Record T>
  static std::string text(const T& v, std::size_t depth) {
    std::vector<std::string> parts;
    add_fields(v, depth + 1, parts);
    return joined(parts, depth, '{', '}');
  }
  template <Record T>
  static void add_fields(const T& v, std::size_t depth, std::vector<std::string>& parts) {
    each_field(v, [&](const char* name, const auto& field) { parts.push_back(entry(name, text(field, depth))); });
  }

  static std::string quoted(const std::string& v) { return Json(v).dump(-1, ' ', true, Json::error_handler_t::replace); }
  static std::string entry(const char* name, const std::string& value) { return quoted(name) + ": " + value; }
  static std::string joined(const std::vector<std::string>& parts, std::size_t depth, char open, char close) {
    std::size_t length = 2 * depth + 2;
    for (const std::string& p : parts) length += p.size() + 2;
    bool const broken =
        length > line || std::any_of(parts.begin(), parts.end(), [](const std::string& p) { return p.find('\n') != p.npos; });
    std::string const indent = broken ? "\n" + std::string(2 * depth, ' ') : "";
    std::string out(1, open);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) out += broken ? "," : ", ";
      if (broken) out += indent + "  ";
      out += parts[i];
    }
    return out + indent + close;
  }
};

const char* kind_of(const Json& j) {
  if (j.is_number_float()) return "a number that is not whole, or too large";
  if (j.is_number()) return "a number";
  if (j.is_string()) return "a text";
  if (j.is_boolean()) return "true or false";
  if (j.is_array()) return "a list";
  return j.is_object() ? "an object" : "null";
}

/// Words of a stranger, for a message.
std::string shown(std::string_view words) {
  std::string out;
  for (char c : words.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return words.size() > 40 ? out + "..." : out;
}

/// Takes a tree apart. After the first value that is wrong it reads nothing more.
class JsonReader {
 public:
  bool ok() const { return !refused_; }
  const Refusal& refusal() const { return refusal_; }

  void take(const Json& j, Program& program) {
    if (!expect(j.is_object(), j, "an object")) return;
    auto const found = j.find(version_key);
    if (found == j.end()) return missing(version_key);
    if (!found->is_number_integer() || *found != version)
      return stop(refuse("program-version")
                      .what(version_key, " is ", found->is_number_integer() ? found->dump() : kind_of(*found),
                            "; this is a reader of version ", version)
                      .why("records change from version to version, and a guess would run another program")
                      .help("compile it again with this version of tcp"));
    take_fields(j, program, 1);
  }

 private:
  void take(const Json& j, bool& v) {
    if (expect(j.is_boolean(), j, "true or false")) v = j.get<bool>();
  }
  template <WholeNumber T>
  void take(const Json& j, T& v) {
    if (!expect(j.is_number_integer(), j, "a whole number")) return;
    bool fits = true;
    if (j.is_number_unsigned()) {
      fits = j.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    } else {
      auto const wide = j.get<std::int64_t>();
      fits = wide >= 0 || (std::is_signed_v<T> && wide >= static_cast<std::int64_t>(std::numeric_limits<T>::min()));
    }
    if (!fits)
      return wrong(tcp::text("is ", j.dump(), ", which does not fit into ", sizeof(T) * 8, std::is_signed_v<T> ? " signed" : "", " bits"));
    v = j.get<T>();
  }
  template <Enumeration T>
  void take(const Json& j, T& v) {
    if (!expect(j.is_string(), j, "a word")) return;
    const auto& given = j.get_ref<const std::string&>();
    for (std::size_t i = 0; i < word_count<T>; ++i)
      if (given == words_of<T>[i]) {
        v = static_cast<T>(i);
        return;
      }
    wrong(tcp::text("is '", shown(given), "', which is not a word of this field"));
  }
  void take(const Json& j, std::string& v) {
    if (!expect(j.is_string(), j, "a text")) return;
    v = j.get<std::string>();
    if (!printable(v)) wrong(tcp::text("is a text with characters that are not printable ASCII"));
  }
  void take(const Json& j, SliceSet& v) {
    if (!expect(j.is_string(), j, "a text")) return;
    const auto& given = j.get_ref<const std::string&>();
    if (!read_ranges(given, v)) wrong(tcp::text("is '", shown(given), "', which is not a set of slices such as '0-15,32'"));
  }
  template <class T>
  void take(const Json& j, std::vector<T>& v) {
    if (!expect(j.is_array(), j, "a list")) return;
    v.reserve(j.size());
    for (std::size_t i = 0; i < j.size() && ok(); ++i) {
      Inside const item(*this, "[" + std::to_string(i) + "]");
      T each{};
      take(j[i], each);
      v.push_back(std::move(each));
    }
  }
  template <class T>
  requires is_tuple<T> void take(const Json& j, T& v) {
    if (!expect(j.is_array(), j, "a list")) return;
    if (j.size() != std::tuple_size_v<T>) return wrong(tcp::text("has ", j.size(), " items, but must have ", std::tuple_size_v<T>));
    std::apply(
        [&](auto&... each) {
          std::size_t i = 0;
          (this->take_item(j, i++, each), ...);
        },
        v);
  }
  template <class T>
  void take_item(const Json& j, std::size_t i, T& v) {
    Inside const item(*this, "[" + std::to_string(i) + "]");
    if (ok()) take(j[i], v);
  }
  template <class T>
  void take(const Json& j, std::optional<T>& v) {
    v.reset();
    if (!j.is_null()) take(j, v.emplace());
  }
  template <class... T>
  void take(const Json& j, std::variant<T...>& v) {
    if (!expect(j.is_object() && j.size() == 1, j, "an object with one key, the kind of record")) return;
    const char* const names[] = {table_of<T>.name...};
    std::size_t number = 0;
    while (number < sizeof...(T) && j.begin().key() != names[number]) ++number;
    if (number == sizeof...(T)) return unknown(j.begin().key());
    Inside const kind(*this, std::string(".") + names[number]);
    choose(v, number, [&](auto& each) { this->take(j.begin().value(), each); });
  }
  template <Record T>
  void take(const Json& j, T& v) {
    if (expect(j.is_object(), j, "an object")) take_fields(j, v, 0);
  }
  /// `others`: keys that are no fields and have been read.
  template <Record T>
  void take_fields(const Json& j, T& v, std::size_t others) {
    std::size_t known = others;
    each_field(v, [&](const char* name, auto& field) {
      if (!this->ok()) return;
      auto const found = j.find(name);
      if (found == j.end()) return this->missing(name);
      ++known;
      Inside const inside(*this, std::string(".") + name);
      this->take(*found, field);
    });
    if (!ok() || known == j.size()) return;
    for (auto const& [key, value] : j.items()) {
      bool is_field = others > 0 && key == version_key;
      each_field(v, [&](const char* name, auto&) { is_field |= key == name; });
      if (!is_field) return unknown(key);
    }
  }

  /// The way from the root, while a value is read.
  class Inside {
   public:
    Inside(JsonReader& reader, const std::string& step) : reader_(reader), before_(reader.way_.size()) { reader.way_ += step; }
    ~Inside() { reader_.way_.resize(before_); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    JsonReader& reader_;
    std::size_t before_;
  };
  std::string way() const { return way_.empty() ? "the program" : way_.substr(1, 160); }

  bool expect(bool holds, const Json& j, const char* wanted) {
    if (!holds) wrong(tcp::text("is ", kind_of(j), ", but must be ", wanted));
    return holds;
  }
  void wrong(const Text& what) {
    stop(refuse("program-json-value")
             .what(way(), " ", what)
             .why("docs/program.md says which values each field takes")
             .help("write one of those, or write the file again: tcp compile --emit json"));
  }
  void missing(const char* name) {
    stop(refuse("program-json-key")
             .what(way(), " has no key ", name)
             .why("every field is written, also where it has its default: an old file is not taken for a new one")
             .help("add it, or write the file again: tcp compile --emit json"));
  }
  void unknown(const std::string& key) {
    stop(refuse("program-json-key")
             .what(way(), " has the key '", shown(key), "', which is none of its fields")
             .why("a key that is never read would look as if it had an effect")
             .help("remove it, or write it as docs/program.md does"));
  }
  void stop(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }

  std::string way_;
  bool refused_ = false;
  Refusal refusal_;
};

/// What the JSON library lets pass and we do not: a key that stands twice, and nesting that no program has.
class Strictness {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest)
      throw refuse("program-json-syntax")
          .what("the text is nested deeper than ", deepest, " levels")
          .why("no program is, and a reader must stop somewhere")
          .help("write the file again: tcp compile --emit json");
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw refuse("program-json-key")
          .what("the key '", shown(parsed.get_ref<const std::string&>()), "' occurs twice in one object")
          .why("a reader of the file could not tell which of the two holds")
          .help("delete one of the two");
    return true;
  }

 private:
  static constexpr int deepest = 32;

  std::vector<std::set<std::string>> keys_;
};

Refusal not_json(std::string_view text, std::size_t byte) {
  std::string_view const before = text.substr(0, byte == 0 ? 0 : byte - 1);
  return refuse("program-json-syntax")
      .what("line ", 1 + std::count(before.begin(), before.end(), '\n'), ", byte ", byte, ": this is not JSON",
            byte > text.size() ? ": the text ends too early" : "")
      .why("JSON has no comments, no comma after the last entry, and its texts are UTF-8")
      .help("look there for a comma, quote, colon or bracket that is missing or too many");
}

Expected<Json> parse(std::string_view text) {
  try {
    return Json::parse(text, Strictness());
  } catch (const Refusal& r) {
    return r;
  } catch (const Json::parse_error& e) {
    return not_json(text, e.byte);
  } catch (const Json::out_of_range&) {  // a number beyond every double
    return not_json(text, 0);
  }
}

}  // namespace

std::string to_json(const Program& program) { return JsonWriter::text(program); }

Expected<Program> from_json(std::string_view text) {
  auto const tree = parse(text);
  if (!tree) return tree.refusal();
  JsonReader reader;
  Program program;
  reader.take(*tree, program);
  if (!reader.ok()) return reader.refusal();
  return program;
}

}  // namespace tcp::program
