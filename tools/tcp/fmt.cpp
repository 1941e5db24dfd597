// `tcp fmt`: a text-form program in its canonical form.
//
// The form is that of ir::print, which knows nothing of comments; so they are carried over. A printed line knows the
// line of the source that it comes from. A comment after something stays after it; one that has a line of its own stays
// in front of what came next in the source; those at the top and at the end stay there.
#include "fmt.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "options.hpp"
#include "program_file.hpp"
#include "tcp/ir/text.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr std::string_view blanks = " \t\r";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view s) {
  std::size_t const first = s.find_first_not_of(blanks);
  return first == s.npos ? std::string_view{} : s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

/// What tells a statement without a place from all others: its word, of regions and tables their name as well. Empty
/// for `in`, of which there may be many.
std::string_view key_of(std::string_view line) {
  line = trimmed(line);
  std::size_t const word = std::min(line.find_first_of(" \t("), line.size());
  if (line.substr(0, word) == "in") return {};
  if (line.substr(0, word) != "region" && line.substr(0, word) != "table") return line.substr(0, word);
  return line.substr(0, line.find_first_of(" \t:", line.find_first_not_of(blanks, word)));
}

/// Where the comment of a line begins; npos if it has none. Quoted names end in their line.
std::size_t find_comment(std::string_view line) {
  bool in_name = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_name && line[i] == '\\') ++i;
    else if (line[i] == '"') in_name = !in_name;
    else if (!in_name && line.substr(i, 2) == "//") return i;
  }
  return line.npos;
}

/// A line of the canonical text, and the line of the source that it stands for.
struct PrintedLine {
  std::string_view text;
  std::size_t from = 0;  // counted from 1; 0: it has no place of its own
};

std::vector<PrintedLine> printed_lines(std::string_view plain, std::string_view with_locations) {
  auto const lines = lines_of(plain), located = lines_of(with_locations);
  TCP_BUG_UNLESS(lines.size() == located.size(), "the printed text has other lines with locations than without");
  std::vector<PrintedLine> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    PrintedLine line{lines[i], 0};
    std::string_view const place = located[i].substr(lines[i].size());  // "  // file:line:column"
    std::size_t const column = place.rfind(':'), number = place.substr(0, column).rfind(':');
    if (column != place.npos && number != place.npos) std::from_chars(place.data() + number + 1, place.data() + column, line.from);
    out.push_back(line);
  }
  return out;
}

/// Finds what a line of the source has become.
class LinePlaces {
 public:
  explicit LinePlaces(const std::vector<PrintedLine>& lines) : end_(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].from != 0) by_source_[lines[i].from].push_back(i);
      else by_key_.emplace(key_of(lines[i].text), i);
    }
  }
  std::size_t end() const { return end_; }

  /// The printed line after which a comment at the end of this source line belongs; end() if the source line has none.
  std::size_t same(std::size_t source, std::string_view statement) const {
    if (auto const at = by_source_.find(source); at != by_source_.end()) return at->second.back();
    std::string_view const key = key_of(statement);
    auto const at = by_key_.find(key);
    return key.empty() || at == by_key_.end() ? end() : at->second;
  }
  /// The printed line of what comes next in the source.
  std::size_t next(std::size_t source) const {
    auto const at = by_source_.upper_bound(source);
    return at == by_source_.end() ? end() : at->second.front();
  }

 private:
  std::size_t end_;
  std::map<std::string_view, std::size_t> by_key_;
  std::map<std::size_t, std::vector<std::size_t>> by_source_;
};

/// The printed lines with the comments of the source.
std::string with_comments(const std::vector<PrintedLine>& lines, std::string_view source) {
  LinePlaces const places(lines);
  std::vector<std::vector<std::string_view>> before(lines.size() + 1), behind(lines.size());
  auto const written = lines_of(source);
  bool at_top = true;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::size_t const begin = find_comment(written[i]);
    std::string_view const statement = trimmed(written[i].substr(0, begin));
    bool const first_statement = at_top && !statement.empty();
    at_top = at_top && statement.empty();
    if (begin == written[i].npos) continue;
    std::string_view const comment = trimmed(written[i].substr(begin));
    std::size_t const same = statement.empty() ? places.end() : places.same(i + 1, statement);
    if (same < places.end()) behind[same].push_back(comment);
    else before[at_top || first_statement ? 0 : places.next(i + 1)].push_back(comment);
  }
  std::string out;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    std::string_view const text = i < lines.size() ? lines[i].text : std::string_view{};
    std::string_view const indent = text.substr(0, std::min(text.find_first_not_of(' '), text.size()));
    for (std::string_view each : before[i]) out.append(indent).append(each) += '\n';
    if (i == lines.size()) break;
    out += text;
    for (std::string_view each : behind[i]) out.append("  ").append(each);
    out += '\n';
  }
  return out;
}

Refusal not_formatted(const ProgramFile& program, std::string_view text) {
  auto const have = lines_of(program.text()), want = lines_of(text);
  std::size_t at = 0;
  while (at < have.size() && at < want.size() && have[at] == want[at]) ++at;
  return refuse("tool-not-formatted", {program.name, static_cast<unsigned>(at + 1)})
      .what("from this line on the text is not as tcp fmt writes it")
      .why("one form for all makes differences between programs differences of meaning")
      .help("run tcp fmt with --write");
}

struct FmtOptions {
  std::string file;
  bool write = false, check = false;
};

Verdict fmt(const FmtOptions& options, Terminal& terminal) {
  if (options.write && options.check) return misuse("--write and --check contradict each other", "tcp fmt --help");
  auto const program = read_program(options.file, terminal);
  if (!program) return program.refusal();
  std::string const text = formatted(program->module, program->text(), program->name);
  bool const differs = text != program->text();
  if (options.check) return differs ? not_formatted(*program, text) : accept();
  if (options.write) return differs ? write_file(options.file, text) : accept();
  terminal.out << text;
  return accept();
}

}  // namespace

std::string formatted(const ir::Module& module, std::string_view source, const char* file) {
  std::string const plain = ir::print(module), located = ir::print(module, {.locations = true});
  std::string text = with_comments(printed_lines(plain, located), source);
  auto const again = ir::parse(text, file);
  TCP_BUG_UNLESS(again && ir::same_program(*again, module), "the formatted text is another program");
  return text;
}

Action declare_fmt(CLI::App& command) {
  auto const options = std::make_shared<FmtOptions>();
  command.add_option("FILE", options->file, "a program in text form, *.tcp")->type_name("")->required()->check(file_name());
  command.add_flag("--write", options->write, "write it back instead of printing it");
  command.add_flag("--check", options->check, "print nothing; exit code 1 if the file is not formatted");
  command.footer(
      "Comments are kept. Tensors move to the front, and commands stay in their order.\n"
      "Examples:\n"
      "  tcp fmt add_one.tcp\n"
      "  tcp fmt add_one.tcp --write\n"
      "  tcp fmt add_one.tcp --check\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return fmt(*options, terminal); };
}

}  // namespace tcp::tool
