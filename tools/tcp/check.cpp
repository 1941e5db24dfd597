// `tcp check`: every mistake of a file or a crate at once, for people, editors and CI.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>

#include "command.hpp"
#include "editor.hpp"
#include "kernel_file.hpp"
#include "options.hpp"
#include "program_file.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/rust/crate.hpp"
#include "tcp/support/version.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOptions {
  KernelChoice choice;
  std::string chip = "rngd";
  bool json = false;
};

/// The name itself, without its folders.
std::string file_name_of(const std::string& path) {
  std::error_code failed;
  std::filesystem::path const p = std::filesystem::absolute(path, failed).lexically_normal();  // `.` has a name, too
  return plain((p.has_filename() ? p : p.parent_path()).filename().string());
}

/// What was found in all of it.
struct Findings {
  std::optional<rust::Crate> crate;  // has the names of the files that errors point into
  CrateCheck all;
};

Verdict check_rust(const CheckOptions& o, const Device& device, Findings& found) {
  auto const crate = rust::Crate::open(o.choice.path);
  if (!crate) return crate.refusal();
  auto const scalars = scalars_of(o.choice);
  if (!scalars) return scalars.refusal();
  found.crate = *crate;
  if (o.choice.kernel.empty()) {
    found.all = check_crate(*crate, device, *scalars, nullptr);
    return found.all.errors.empty() ? check_scalars(*scalars, found.all.scalars) : accept();
  }
  auto const kernel = choose_kernel(*crate, o.choice);
  if (!kernel && !kernel.refusal().at.known()) return kernel.refusal();
  found.all = check_crate(*crate, device, *scalars, kernel ? &*kernel : nullptr);
  return found.all.errors.empty() ? check_scalars(*scalars, found.all.scalars) : accept();
}

Verdict check_one(const Expected<ProgramFile>& file, const Device& device, Findings& found) {
  if (!file && !file.refusal().at.known()) return file.refusal();
  ++found.all.kernels;
  Verdict const v = file ? verdict(compile_module(file->module, device)) : Verdict(file.refusal());
  if (v) return accept();
  ++found.all.wrong;
  rust::SourceError e;
  e.refusal = file ? file->about(v.refusal()) : v.refusal();
  if (file) e.kernel = file->module.name;
  found.all.errors.push_back(std::move(e));
  return accept();
}

/// All modules of a text, unless one is asked for.
Verdict check_other(const CheckOptions& o, const Device& device, Findings& found, Terminal& terminal) {
  bool const plain_text = !is_executable(o.choice.path) && o.choice.kernel.empty() && o.choice.words.empty() && o.choice.scalars.empty();
  auto const all = plain_text ? read_programs(o.choice.path, terminal) : std::vector<ProgramFile>{};
  if (!all || all->size() < 2) return check_one(read_kernel(o.choice, device, terminal), device, found);
  for (const ProgramFile& each : *all) {
    auto const empty = each.check_not_empty();
    if (auto v = check_one(empty ? Expected<ProgramFile>(each) : Expected<ProgramFile>(empty.refusal()), device, found); !v) return v;
  }
  return accept();
}

std::string place_of(const Where& at) {
  std::string out = at.file;
  if (at.known()) out += ":" + std::to_string(at.line);
  if (at.column != 0) out += ":" + std::to_string(at.column);
  return out;
}

/// The line, and signs below the piece of it that is wrong.
void show_line(const rust::SourceError& e, std::ostream& out) {
  if (e.line_text.empty() || e.refusal.at.column == 0) return;
  std::string const number = std::to_string(e.refusal.at.line);
  out << ' ' << number << " | " << e.line_text << '\n' << std::string(number.size() + 1, ' ') << " | ";
  unsigned column = 1;
  for (char c : e.line_text) {
    if (is_inside_character(c)) continue;
    if (column++ >= e.refusal.at.column) break;
    out << (c == '\t' ? '\t' : ' ');
  }
  unsigned characters = 0;
  for (char c : e.line_text) characters += !is_inside_character(c);
  unsigned const end = e.end_line == e.refusal.at.line ? e.end_column : characters + 1;
  out << '^' << std::string(end > e.refusal.at.column + 1 ? end - e.refusal.at.column - 1 : 0, '~') << '\n';
}

