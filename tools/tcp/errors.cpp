// `tcp errors`: what g++ or clang printed about kernels, with each mistake once: what and where in the user's file,
// why, and what to write.
//
// An error of ours is a sentence inside the compiler's words. g++ 12 shows it whole, in the name of a type,
// `REFUSED<tcp::Text{"error[code]: ...", 137}>`; clang 19 in pieces, `Piece<36>{"error[code]: Packet"}, ...`, or, as
// C++26, plainly. g++ says before it where the user's file asked for it (`required from here`), clang after it
// (`requested here`). Other errors stay as they are, without the lines about headers around them, and with short
// names of types.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "command.hpp"
#include "fixes.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/io/file.hpp"

namespace tcp::tool {
namespace {

constexpr std::size_t most_lines = 12;  // of an answer
constexpr std::size_t line_width = 150;
constexpr std::size_t most_notes = 4000;  // letters of an error's notes that are looked at

struct CompilerPlace {
  std::string file, line, column;
  bool of_ours = false;  // a header of the library
};

/// `FILE:LINE:COLUMN: rest`
std::optional<std::pair<CompilerPlace, std::string>> placed_words(const std::string& line) {
  static std::regex const form(R"(^([^\s:][^:]*):(\d+):(\d+):\s*(.*)$)");
  std::smatch m;
  if (!std::regex_match(line, m, form)) return std::nullopt;
  std::string const file = m[1];
  return std::pair{CompilerPlace{file, m[2], m[3], file.find("include/tcp/") != file.npos}, std::string(m[4])};
}

/// The reason: what the page of the code says first; at most two sentences.
std::string reason_of(const std::string& code, const std::filesystem::path& share) {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(share / "diagnostics", failed), end; !failed && at != end; at.increment(failed)) {
    std::ifstream in(at->path());
    std::ostringstream read;
    read << in.rdbuf();
    std::string const text = std::move(read).str();
    std::size_t const section = text.find("\n## " + code + "\n");
    if (section == text.npos) continue;
    std::size_t const block = text.find("\n```\n", text.find("```text", section));
    if (block == text.npos) return "";
    std::size_t const begin = text.find_first_not_of('\n', block + 5);
    std::string prose = text.substr(begin, text.find("\n\n", begin) - begin);
    std::replace(prose.begin(), prose.end(), '\n', ' ');
    std::size_t stop = prose.find(". ");
    if (stop != prose.npos && stop < 60) stop = prose.find(". ", stop + 1);
    return prose.starts_with("Before:") || prose.starts_with("```") ? "" : prose.substr(0, stop == prose.npos ? stop : stop + 1);
  }
  return "";
}

struct CompilerError {
  CompilerPlace place;
  std::string code, words;            // a code if it is one of ours
  std::vector<std::string> source{};  // the compiler's picture of the line: text and caret
  std::string notes{};                // what the compiler adds to an error that is not of ours
  bool inside = false;                // it is of C++, and in a header of the library
  bool asserted = false;              // it is a static_assert of the library
};

/// Reads line by line what a compiler printed.
class CompilerOutput {
 public:
  explicit CompilerOutput(std::istream& in) {
    for (std::string line; std::getline(in, line);) lines_.push_back(without_colours(line));
    for (at_ = 0; at_ < lines_.size(); ++at_) look();
    finish();
  }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<CompilerError>& errors() const { return errors_; }

 private:
  static std::string without_colours(const std::string& line) {
    static std::regex const colour("\x1b\\[[0-9;]*[mK]");
    std::string out = std::regex_replace(line, colour, "");
    for (std::string_view quote : {"\xe2\x80\x98", "\xe2\x80\x99"})
      for (std::size_t at; (at = out.find(quote)) != out.npos;) out.replace(at, quote.size(), "'");
    if (out.ends_with('\r')) out.pop_back();
    return out;
  }

  void look() {
    const std::string& line = lines_[at_];
    auto const found = placed_words(line);
    if (!found) return;
    auto const& [place, words] = *found;
    if (words.starts_with("error: ") || words.starts_with("fatal error: ")) {
      finish();
      std::string const sentence = sentence_in(words);
      CompilerError e{place, "", sentence.empty() ? words.substr(words.find(": ") + 2) : sentence};
      if (!sentence.empty()) {
        std::size_t const close = sentence.find(']');
        e.code = sentence.substr(6, close == sentence.npos ? close : close - 6);
      } else if (place.of_ours) {
        std::string const asserted = assertion_in(e.words);
        e.asserted = !asserted.empty();
        e.inside = !e.asserted;
        if (e.asserted) e.words = asserted;
      }
      if (place.of_ours && from_) e.place = *from_, e.source = picture_of(*from_);
      if (!place.of_ours) e.source = picture_after(place);
      open_ = std::move(e);
      from_.reset();
    } else if (words.ends_with("required from here")) {  // g++, before the error
      from_ = place;
    } else if (words.starts_with("note: ") && open_) {
      if (open_->place.of_ours && !place.of_ours) {  // clang, after it
        open_->place = place;
        open_->source = picture_after(place);
      }
      if (open_->notes.size() < most_notes) open_->notes += words.substr(0, most_notes) + '\n';
    }
  }

