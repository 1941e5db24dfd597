// `tcp explain`: the page of a diagnostic, as it stands below docs/diagnostics.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>

#include "command.hpp"
#include "json_text.hpp"
#include "nearest.hpp"
#include "option_checks.hpp"

namespace tcp::tool {
namespace {

std::string read_page(const std::filesystem::path& page) {
  std::ifstream in(page);
  std::ostringstream text;
  text << in.rdbuf();
  std::string s = std::move(text).str();
  // The last line says where the page comes from, which is for those who write pages.
  if (std::size_t const origin = s.rfind("\n<!--"); origin != s.npos) s.resize(origin);
  return s;
}

/// code -> its page.
std::map<std::string, std::filesystem::path> all_pages(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::path> pages;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".md" && at->path().stem() != "README") pages.emplace(at->path().stem().string(), at->path());
  return pages;
}

/// The sentence of the page's example, without its advice.
std::string headline_of(const std::string& page) {
  std::size_t const begin = page.find("]: ", page.find("error["));
  if (begin == page.npos) return "";
  std::string s = page.substr(begin + 3, page.find('\n', begin) - begin - 3);
  return s.substr(0, s.find("; help: "));
}

Verdict list_codes(Terminal& terminal, const std::map<std::string, std::filesystem::path>& pages) {
  std::size_t longest = 0;
  for (auto const& [code, page] : pages) longest = std::max(longest, code.size());
  std::string area;
  for (auto const& [code, page] : pages) {
    if (std::string const own = code.substr(0, code.find('-')); own != area) {
      terminal.out << (area.empty() ? "" : "\n") << own << "\n";
      area = own;
    }
    constexpr std::size_t most = 90;
    std::string headline = headline_of(read_page(page));
    if (headline.size() > most) headline = headline.substr(0, most - 3) + "...";
    terminal.out << "  " << code << std::string(longest - code.size() + 2, ' ') << headline << "\n";
  }
  terminal.out << "\n" << pages.size() << " codes; `tcp explain CODE` prints the page of one\n";
  return accept();
}

/// One code and its sentence a line.
Verdict list_as_json(Terminal& terminal, const std::map<std::string, std::filesystem::path>& pages) {
  auto list = nlohmann::ordered_json::array();
  for (auto const& [code, page] : pages) list.push_back({{"code", code}, {"what", headline_of(read_page(page))}, {"page", page.string()}});
  terminal.out << json_text({{"codes", list}});
  return accept();
}

Verdict explain(Terminal& terminal, std::string asked, bool json) {
  auto const pages = all_pages(terminal.share / "diagnostics");
  if (pages.empty()) {
    return refuse("tool-pages-missing")
        .what("there are no diagnostics pages in ", terminal.share.string().substr(0, 160), "/diagnostics")
        .why("they are installed with the program, and found by their place relative to it")
        .help("install tcp as a whole, or run the program from its build directory");
  }
  if (asked.empty()) return json ? list_as_json(terminal, pages) : list_codes(terminal, pages);
  // As it is copied from a message: error[code].
  if (std::size_t const bracket = asked.find('['); bracket != asked.npos) {
    asked.erase(0, bracket + 1);
    asked.resize(std::min(asked.size(), asked.find(']')));
  }
  std::size_t const first = asked.find_first_not_of(' '), last = asked.find_last_not_of(" :");
  asked = first == asked.npos ? "" : asked.substr(first, last - first + 1);
  if (auto const page = pages.find(asked); page != pages.end()) {
    if (json) return list_as_json(terminal, {*page});
    terminal.out << read_page(page->second);
    return accept();
  }
  std::string plain;
  for (char c : asked.substr(0, 60)) plain += c >= ' ' && c < 0x7f ? c : '?';
  Refusal r = refuse("tool-unknown-code");
  r.what("there is no diagnostic with the code '", plain, "'").why("codes are the words in brackets of a message: error[code]");
  std::vector<std::string> codes;
  for (auto const& [code, its_page] : pages) codes.push_back(code);
  auto const near = nearest(asked, codes);
  if (near.empty()) return r.help("`tcp explain` lists all codes");
  r.help("perhaps ");
  for (std::size_t i = 0; i < near.size(); ++i) r.help(i > 0 ? ", " : "", near[i]);
  return r;
}

}  // namespace

Action declare_explain(CLI::App& command) {
  auto const code = std::make_shared<std::string>();
  command.add_option("CODE", *code, "the code of a message, such as mapping-axis-twice; without it all codes are listed")
      ->type_name("")
      ->check(not_empty("the code"));
  auto const json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "answer in JSON: each code with its sentence and the file of its page");
  command.footer(
      "Examples:\n"
      "  tcp explain                                      # all codes, by area\n"
      "  tcp explain mapping-stride-not-divisor           # the page of one\n"
      "  tcp explain 'error[mapping-stride-not-divisor]'  # as it stands in a message\n"
      "Exit codes: 0 done, 1 there is no such code, 2 wrong use; see tcp --help.");
  return [code, json](Terminal& terminal) { return explain(terminal, *code, *json); };
}

}  // namespace tcp::tool