/// Whether two errors say the same about the same thing: one mistake, in a type for example, may show wherever the type
/// is used.
bool is_same(const rust::SourceError& a, const rust::SourceError& b) {
  return std::string_view(a.refusal.code) == b.refusal.code && a.refusal.headline.view() == b.refusal.headline.view();
}
/// Errors with equal words as one, in the order of the first of each.
std::vector<std::vector<const rust::SourceError*>> by_words(const std::vector<rust::SourceError>& errors) {
  std::vector<std::vector<const rust::SourceError*>> groups;
  for (const rust::SourceError& e : errors) {
    auto const same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return is_same(*group.front(), e); });
    if (same == groups.end() || !e.refusal.at.known()) groups.push_back({&e});
    else same->push_back(&e);
  }
  return groups;
}

void show_error(const rust::SourceError& e, const Terminal& terminal) {
  std::ostream& out = terminal.out;
  std::string_view const red = terminal.colour_out ? "\033[1;31m" : "", plain_again = terminal.colour_out ? "\033[0m" : "";
  if (e.refusal.at.known()) out << place_of(e.refusal.at) << ": ";
  out << red << "error[" << e.refusal.code << "]:" << plain_again << ' ' << e.refusal.headline.view() << '\n';
  show_line(e, out);
  if (!e.refusal.note.empty()) out << "  note: " << e.refusal.note.view() << '\n';
  if (!e.refusal.advice.empty()) out << "  help: " << e.refusal.advice.view() << '\n';
  if (!e.called_from.empty())
    out << "  called from " << place_of(e.called_from.front()) << (e.kernel.empty() ? "" : ", in the kernel " + e.kernel) << '\n';
}

Json region_of(const rust::SourceError& e) {
  Json region{{"startLine", e.refusal.at.line}};
  if (e.refusal.at.column != 0) region["startColumn"] = e.refusal.at.column;
  if (e.end_line != 0) region["endLine"] = e.end_line, region["endColumn"] = e.end_column;
  return region;
}
/// A path as a URI: what may not stand in one is written with its code.
std::string uri_of(std::string_view path) {
  constexpr std::string_view plain_signs = "-._~/:!$&'()*+,;=@", digits = "0123456789ABCDEF";
  std::string out;
  for (char c : path) {
    auto const byte = static_cast<unsigned char>(c);
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain_signs.find(c) != plain_signs.npos) out += c;
    else out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}
Json location_of(const char* file, Json region) {
  return {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(file)}}}, {"region", std::move(region)}}}};
}

/// SARIF 2.1.0, which editors and CI services show.
Json sarif(const CrateCheck& found, const std::vector<rust::SourceNote>& notes) {
  Json results = Json::array(), rules = Json::array();
  std::set<std::string> known;
  for (const rust::SourceError& e : found.errors) {
    const Refusal& r = e.refusal;
    if (known.insert(r.code).second) rules.push_back({{"id", r.code}});
    std::string words(r.headline.view());
    if (!r.note.empty()) words += "\nnote: " + std::string(r.note.view());
    if (!r.advice.empty()) words += "\nhelp: " + std::string(r.advice.view());
    Json result{{"ruleId", r.code}, {"level", "error"}, {"message", {{"text", words}}}};
    if (r.at.known()) result["locations"] = Json::array({location_of(r.at.file, region_of(e))});
    for (const Where& call : e.called_from) {
      Json related = location_of(call.file, {{"startLine", call.line}, {"startColumn", call.column}});
      related["message"] = {{"text", "called from here"}};
      result["relatedLocations"].push_back(std::move(related));
    }
    if (!e.kernel.empty()) result["properties"] = {{"kernel", e.kernel}};
    results.push_back(std::move(result));
  }
  for (const rust::SourceNote& n : notes) {
    Json region{{"startLine", n.at.line}, {"startColumn", n.at.column}, {"endLine", n.end_line}, {"endColumn", n.end_column}};
    results.push_back(
        {{"level", "note"}, {"message", {{"text", n.text}}}, {"locations", Json::array({location_of(n.at.file, std::move(region))})}});
  }
  Json driver{{"name", "tcp"}, {"version", library_version()}, {"rules", rules}};
  return {{"version", "2.1.0"},
          {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}}})}};
}

std::string counted(const CrateCheck& all) {
  std::string const kernels = std::to_string(all.kernels) + (all.kernels == 1 ? " kernel" : " kernels");
  if (all.kernels == 0) return "no kernel was read";
  if (all.wrong == 0) return kernels + (all.kernels == 1 ? " is right" : " are right");
  return std::to_string(all.wrong) + " of " + kernels + (all.wrong == 1 ? " is wrong" : " are wrong");
}

