// Reads a chip file: its text becomes a tree (json_tree.hpp), and each row of the table takes its value from there.
#include "tcp/device/load.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "device/json_tree.hpp"
#include "tcp/device/check.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/fields.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp {

namespace {

using namespace device_file;

constexpr std::size_t largest_file = std::size_t{1} << 20;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::object: return "an object";
    case Kind::list: return "a list";
    case Kind::whole: return "a whole number";
    case Kind::fraction: return "a number that is not whole, or too large";
    case Kind::flag: return "true or false";
    case Kind::text: return "a text";
    case Kind::null: return "null";
  }
  return "";
}

/// The words as they stand in the chip file of RNGD, for advice.
std::string value_text(bool v) { return v ? "true" : "false"; }
std::string value_text(std::int64_t v) { return std::to_string(v); }
template <class Unit>
std::string value_text(Count<Unit> v) {
  return std::to_string(v.value);
}
template <class T>
std::string value_text(const OneOf<T>& v) {
  std::string out = "[";
  for (const T& each : v) out += (out.size() > 1 ? ", " : "") + value_text(each);
  return out + "]";
}

/// The units that a value of this type may have; none for a plain count.
using Units = std::vector<std::pair<std::string_view, std::int64_t>>;
Units units_of(const bool*) { return {}; }
Units units_of(const std::int64_t*) { return {}; }
Units units_of(const Bytes*) { return {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}; }
Units units_of(const Cycles*) { return {{"cycles", 1}}; }
Units units_of(const HbmCycles*) { return {{"HBM command cycles", 1}}; }
template <class T>
Units units_of(const OneOf<T>*) {
  return units_of(static_cast<const T*>(nullptr));
}

struct KnownField {
  std::string group, key;
  bool has_unit;
};

struct KnownFields : FieldCursor {
  std::vector<KnownField> all;

  template <class T>
  void field(const DeviceField& row, const T&, const std::type_identity_t<T>&) {
    all.push_back({group_name, row.key, !units_of(static_cast<const T*>(nullptr)).empty()});
  }
};

/// What the steps of reading share: the file's name, its tree, and the first refusal.
struct Reading {
  std::string_view file;
  Node root;
  bool refused = false;
  Refusal refusal;

  std::string place(unsigned line) const { return shown_place(file, line); }
  bool stop(const Refusal& r) {
    if (!refused) refusal = r;
    refused = true;
    return false;
  }

  bool wrong_type(const Node& n, const std::string& path, std::string_view wanted, std::string_view help) {
    return stop(
        refuse("device-file-wrong-type")
            .what(place(n.line), path, " is ", name_of(n.kind), ", but must be ", wanted)
            .why("each entry of a chip file has the form {\"value\": ..., \"unit\": ..., \"source\": ...}; counts and flags have no unit")
            .help(help));
  }

  bool unknown_key(const Node& n, const std::string& path, const std::vector<std::string>& known) {
    std::string_view closest;
    std::size_t best = n.key.size();
    std::string const written = n.key.substr(0, 64);
    for (const std::string& k : known) {
      std::size_t const d = edit_distance(written, k);
      if (d < best && d <= std::max<std::size_t>(1, k.size() / 3)) {  // further apart is another word
        best = d;
        closest = k;
      }
    }
    Refusal r = refuse("device-file-unknown-key").what(place(n.line), "unknown key ", path, shown(n.key, 60));
    r.why("a key that is never read would look as if it had an effect");
    if (closest.empty()) r.help("remove it; data/chips/rngd.json has every key");
    else r.help("write ", closest);
    return stop(r);
  }

  /// Walks the file as it stands, so that the first unknown key of the text is the one reported.
  bool check_keys(const std::vector<KnownField>& known) {
    if (root.kind != Kind::object) return wrong_type(root, "the file", "an object", "start from a copy of data/chips/rngd.json");
    std::vector<std::string> groups{"chip"};
    for (const KnownField& k : known)
      if (groups.back() != k.group) groups.push_back(k.group);
    for (const Node& group : root.children) {
      if (std::find(groups.begin(), groups.end(), group.key) == groups.end()) return unknown_key(group, "", groups);
      if (group.key != "chip" && !check_group(group, known)) return false;
    }
    return true;
  }

