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
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>

#include "command.hpp"
#include "fixes.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/io/file.hpp"

namespace tcp::tool {
namespace {

constexpr std::size_t most_lines = 12;  // of an answer
constexpr std::size_t line_width = 150;

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

/// Types as people write them: `tcp::Map<tcp::detail::Piece<6>{"A % 8"}, ..., 8>` is `m<A % 8>`.
std::string short_types(std::string text) {
  static std::regex const map(
      R"x((?:tcp::)?Map<(?:tcp::detail::)?Piece<\w+>\{"([^"]*)"\}, (?:tcp::detail::)?Piece<\w+>\{"[^"]*"\}, \d+>)x");
  text = std::regex_replace(text, map, "m![$1]");
  for (std::size_t at; (at = text.find("tcp::")) != text.npos;) text.erase(at, 5);
  if (text.size() > 4 * line_width) text = text.substr(0, 4 * line_width - 4) + " ...";
  return text;
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
        if (place.of_ours && from_) e.place = *from_, e.source = picture_of(*from_);
      }
      if (!place.of_ours) e.source = picture_after();
      open_ = std::move(e);
      from_.reset();
    } else if (words.ends_with("required from here")) {  // g++, before the error
      from_ = place;
    } else if (words.starts_with("note: ") && open_ && open_->place.of_ours && !place.of_ours) {  // clang, after it
      open_->place = place;
      open_->source = picture_after();
    }
  }

  /// `   13 |   .collect<...>()` and the caret below it.
  std::vector<std::string> picture_after() const {
    static std::regex const row(R"(^\s*\d*\s\|.*$)");
    std::vector<std::string> all;
    for (std::size_t i = at_ + 1; i < lines_.size() && all.size() < 2 && std::regex_match(lines_[i], row); ++i)
      all.push_back(lines_[i].substr(0, line_width));
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

/// Without those that follow from another: the same words again, and what a mapping that cannot be is taken for.
std::vector<CompilerError> own_mistakes(const std::vector<CompilerError>& all) {
  std::vector<CompilerError> kept, without_code;
  std::set<std::string> said;
  bool mapping_wrong = false;
  for (const CompilerError& e : all) {
    bool const again = !said.insert(e.code.empty() ? e.place.file + e.place.line + e.words : e.words).second;
    bool const of_mapping = e.code.starts_with("mapping-");
    bool const follows = mapping_wrong && !of_mapping;
    if (!again && !follows) (e.code.empty() ? without_code : kept).push_back(e);
    mapping_wrong |= of_mapping;
  }
  kept.insert(kept.end(), without_code.begin(), without_code.end());
  return kept;
}

std::vector<std::string> lines_of(const CompilerError& e, const std::filesystem::path& share) {
  std::vector<std::string> out;
  std::string const at = e.place.file + ":" + e.place.line + ":" + e.place.column + ": ";
  if (e.code.empty()) {
    out.push_back(at + "error: " + short_types(e.words));
    out.insert(out.end(), e.source.begin(), e.source.end());
    return out;
  }
  std::size_t const help = e.words.find("; help: ");
  out.push_back(at + mappings_in_cpp(e.words.substr(0, help)));
  out.insert(out.end(), e.source.begin(), e.source.end());
  if (std::string const why = reason_of(e.code, share); !why.empty()) out.push_back("  note: " + why);
  if (help != e.words.npos) out.push_back("  help: " + mappings_in_cpp(e.words.substr(help + 8)));
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