Expected<Findings> findings_of(const CheckOptions& o, Terminal& terminal) {
  auto const device = chosen_device(o.chip, o.choice.scalars);
  if (!device) return device.refusal();
  Findings found;
  Verdict const v = is_rust(o.choice.path) ? check_rust(o, *device, found) : check_other(o, *device, found, terminal);
  if (!v) return v.refusal();
  return found;
}

/// The errors, as far as they depend on numbers of the chip.
std::string answer_of(const CrateCheck& all) {
  std::string out = std::to_string(all.kernels);
  for (const rust::SourceError& e : all.errors)
    out += "\n" + place_of(e.refusal.at) + std::string(e.refusal.code) + std::string(e.refusal.headline.view());
  return out;
}

/// A note for each chip number of `--set` without which the answer is the same.
void note_numbers_without_effect(const CheckOptions& o, const CrateCheck& all, Terminal& terminal) {
  for (const std::string& setting : chip_settings(o.choice.scalars)) {
    CheckOptions without = o;
    std::erase(without.choice.scalars, setting);
    std::ostringstream unread;
    Terminal silent{unread, unread, false, false, terminal.share};
    auto const other = findings_of(without, silent);
    if (other && answer_of(other->all) == answer_of(all))
      terminal.err << "note: " << plain(setting)
                   << " has no effect here: the same answer with it and without it; tcp plan says what it does to cycles\n";
  }
}

Verdict check(const CheckOptions& o, Terminal& terminal) {
  if (o.choice.list) return list_kernels(o.choice, terminal);
  auto const made = findings_of(o, terminal);
  if (!made) return made.refusal();
  const Findings& found = *made;
  note_numbers_without_effect(o, found.all, terminal);
  const CrateCheck& all = found.all;
  if (o.json) {
    terminal.out << json_text(sarif(all, found.crate ? found.crate->notes() : std::vector<rust::SourceNote>{}));
    terminal.answered = true;
  } else {
    for (auto const& group : by_words(all.errors)) {
      show_error(*group.front(), terminal);
      constexpr std::size_t shown = 8;
      for (std::size_t i = 1; i < group.size() && i <= shown; ++i)
        terminal.out << (i == 1 ? "  also at " : ", ") << place_of(group[i]->refusal.at);
      if (group.size() > shown + 1) terminal.out << " and " << group.size() - shown - 1 << " more";
      if (group.size() > 1) terminal.out << '\n';
    }
    for (const std::string& n : all.notes) terminal.out << "note: " << n << "; --set gives one\n";
    for (const std::string& n : all.generic) terminal.out << "note: " << n << '\n';
    if (found.crate)
      for (const rust::SourceNote& n : found.crate->notes()) terminal.out << place_of(n.at) << ": note: " << n.text << '\n';
    if (all.errors.empty()) terminal.out << all.kernels << (all.kernels == 1 ? " kernel" : " kernels") << " checked\n";
    if (found.crate && found.crate->kernels().empty() && all.errors.empty())
      terminal.out << "note: no function is marked #[device(chip = 1)], which makes it a kernel\n";
  }
  if (all.errors.empty()) return accept();
  std::size_t const errors = by_words(all.errors).size();
  return refuse("tool-check-failed")
      .what(errors, errors == 1 ? " error" : " errors", " in ", file_name_of(o.choice.path), "; ", counted(all));
}

}  // namespace

Action declare_check(CLI::App& command) {
  auto const options = std::make_shared<CheckOptions>();
  CheckOptions& o = *options;
  command
      .add_option("FILE", o.choice.path,
                  "kernels in Rust: a .rs file, a crate's folder, its Cargo.toml;\na program in text form, *.tcp; an executable that "
                  "launches a kernel")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_kernel_options(command, o.choice);
  command.add_option("--chip", o.chip, "the chip whose rules hold: rngd (the default), rngd_s, logical, or a chip file")->type_name("CHIP");
  command.add_flag("--json", o.json, "answer in SARIF, for editors and CI");
  command.footer(
      "Each kernel is read, verified, placed and compiled; no values are needed, and nothing is run.\n"
      "Examples:\n"
      "  tcp check kernels.rs\n"
      "  tcp check my_crate --json\n"
      "  tcp check my_crate/Cargo.toml --list\n"
      "  tcp check gemm.tcp\n"
      "Exit codes: 0 no error, 1 errors, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return check(*options, terminal); };
}

}  // namespace tcp::tool
