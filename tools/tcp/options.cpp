// Checks of options, the chip that they choose, and likely names.
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::tool {

CLI::Validator at_least(std::int64_t least) {
  return CLI::Validator(
      [least](std::string& given) {
        std::int64_t value = 0;
        auto const [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
        if (!given.empty() && error == std::errc() && end == given.data() + given.size() && value >= least) {
          given = std::to_string(value);  // CLI11 would read a leading 0 as octal
          return std::string();
        }
        return "'" + given.substr(0, 40) + "' is not a whole number from " + std::to_string(least) + " on";
      },
      "");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& given) {
        std::string all;
        for (std::string const& each : words) {
          if (given == each) return std::string();
          all += (all.empty() ? "" : ", ") + each;
        }
        return "'" + given.substr(0, 40) + "' is none of " + all;
      },
      "");
}

CLI::Validator not_empty(const std::string& what) {
  return CLI::Validator([what](std::string& given) { return given.empty() ? what + " is empty" : ""; }, "");
}

CLI::Validator file_name() {
  return CLI::Validator(
      [](std::string& given) -> std::string {
        if (given.empty()) return "the name of the file is empty";
        return given == "-" ? "'-' names no file: what comes out of a pipe is stored first, and /dev/stdout is standard output" : "";
      },
      "");
}

}  // namespace tcp::tool

namespace tcp::tool {
namespace {

constexpr std::size_t longest_name = 200;  // the comparison takes the product of both lengths
constexpr std::size_t most = 4;

struct Candidate {
  std::size_t distance;
  std::string name;
  bool operator<(const Candidate& o) const { return distance != o.distance ? distance < o.distance : name < o.name; }
};

/// Whether two words differ in the order of two neighbours: `nwe`, `new`.
bool swapped(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  std::size_t const at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  return at + 1 < a.size() && a[at] == b[at + 1] && a[at + 1] == b[at] && a.compare(at + 2, a.npos, b, at + 2, b.npos) == 0;
}

}  // namespace

std::vector<std::string> nearest(const std::string& asked, const std::vector<std::string>& names) {
  if (asked.size() > longest_name) return {};
  std::vector<Candidate> candidates;
  for (std::string const& name : names) {
    bool const holds = asked.size() >= 3 && name.find(asked) != name.npos;
    std::size_t const distance = swapped(asked, name) ? 1 : edit_distance(asked, name);
    if (holds || distance <= name.size() / 3) candidates.push_back({holds ? 0 : distance, name});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> out;
  for (Candidate const& c : candidates)
    if (out.size() < most) out.push_back(c.name);
  return out;
}

}  // namespace tcp::tool

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* chip_help = "share/tcp/chips/rngd.json of the package (in the sources data/chips/rngd.json), which has every key";

/// `64`, `64KiB`, `0.5`; and, where the table has a list, `[8, 16]`.
struct SetNumber {
  Json value;
  std::string unit;
};

Expected<SetNumber> set_number(const std::string& text, const std::string& setting) {
  if (text.starts_with('[')) {
    Json list = Json::parse(text, nullptr, false);
    if (!list.is_discarded()) return SetNumber{std::move(list), ""};
  }
  if (text == "true" || text == "false") return SetNumber{text == "true", ""};
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  auto const [after, error] = std::from_chars(text.data(), end, whole);
  std::string const rest(after, end);
  if (error == std::errc() && (rest.empty() || rest == "B" || rest == "KiB" || rest == "MiB" || rest == "GiB"))
    return SetNumber{whole, rest};
  double real = 0;
  if (std::from_chars(text.data(), end, real).ptr == end && !text.empty()) return SetNumber{real, ""};
  return misuse("'" + plain(setting) + "': what follows = is not a number; write --set hbm.clock=1500 or --set dm.slice_capacity=256KiB",
                chip_help);
}

/// The row of a key in the file; null if there is none.
Json* chip_row(Json& file, const std::string& key) {
  std::size_t const dot = key.find('.');
  auto const group = file.find(key.substr(0, dot));
  if (group == file.end() || !group->is_object()) return nullptr;
  Json* at = &*group;
  for (std::size_t begin = dot + 1, next; at != nullptr && begin <= key.size(); begin = next + 1) {  // some groups have groups
    next = std::min(key.find('.', begin), key.size());
    auto const found = at->is_object() ? at->find(key.substr(begin, next - begin)) : at->end();
    at = found == at->end() ? nullptr : &*found;
  }
  return at != nullptr && at->contains("value") ? at : nullptr;
}

void add_chip_keys(const Json& node, const std::string& prefix, std::vector<std::string>& all) {
  for (auto const& [name, child] : node.items()) {
    if (!child.is_object()) continue;
    std::string const key = prefix.empty() ? name : prefix + "." + name;
    if (child.contains("value")) all.push_back(key);
    else add_chip_keys(child, key, all);
  }
}

Refusal no_such_chip_key(const Json& file, const std::string& key) {
  std::vector<std::string> all{"hbm.clock", "core.clock"};
  add_chip_keys(file, "", all);
  std::vector<std::string> const near = nearest(key, all);
  return misuse("a chip has no number '" + plain(key) + "'" + (near.empty() ? "" : "; did you mean " + near.front() + "?"), chip_help);
}

Verdict change_row(Json& file, const std::string& key, const SetNumber& n) {
  Json* const row = chip_row(file, key);
  if (row == nullptr) return no_such_chip_key(file, key);
  (*row)["value"] = n.value;
  if (!n.unit.empty()) (*row)["unit"] = n.unit;
  return accept();
}

/// HBM has two clocks, of its channels and of its commands; one changes in step with the other.
Verdict change_hbm_clock(Json& file, const SetNumber& n, const std::string& setting) {
  Json *const channel = chip_row(file, "clocks.hbm_channel_mhz"), *const command = chip_row(file, "clocks.hbm_command_mhz");
  if (channel == nullptr || command == nullptr) return no_such_chip_key(file, "hbm.clock");
  std::int64_t const before = channel->at("value"), commands = command->at("value");
  if (!n.value.is_number_integer() || before <= 0 || n.value.get<std::int64_t>() * commands % before != 0)
    return misuse("'" + plain(setting) + "': hbm.clock is in MHz, and " + std::to_string(commands) + "/" + std::to_string(before) +
                      " of it, the clock of commands, must be whole",
                  chip_help);
  (*command)["value"] = n.value.get<std::int64_t>() * commands / before;
  (*channel)["value"] = n.value;
  return accept();
}

}  // namespace

