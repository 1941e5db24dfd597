// Prints a program setting by setting, each beside what it was derived from, in lines of a terminal's width.
#include "explain_program.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>

#include "tcp/program/print.hpp"

namespace tcp::tool {
namespace {

constexpr std::size_t columns = 4;
using Row = std::array<std::string, columns>;
constexpr std::array<std::size_t, columns> width{18, 36, 46, 40};
constexpr std::size_t most_descriptors = 4;  // of a transfer that are shown; the others have the same loops or nearly so

/// Where to end a line of at most `room` characters: at the last blank outside brackets, else at the last one, else
/// anywhere.
std::size_t line_end(std::string_view text, std::size_t room) {
  std::size_t outside = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= room; ++i) {
    depth += text[i] == '[' || text[i] == '(' ? 1 : text[i] == ']' || text[i] == ')' ? -1 : 0;
    if (text[i] == ' ' && depth == 0) outside = i;
  }
  if (outside > 0) return outside;
  std::size_t const any = text.rfind(' ', room);
  return any == text.npos || any == 0 ? room : any;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t room) {
  std::vector<std::string> lines;
  while (text.size() > room) {
    std::size_t const cut = line_end(text, room);
    lines.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  lines.emplace_back(text);
  return lines;
}

void print_row(std::ostream& out, const Row& row) {
  std::array<std::vector<std::string>, columns> cells;
  std::size_t height = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    cells[c] = wrapped(row[c], width[c]);
    height = std::max(height, cells[c].size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t c = 0; c < columns; ++c) {
      std::string const piece = line < cells[c].size() ? cells[c][line] : "";
      text += piece + std::string(width[c] - piece.size() + 2, ' ');
    }
    text.resize(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

std::string tensors_of(const program::Program& p, const program::DebugCommand& d) {
  std::string out;
  auto const add = [&](const char* what, std::int32_t tensor) {
    out += std::string(out.empty() ? "" : "; ") + what + " " + program::name_of(p, tensor) + ": " +
           program::shape_of(p.debug.tensors[static_cast<std::size_t>(tensor)]);
  };
  for (std::int32_t source : d.sources) add("source", source);
  if (d.destination) add("destination", *d.destination);
  if (d.rows) add("rows", *d.rows);
  if (d.region) {
    const program::DebugRegion& r = p.debug.regions[static_cast<std::size_t>(*d.region)];
    out += (out.empty() ? "region " : "; region ") + r.name + "[" + std::to_string(r.index) + "]";
  }
  return out;
}

void explain_pass(std::ostream& out, const program::Program& p, const std::vector<program::Setting>& settings,
                  const program::DebugCommand& about) {
  std::string before;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    program::DebugStage const stage = i < about.stages.size() ? about.stages[i] : program::DebugStage{settings[i].stage, "", -1};
    std::string const place = place_of(program::line_of(p, stage.at));
    std::string const mapping = stage.shape == before ? "(the same)" : stage.shape;
    before = stage.shape;
    print_row(out,
              {place.empty() ? "." + stage.name : place, mapping, settings[i].stage + ": " + settings[i].configuration, settings[i].why});
  }
}

void explain_transfer(std::ostream& out, const program::Program& p, const std::vector<program::Setting>& settings,
                      const program::DebugCommand& about) {
  std::size_t const shown = std::min(settings.size(), most_descriptors);
  for (std::size_t i = 0; i < shown; ++i)
    print_row(out, {i == 0 ? place_of(program::line_of(p, about.at)) : "", i == 0 ? tensors_of(p, about) : "",
                    settings[i].stage + ": " + settings[i].configuration,
                    i > 0 && settings[i].why == settings[i - 1].why ? "(the same)" : settings[i].why});
  if (shown < settings.size())
    print_row(out, {"", "", "and " + std::to_string(settings.size() - shown) + " more descriptors", "tcp compile FILE shows all"});
}

}  // namespace

void explain_program(std::ostream& out, const program::Program& p) {
  out << "Program " << p.name << " for " << p.chip
      << ".\nWalks are [rounds : bytes from round to round, ...] @ first address / bytes at once, the outermost loop first;\n"
      << "those of a transfer have (bytes read, bytes written). A command takes the units named after it.\n\n";
  print_row(out, {"SOURCE", "MAPPING", "CONFIGURATION", "WHY"});
  for (std::size_t i = 0; i < p.commands.size(); ++i) {
    const program::Command& c = p.commands[i];
    const program::DebugCommand* known = program::debug_of(p, c);
    const program::DebugCommand about = known == nullptr ? program::DebugCommand{} : *known;
    out << "\ncommand " << i << (about.name.empty() ? "" : ", " + about.name) << ": " << program::print_resources(c.resources) << '\n';
    if (const auto* e = std::get_if<program::Exec>(&c.what)) {
      print_row(out, {place_of(program::line_of(p, about.at)), tensors_of(p, about), program::print(e->units),
                      "who takes part; all of them do the same"});
      explain_pass(out, p, settings_of(c), about);
    } else {
      explain_transfer(out, p, settings_of(c), about);
    }
  }
}

}  // namespace tcp::tool
