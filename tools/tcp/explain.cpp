// `tcp explain`: what the pages below docs/diagnostics say about a code and docs/findings/README.md about a rule of a
// report, or which codes an area has.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

/// What the pages say about one code.
struct Entry {
  std::filesystem::path page;
  std::string text;   // from the heading to the next one
  std::string names;  // what the kernels of the page use without saying it
  bool finding = false;
  std::string area() const { return finding ? "findings" : page.stem().string(); }
};
using Entries = std::map<std::string, Entry>;

constexpr std::string_view names_begin = "The kernels of this page use these names:";

std::string read_page(const std::filesystem::path& page) {
  std::ifstream in(page);
  std::ostringstream text;
  text << in.rdbuf();
  std::string s = std::move(text).str();
  // The last line says where the page comes from, which is for those who write pages.
  if (std::size_t const origin = s.rfind("\n<!--"); origin != s.npos) s.resize(origin);
  return s;
}

/// Adds the parts of a page: each begins with a heading `## code`, outside of a block of code.
void add_entries(const std::filesystem::path& page, const std::string& content, Entries& entries, bool findings = false) {
  std::istringstream text(content);
  std::string opening, code;
  bool in_block = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) in_block = !in_block;
    if (!in_block && line.starts_with("## ")) {
      code = line.substr(3);
      std::size_t const names = opening.find(names_begin);
      entries[code] = {page, "", names == opening.npos ? "" : opening.substr(names), findings};
      line.erase(0, 1);  // by itself it is a page
    }
    (code.empty() ? opening : entries[code].text) += line + "\n";
  }
}

template <class Visit>
void each_page(const std::filesystem::path& folder, Visit&& visit) {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".md" && at->path().stem() != "README") visit(at->path());
}

/// The entries of all pages, or of the one that has a code, which is quicker.
Entries all_entries(const std::filesystem::path& share, const std::string& only = "") {
  Entries entries;
  each_page(share / "diagnostics", [&](const std::filesystem::path& page) {
    std::string const text = read_page(page);
    if (only.empty() || text.find("\n## " + only + "\n") != text.npos) add_entries(page, text, entries);
  });
  std::filesystem::path const findings = share / "findings" / "README.md";
  if (std::string const text = read_page(findings); only.empty() || text.find("\n## " + only + "\n") != text.npos)
    add_entries(findings, text, entries, true);
  for (auto& [code, entry] : entries) {
    while (entry.text.ends_with("\n\n")) entry.text.pop_back();
    while (entry.names.ends_with("\n\n")) entry.names.pop_back();
  }
  return entries;
}

/// The sentence of the example, without its advice; of a finding what it means.
std::string headline_of(const Entry& entry) {
  if (entry.finding) {
    std::size_t const prose = std::min(entry.text.find("\n\n"), entry.text.size() - 2) + 2;
    return entry.text.substr(prose, entry.text.find('\n', prose) - prose);
  }
  std::size_t const begin = entry.text.find("]: ", entry.text.find("error["));
  if (begin == entry.text.npos) return "";
  std::string s = entry.text.substr(begin + 3, entry.text.find('\n', begin) - begin - 3);
  return s.substr(0, s.find("; help: "));
}

/// Codes by area, each with the begin of its sentence.
Verdict list_codes(Terminal& terminal, const Entries& entries) {
  std::size_t longest = 0;
  std::map<std::string, std::vector<const Entries::value_type*>> areas;
  for (auto const& code_and_entry : entries) {
    longest = std::max(longest, code_and_entry.first.size());
    areas[code_and_entry.second.area()].push_back(&code_and_entry);
  }
  for (auto const& [area, codes] : areas) {
    terminal.out << (area == areas.begin()->first ? "" : "\n") << area << "\n";
    for (const Entries::value_type* each : codes) {
      constexpr std::size_t most = 90;
      std::string headline = headline_of(each->second);
      if (headline.size() > most) headline = headline.substr(0, most - 3) + "...";
      terminal.out << "  " << each->first << std::string(longest - each->first.size() + 2, ' ') << headline << "\n";
    }
  }
  terminal.out << "\n" << entries.size() << " codes; `tcp explain CODE` prints what the manual says about one\n";
  return accept();
}