  bool check_group(const Node& group, const std::vector<KnownField>& known) {
    if (group.kind != Kind::object) return wrong_type(group, group.key, "an object", "copy the group from data/chips/rngd.json");
    std::vector<std::string> keys;
    for (const KnownField& k : known)
      if (k.group == group.key) keys.push_back(k.key);
    for (const Node& entry : group.children) {
      auto const found =
          std::find_if(known.begin(), known.end(), [&](const KnownField& k) { return k.group == group.key && k.key == entry.key; });
      std::string const path = group.key + ".";
      if (found == known.end()) return unknown_key(entry, path, keys);
      if (entry.kind != Kind::object)
        return wrong_type(entry, path + entry.key, "an object", "write {\"value\": ..., \"source\": \"assumption: ...\"} around it");
      std::vector<std::string> parts{"value", "source", "note"};
      if (found->has_unit) parts.emplace_back("unit");
      for (const Node& part : entry.children)
        if (std::find(parts.begin(), parts.end(), part.key) == parts.end()) return unknown_key(part, path + entry.key + ".", parts);
    }
    return true;
  }

  bool read_name(Device& d) {
    const Node* n = root.find("chip");
    if (n == nullptr)
      return stop(refuse("device-file-missing-key")
                      .what(place(0), "the key chip is missing")
                      .why("it is the name under which reports and messages speak of the device")
                      .help("add \"chip\": \"my_chip\" as the first line"));
    if (n->kind != Kind::text) return wrong_type(*n, "chip", "a text", "write \"chip\": \"my_chip\"");
    d.name = DeviceName(n->text);
    if (n->text == d.name.view()) return true;
    return bad_value(*n, "chip", text("has ", n->text.size(), " characters, or one that is not printable"),
                     "write 1 to 31 letters, digits, _, - or .");
  }

  bool bad_value(const Node& n, const std::string& path, const Text& problem, const Text& fix) {
    return stop(refuse("device-file-bad-value")
                    .what(place(n.line), path, " ", problem)
                    .why("no chip can be built, or no rule can be checked, with such a value")
                    .help(fix));
  }
};

struct ReadField : FieldCursor {
  Reading& reading;
  FieldSet& assumed;

  ReadField(Reading& of_file, FieldSet& where_to_note) : reading(of_file), assumed(where_to_note) {}

  template <class T>
  void field(const DeviceField& row, T& member, const std::type_identity_t<T>& published) {
    next();
    if (!reading.refused) read_entry(row, member, published);
  }

 private:
  template <class T>
  bool read_entry(const DeviceField& row, T& member, const T& published) {
    std::string const path = std::string(group_name) + "." + row.key;
    Units const units = units_of(static_cast<const T*>(nullptr));
    std::string example = std::string("\"") + row.key + "\": {\"value\": " + value_text(published);
    if (!units.empty()) example += ", \"unit\": \"" + std::string(units.front().first) + "\"";
    example += ", \"source\": \"...\"}";

    const Node* group = reading.root.find(group_name);
    if (group == nullptr) return missing(0, path, example);
    const Node* entry = group->find(row.key);
    if (entry == nullptr) return missing(group->line, path, example);
    const Node* value = entry->find("value");
    if (value == nullptr) return missing(entry->line, path + ".value", example);
    std::int64_t scale = 1;
    return read_source(*entry, path, example) && read_unit(*entry, path, example, units, scale) &&
           read(*value, path + ".value", scale, member, published);
  }

  bool missing(unsigned line, const std::string& path, const std::string& example) {
    return reading.stop(refuse("device-file-missing-key")
                            .what(reading.place(line), path, " is missing")
                            .why("every number of a device is in its file; one that is left out would be a guess")
                            .help("add, as RNGD has it, ", example));
  }

  bool read_source(const Node& entry, const std::string& path, const std::string& example) {
    const char* const help = "say where the number is from, or \"assumption: ...\"";
    const Node* source = entry.find("source");
    if (source == nullptr) return missing(entry.line, path + ".source", example);
    if (source->kind != Kind::text) return reading.wrong_type(*source, path + ".source", "a text", help);
    if (source->text.empty()) return reading.bad_value(*source, path + ".source", "is empty", help);
    if (says_assumption(source->text)) assumed.insert(index);
    const Node* note = entry.find("note");
    if (note == nullptr || note->kind == Kind::text) return true;
    return reading.wrong_type(*note, path + ".note", "a text", "write the note in quotes, or remove it");
  }

  bool read_unit(const Node& entry, const std::string& path, const std::string& example, const Units& units, std::int64_t& scale) {
    if (units.empty()) return true;
    const Node* unit = entry.find("unit");
    if (unit == nullptr) return missing(entry.line, path + ".unit", example);
    Text fix = "write";
    for (const auto& [name, factor] : units) fix << (name == units.front().first ? " \"" : " or \"") << name << '"';
    if (unit->kind != Kind::text) return reading.wrong_type(*unit, path + ".unit", "a text", fix);
    for (const auto& [name, factor] : units) {
      if (name != unit->text) continue;
      scale = factor;
      return true;
    }
    return reading.bad_value(*unit, path + ".unit", text("is ", shown(unit->text, 40), ", which is not a unit here"), fix);
  }