  /// What a static_assert of the library says; empty: it is another error.
  static std::string assertion_in(const std::string& words) {
    if (!words.starts_with("static assertion failed")) return "";
    std::size_t const requirement = words.rfind("': ");
    std::size_t const said = requirement == words.npos ? words.find(": ") : requirement + 1;
    return said == words.npos ? "" : words.substr(said + 2);
  }

  /// `   13 |   .collect<...>()` and the caret below it. Of a chain of calls clang shows every line.
  std::vector<std::string> picture_after(const CompilerPlace& place) const {
    static std::regex const row(R"(^\s*(\d*)\s\|.*$)");
    std::vector<std::string> all;
    std::smatch m;
    for (std::size_t i = at_ + 1; i < lines_.size() && all.size() < 2 && std::regex_match(lines_[i], m, row); ++i)
      if (!all.empty() || m[1] == place.line) all.push_back(lines_[i].substr(0, line_width));
    return all;
  }
  /// The line of a file that g++ named without showing it.
  static std::vector<std::string> picture_of(const CompilerPlace& place) {
    std::ifstream in(place.file);
    std::string line;
    std::size_t const number = std::stoul(place.line);
    for (std::size_t i = 0; i < number; ++i)
      if (!std::getline(in, line)) return {};
    std::string const head = std::string(5 - std::min<std::size_t>(5, place.line.size()), ' ') + place.line + " | ";
    return {(head + line).substr(0, line_width)};
  }

  void finish() {
    if (open_) errors_.push_back(*std::move(open_));
    open_.reset();
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::optional<CompilerPlace> from_;  // the user's place that g++ named last
  std::optional<CompilerError> open_;
  std::vector<CompilerError> errors_;
};

/// The statements of a source, told apart by semicolons and braces, and which name each declares.
class SourceStatements {
 public:
  explicit SourceStatements(const std::string& file) {
    std::ifstream in(file);
    for (char c; in.get(c);) text_ += c;
    split();
  }

  /// The number of the statement at a place; -1: the file could not be read, or is another one by now.
  int at(const CompilerPlace& place) const {
    std::size_t const line = number(place.line), column = number(place.column);
    std::size_t offset = 0;
    for (std::size_t l = 1; l < line; ++l)
      if (offset = text_.find('\n', offset); offset == text_.npos) return -1;
      else ++offset;
    offset += column > 0 ? column - 1 : 0;
    auto const found = std::upper_bound(all_.begin(), all_.end(), offset, [](std::size_t o, const Statement& s) { return o < s.end; });
    return found == all_.end() ? -1 : static_cast<int>(found - all_.begin());
  }

  /// Statements that use what these declare, directly or by way of others.
  std::set<int> that_follow(const std::set<int>& wrong) const {
    std::set<int> follow;
    std::vector<std::set<std::string>> names(1);  // by block
    for (int i = 0; i < static_cast<int>(all_.size()); ++i) {
      const Statement& s = all_[static_cast<std::size_t>(i)];
      bool const uses = std::any_of(names.begin(), names.end(), [&](const std::set<std::string>& block) {
        return std::any_of(block.begin(), block.end(), [&](const std::string& name) { return s.words.contains(name); });
      });
      if (uses) follow.insert(i);
      if (uses || wrong.contains(i)) names.back().insert(s.declares.begin(), s.declares.end());
      if (s.ends_with == '{') names.emplace_back();
      if (s.ends_with == '}' && names.size() > 1) names.pop_back();
    }
    return follow;
  }

 private:
  struct Statement {
    std::size_t end = 0;
    char ends_with = 0;
    std::vector<std::string> declares;  // more than one, where a semicolon is missing
    std::set<std::string> words;
  };