/// One code and its sentence a line.
Verdict list_as_json(Terminal& terminal, const Entries& entries) {
  auto list = nlohmann::ordered_json::array();
  for (auto const& [code, entry] : entries) list.push_back({{"code", code}, {"what", headline_of(entry)}, {"page", entry.page.string()}});
  terminal.out << json_text({{"codes", list}});
  return accept();
}

Entries of_area(const Entries& entries, const std::string& area) {
  Entries found;
  for (auto const& [code, entry] : entries)
    if (entry.area() == area) found.emplace(code, entry);
  return found;
}

Verdict explain(Terminal& terminal, std::string asked, bool json) {
  bool const all = asked.empty();
  // As it is copied from a message: error[code].
  if (std::size_t const bracket = asked.find('['); bracket != asked.npos) {
    asked.erase(0, bracket + 1);
    asked.resize(std::min(asked.size(), asked.find(']')));
  }
  std::size_t const first = asked.find_first_not_of(' '), last = asked.find_last_not_of(" :");
  asked = first == asked.npos ? "" : asked.substr(first, last - first + 1);
  Entries entries = all_entries(terminal.share, asked);
  if (entries.empty()) entries = all_entries(terminal.share);
  if (entries.empty()) {
    return refuse("tool-pages-missing")
        .what("there are no diagnostics pages in ", terminal.share.string().substr(0, 160), "/diagnostics")
        .why("they are installed with the program, and found by their place relative to it")
        .help("install tcp as a whole, or run the program from its build directory");
  }
  if (all) return json ? list_as_json(terminal, entries) : list_codes(terminal, entries);
  if (auto const found = entries.find(asked); found != entries.end()) {
    if (json) return list_as_json(terminal, {*found});
    terminal.out << found->second.text;
    if (!found->second.names.empty() && found->second.text.find("\nBefore:\n\n```cpp\n") != std::string::npos)
      terminal.out << "\n" << found->second.names;
    return accept();
  }
  if (Entries const area = of_area(entries, asked); !area.empty()) return json ? list_as_json(terminal, area) : list_codes(terminal, area);
  std::string plain;
  for (char c : asked.substr(0, 60)) plain += c >= ' ' && c < 0x7f ? c : '?';
  Refusal r = refuse("tool-unknown-code");
  r.what("there is no diagnostic with the code '", plain, "'")
      .why("codes are the words in brackets of a message, error[code], and the names of a report's findings");
  std::vector<std::string> codes;
  for (auto const& [code, entry] : entries) codes.push_back(code);
  auto const near = nearest(asked, codes);
  if (near.empty()) return r.help("`tcp explain` lists all codes");
  r.help("perhaps ");
  for (std::size_t i = 0; i < near.size(); ++i) r.help(i > 0 ? ", " : "", near[i]);
  return r;
}

}  // namespace

Action declare_explain(CLI::App& command) {
  auto const code = std::make_shared<std::string>();
  command
      .add_option("CODE", *code,
                  "the code of a message, such as mapping-axis-twice, a finding, such as partial-writes, or an area, such as mapping; "
                  "without it all codes are listed")
      ->type_name("")
      ->check(not_empty("the code"));
  auto const json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "answer in JSON: each code with its sentence and the file of its page");
  command.footer(
      "Examples:\n"
      "  tcp explain                                      # all codes, by area\n"
      "  tcp explain mapping                              # the codes of one area\n"
      "  tcp explain mapping-stride-not-divisor           # one code\n"
      "  tcp explain 'error[mapping-stride-not-divisor]'  # as messages have it\n"
      "  tcp explain findings                             # what reports look for\n"
      "  tcp explain partial-writes                       # one of them, with a kernel before and after\n"
      "Exit codes: 0 done, 1 there is no such code, 2 wrong usage; see tcp --help.");
  return [code, json](Terminal& terminal) { return explain(terminal, *code, *json); };
}

}  // namespace tcp::tool