  template <class T>
  bool wrong(const Node& value, const std::string& path, std::string_view wanted, const T& published) {
    return reading.wrong_type(value, path, wanted, text("write what RNGD has: ", value_text(published)));
  }

  bool read(const Node& value, const std::string& path, std::int64_t, bool& member, bool published) {
    if (value.kind != Kind::flag) return wrong(value, path, "true or false", published);
    member = value.flag;
    return true;
  }
  bool read(const Node& value, const std::string& path, std::int64_t scale, std::int64_t& member, std::int64_t published) {
    if (value.kind != Kind::whole) return wrong(value, path, "a whole number", published);
    Checked const scaled = Checked(value.whole) * scale;
    if (!scaled.fits)
      return reading.bad_value(value, path, text("is ", value.whole, ", which in bytes is more than 64 bits hold"),
                               text("write what RNGD has: ", published));
    member = scaled.value;
    return true;
  }
  template <class Unit>
  bool read(const Node& value, const std::string& path, std::int64_t scale, Count<Unit>& member, Count<Unit> published) {
    return read(value, path, scale, member.value, published.value);
  }
  template <class T>
  bool read(const Node& value, const std::string& path, std::int64_t scale, OneOf<T>& member, const OneOf<T>& published) {
    if (value.kind != Kind::list) return wrong(value, path, "a list", published);
    if (value.children.size() > static_cast<std::size_t>(OneOf<T>::room))
      return reading.bad_value(value, path, text("lists ", value.children.size(), " values, but must list 1 to ", OneOf<T>::room),
                               text("write what RNGD has: ", value_text(published)));
    for (const Node& item : value.children)
      if (!read(item, "an item of " + path, scale, member.item[member.count++], published.item[0])) return false;
    return true;
  }
};

}  // namespace

Expected<Device> parse_device(std::string_view text, std::string_view file_name) {
  Expected<Node> tree = parse_json(text, file_name);
  if (!tree) return tree.refusal();
  Reading reading{.file = file_name, .root = std::move(tree).value(), .refusal = {}};

  Device d;
  KnownFields known;
  each_field(std::as_const(d), known);
  if (!reading.check_keys(known.all) || !reading.read_name(d)) return reading.refusal;
  ReadField read(reading, d.assumed);
  each_field(d, read);
  if (reading.refused) return reading.refusal;

  if (DeviceFault const fault = find_fault(d)) {
    const Node* n = reading.root.find(fault.key.empty() ? "chip" : fault.group);
    if (!fault.key.empty()) n = n->find(fault.key);
    std::string const path = fault.key.empty() ? "chip" : std::string(fault.group) + "." + std::string(fault.key);
    reading.bad_value(*n, path, fault.problem, fault.fix);
    return reading.refusal;
  }
  return d;
}

Expected<Device> load_device(const std::string& path) {
  namespace fs = std::filesystem;
  auto const unreadable = [&](std::string_view why, std::string_view help) {
    return refuse("device-file-unreadable")
        .what(shown_place(path, 0), "cannot be read: ", why)
        .why("a device is described by a chip file, such as data/chips/rngd.json")
        .help(help);
  };
  std::error_code error;
  fs::file_status const status = fs::status(path, error);
  if (!fs::exists(status)) return unreadable("there is no such file", "give the path of a chip file");
  if (!fs::is_regular_file(status)) return unreadable("it is not a regular file", "give the path of a chip file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable("it cannot be opened", "check who may read it");
  std::string text(largest_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return unreadable("reading failed", "check the file and its disk");
  if (text.size() > largest_file) return unreadable("it is larger than 1 MiB", "give the path of a chip file; they have about 20 KB");
  return parse_device(text, path);
}

Expected<Device> find_device(const std::string& name_or_path) {
  for (const Device* d : {&rngd, &rngd_s, &logical})
    if (name_or_path == d->name.view()) return *d;
  std::error_code failed;
  bool const looks_like_a_file = name_or_path.find('/') != name_or_path.npos || name_or_path.ends_with(".json");
  if (!looks_like_a_file && !std::filesystem::exists(name_or_path, failed)) {
    std::string shown = name_or_path.substr(0, 80);
    for (char& c : shown)
      if (c < ' ' || c > '~') c = '?';
    return refuse("device-unknown")
        .what("there is no device '", shown, "'")
        .why("a name without / and .json is that of a chip which the program knows")
        .help("use rngd, rngd_s or logical, or the path of a chip file");
  }
  return load_device(name_or_path);
}

}  // namespace tcp