  static std::size_t number(const std::string& digits) { return digits.size() > 9 ? 0 : static_cast<std::size_t>(std::stoul(digits)); }
  static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  /// Behind a comment or a text in quotes that begins here; else here.
  std::size_t behind_plain_text(std::size_t at) const {
    if (text_.compare(at, 2, "//") == 0) return std::min(text_.find('\n', at), text_.size());
    if (text_.compare(at, 2, "/*") == 0) return std::min(text_.find("*/", at + 2), text_.size() - 2) + 2;
    bool const digits = at > 0 && in_name(text_[at - 1]);  // 1'000
    if (text_[at] != '"' && (text_[at] != '\'' || digits)) return at;
    std::size_t end = at + 1;
    while (end < text_.size() && text_[end] != text_[at] && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  void split() {
    std::vector<int> depths(1);  // of parentheses, by block
    Statement now;
    std::string word, last;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (std::size_t const behind = behind_plain_text(at); behind > at) at = behind - 1;
      char const c = text_[at];
      if (in_name(c)) {
        word += c;
        continue;
      }
      if (!word.empty()) now.words.insert(last = std::exchange(word, ""));
      bool const assigns = c == '=' && depths.back() == 0 && at + 1 < text_.size() && text_[at + 1] != '=' &&
                           std::string_view("=<>!+-*/%&|^").find(text_[at - 1]) == std::string_view::npos;
      if (assigns) now.declares.push_back(last);
      if (c == '(' || c == '[') ++depths.back();
      if ((c == ')' || c == ']') && depths.back() > 0) --depths.back();
      if (c == '{') depths.push_back(0);
      if (c == '}' && depths.size() > 1) depths.pop_back();
      if (c != '{' && c != '}' && (c != ';' || depths.back() > 0)) continue;
      now.end = at + 1;
      now.ends_with = c;
      all_.push_back(std::exchange(now, {}));
    }
  }

  std::string text_;
  std::vector<Statement> all_;
};

/// What a compiler says after it has lost its way: after another error it says nothing of its own.
bool is_aftermath(const CompilerError& e) {
  static std::regex const form(
      "^expected primary-expression before|^template argument \\d+ is invalid|<expression error>|^expected '\\(' for function-style cast|"
      "^member reference base type 'int'|KernelResult<.* has no member named");
  return e.code.empty() && (e.inside || std::regex_search(e.words.substr(0, 600), form));
}

/// A name that does not exist is a mistake, and not what follows from one.
bool is_unknown_name(const CompilerError& e) {
  static std::regex const form(
      "was not declared|undeclared identifier|no member named|is not a member of|does not name a type|unknown type name");
  return e.code.empty() && std::regex_search(e.words.substr(0, 4000), form);
}

/// Without those that follow from another: the same words again, what a mapping that cannot be is taken for, further
/// errors of a statement, and errors of statements that use what a wrong one declares.
std::vector<CompilerError> own_mistakes(const std::vector<CompilerError>& all) {
  std::set<std::string> said;
  std::map<std::string, SourceStatements> sources;
  std::map<std::string, std::map<int, const CompilerError*>> first;  // by file and statement
  auto const rank = [](const CompilerError& e) {
    int const kind = is_aftermath(e) ? 2 : !e.code.empty() || e.asserted || is_unknown_name(e) ? 0 : 1;
    return std::tuple(kind, std::atol(e.place.line.c_str()), std::atol(e.place.column.c_str()));
  };
  std::vector<const CompilerError*> own;
  bool mapping_wrong = false;
  for (const CompilerError& e : all) {
    bool const again = !said.insert(e.code.empty() ? e.place.file + e.place.line + e.words : e.words).second;
    bool const of_mapping = e.code.starts_with("mapping-");
    bool const follows = mapping_wrong && !of_mapping;
    mapping_wrong |= of_mapping;
    if (again || follows) continue;
    own.push_back(&e);
    int const statement = sources.try_emplace(e.place.file, e.place.file).first->second.at(e.place);
    if (statement < 0) continue;
    const CompilerError*& best = first[e.place.file][statement];
    if (best == nullptr || rank(e) < rank(*best)) best = &e;
  }
  std::map<std::string, std::set<int>> follow;
  for (const auto& [file, statements] : first) {
    std::set<int> wrong;
    for (const auto& [number, e] : statements)
      if (!is_aftermath(*e)) wrong.insert(number);
    follow[file] = sources.at(file).that_follow(wrong);
  }
  bool const only_aftermath = std::all_of(own.begin(), own.end(), [](const CompilerError* e) { return is_aftermath(*e); });
  std::vector<CompilerError> kept, without_code;
  for (const CompilerError* e : own) {
    int const statement = sources.at(e->place.file).at(e->place);
    if (statement >= 0 && (first[e->place.file][statement] != e || follow[e->place.file].contains(statement))) continue;
    if (is_aftermath(*e) && !only_aftermath) continue;
    (e->code.empty() ? without_code : kept).push_back(*e);
  }
  kept.insert(kept.end(), without_code.begin(), without_code.end());
  return kept;
}

/// Errors of mappings name pieces of them, `A # 2051 / 7`, in their help: what is to be written is C++.
std::string bare_mappings_in_cpp(const std::string& code, const std::string& help) {
  if (!code.starts_with("mapping-") && !code.starts_with("memory-")) return help;
  static std::regex const piece(R"(\b(?:[A-Za-z_]\w*|1)(?: [/%=@] \d+| #[z!<]? ?\d+)+)");
  std::string out;
  auto at = help.cbegin();
  for (std::sregex_iterator m(help.begin(), help.end(), piece), end; m != end; ++m) {
    out.append(at, (*m)[0].first);
    auto const cpp = mapping_in_cpp(m->str());
    out += cpp ? *cpp : m->str();
    at = (*m)[0].second;
  }
  return out.append(at, help.cend());
}

/// A path from the folder that the command was started in, where it leads below it: a build calls sources by their
/// whole paths.
std::string below_here(const std::string& file) {
  std::error_code failed;
  std::string const here = std::filesystem::current_path(failed).string() + "/";
  return !failed && file.size() > here.size() && file.starts_with(here) ? file.substr(here.size()) : file;
}

std::vector<std::string> lines_of(const CompilerError& e, const std::filesystem::path& share) {
  std::vector<std::string> out;
  std::string const at = below_here(e.place.file) + ":" + e.place.line + ":" + e.place.column + ": ";
  if (e.code.empty()) {
    std::string const words = short_types(e.words);
    auto const advice = advice_of(words, short_types(e.notes));
    out.push_back(at + "error: " + (advice && !advice->what.empty() ? advice->what : words));
    out.insert(out.end(), e.source.begin(), e.source.end());
    if (advice && !advice->why.empty()) out.push_back("  note: " + advice->why);
    if (advice) out.push_back("  help: " + advice->help);
    return out;
  }
  std::size_t const help = e.words.find("; help: ");
  out.push_back(at + mappings_in_cpp(e.words.substr(0, help)));
  out.insert(out.end(), e.source.begin(), e.source.end());
  if (std::string const why = reason_of(e.code, share); !why.empty()) out.push_back("  note: " + why);
  if (help != e.words.npos) out.push_back("  help: " + bare_mappings_in_cpp(e.code, mappings_in_cpp(e.words.substr(help + 8))));
  out.push_back("  tcp explain " + e.code + " has a kernel before and after");
  return out;
}

Verdict filter_errors(const std::string& file, Terminal& terminal) {
  std::ifstream opened;
  if (!file.empty()) {
    if (auto const readable = io::MappedFile::open(file); !readable) return readable.refusal();
    opened.open(file);
  }
  CompilerOutput const output(file.empty() ? std::cin : opened);
  if (output.errors().empty()) {
    for (const std::string& line : output.lines()) terminal.out << line << '\n';
    return accept();
  }
  std::vector<CompilerError> const kept = own_mistakes(output.errors());
  std::size_t shown = 0, printed = 0;
  for (const CompilerError& e : kept) {
    std::vector<std::string> const lines = lines_of(e, terminal.share);
    bool const last = shown + 1 == kept.size();
    if (shown > 0 && printed + lines.size() + (last ? 0 : 1) > most_lines) break;
    for (const std::string& line : lines) terminal.out << line << '\n';
    printed += lines.size();
    ++shown;
  }
  if (shown < kept.size())
    terminal.out << kept.size() - shown << (kept.size() - shown == 1 ? " more error" : " more errors") << "; correct these first\n";
  return accept();
}

}  // namespace

Action declare_errors(CLI::App& command) {
  auto const file = std::make_shared<std::string>();
  command.add_option("FILE", *file, "what a compiler printed; without it, standard input is read")->type_name("")->check(file_name());
  command.footer(
      "For g++ 12 and clang 19. At most 12 lines are printed: what is wrong and where in the user's file, why, and what to\n"
      "write. Errors that follow from another are left out. Text without an error is printed as it is.\n"
      "Examples:\n"
      "  make 2>&1 | tcp errors\n"
      "  tcp errors build.log\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [file](Terminal& terminal) { return filter_errors(*file, terminal); };
}

}  // namespace tcp::tool