bool sets_chip(std::string_view text) { return text.substr(0, text.find('=')).find('.') != text.npos; }

std::vector<std::string> chip_settings(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts)
    if (sets_chip(text)) all.push_back(text);
  return all;
}

Expected<Device> chosen_device(const std::string& chip, const std::vector<std::string>& texts) {
  auto found = find_device(chip);
  std::vector<std::string> const settings = chip_settings(texts);
  if (!found || settings.empty()) return found;
  Json file = Json::parse(to_chip_file(*found));
  for (const std::string& setting : settings) {
    std::size_t const equals = setting.find('=');
    if (equals == setting.npos) return misuse("'" + plain(setting) + "' is not what --set takes: NAME=NUMBER", chip_help);
    std::string const key = setting.substr(0, equals);
    auto const number = set_number(setting.substr(equals + 1), setting);
    if (!number) return number.refusal();
    Verdict const changed = key == "hbm.clock"    ? change_hbm_clock(file, *number, setting)
                            : key == "core.clock" ? change_row(file, "clocks.core_mhz", *number)
                                                  : change_row(file, key, *number);
    if (!changed) return changed.refusal();
  }
  file["chip"] = std::string(found->name.view()).substr(0, DeviceName::room - 4) + "-set";  // reports say that it is another chip
  return parse_device(file.dump(1), plain(chip) + " with --set");
}

}  // namespace tcp::tool
