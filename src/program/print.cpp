// The program for people. What each engine shows stands in settings.cpp.
#include "tcp/program/print.hpp"

#include <algorithm>

#include "program/slice_set.hpp"
#include "tcp/program/fields.hpp"

namespace tcp::program {

namespace {

/// The bits of a mask as a list: 0, 1.
std::string bits_of(std::uint32_t mask) {
  std::string out;
  for (int i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) out += (out.empty() ? "" : ", ") + std::to_string(i);
  return out.empty() ? "none" : out;
}

std::string regions(const Program& p, const char* what, const std::vector<Region>& all) {
  std::string out;
  for (const Region& r : all) {
    const bool known = r.debug >= 0 && static_cast<std::size_t>(r.debug) < p.debug.tensors.size();
    std::string const name = known ? p.debug.tensors[static_cast<std::size_t>(r.debug)].name : "";
    out += std::string(what) + " " + (name.empty() ? "without a name" : name) + ": " + std::to_string(r.bytes) + " bytes of " +
           word(r.memory) + " at " + std::to_string(r.address) + "\n";
  }
  return out;
}

std::string ranges(const char* what, const std::vector<Range>& all) {
  std::string out;
  for (const Range& r : all)
    out += std::string("  ") + what + " " + word(r.memory) + " [" + std::to_string(r.begin) + ", " + std::to_string(r.end) + ") of " +
           print(r.units) + "\n";
  return out;
}

std::string head(const Program& p, const Command& c, std::size_t number) {
  std::string out = "command " + std::to_string(number);
  const DebugCommand* about = debug_of(p, c);
  if (about != nullptr && !about->name.empty()) out += ", " + about->name;
  out += ": " + print_resources(c.resources);
  if (std::string const at = about == nullptr ? "" : place_of(line_of(p, about->at)); !at.empty()) out += "; " + at;
  return out + "\n";
}

}  // namespace

std::string print(const std::vector<Loop>& loops) {
  std::string out = "[";
  for (const Loop& l : loops) out += (out.size() > 1 ? ", " : "") + std::to_string(l.size) + " : " + std::to_string(l.stride);
  return out + "]";
}

std::string print(const Sequencer& s) {
  std::string out = print(s.loops) + " @ " + std::to_string(s.base) + " / " + std::to_string(s.access_bytes);
  if (s.repeat_bits != 0) out += ", one element of " + std::to_string(s.repeat_bits) + " bits repeated";
  return out;
}

std::string print(const SliceSet& slices) {
  std::string const out = ranges_of(slices);
  return out.empty() ? "none" : out;
}

std::string print(const Units& u) {
  std::string out;
  if (u.chips.size() > 1) {
    out = "chip";
    for (std::size_t i = 0; i < u.chips.size(); ++i)
      if (u.chips[i]) out += " " + std::to_string(i);
    out += ", ";
  }
  return out + "cluster " + bits_of(u.clusters) + ", slices " + print(u.slices);
}

std::string print_resources(Resources resources) {
  std::string out;
  for (std::size_t i = 0; i < word_count<Resource>; ++i)
    if ((resources >> i & 1) != 0) out += (out.empty() ? "" : ", ") + std::string(words_of<Resource>[i]);
  return out.empty() ? "nothing" : out;
}

const DebugCommand* debug_of(const Program& p, const Command& c) {
  bool const known = c.debug >= 0 && static_cast<std::size_t>(c.debug) < p.debug.commands.size();
  return known ? &p.debug.commands[static_cast<std::size_t>(c.debug)] : nullptr;
}

const SourceLine* line_of(const Program& p, std::int32_t number) {
  bool const known = number >= 0 && static_cast<std::size_t>(number) < p.debug.lines.size();
  return known ? &p.debug.lines[static_cast<std::size_t>(number)] : nullptr;
}

std::string place_of(const SourceLine* at) {
  if (at == nullptr || at->line == 0) return "";
  return at->file.substr(at->file.rfind('/') + 1) + ":" + std::to_string(at->line);
}

std::string shape_of(const DebugTensor& t) {
  std::string out = std::string(word(t.type)) + " in " + name_of(t.memory);
  for (const DebugLevel& l : t.levels) out += " " + l.level + "[" + l.mapping + "]";
  return out;
}

std::string name_of(const Program& p, std::int32_t tensor) {
  const std::string& given = p.debug.tensors[static_cast<std::size_t>(tensor)].name;
  return given.empty() ? "%" + std::to_string(tensor) : given;
}

std::string print(const Program& p) {
  std::string out = "program " + p.name + " for " + p.chip + ", " + std::to_string(p.chips) + (p.chips == 1 ? " chip" : " chips") +
                    ", numbers as " + word(p.numeric) + "\n";
  out += regions(p, "argument", p.arguments) + regions(p, "result", p.results);
  for (std::size_t i = 0; i < p.tables.size(); ++i)
    out += "table " + std::to_string(i) + ": " + word(p.tables[i].from) + " to " + word(p.tables[i].to) + ", " +
           std::to_string(p.tables[i].bits.size()) + " values\n";
  for (std::size_t i = 0; i < p.commands.size(); ++i) {
    const Command& c = p.commands[i];
    auto const number = static_cast<std::int32_t>(i);
    if (std::binary_search(p.barriers.begin(), p.barriers.end(), number)) out += "\nbarrier\n";
    for (auto [at, end] = std::equal_range(p.loops.begin(), p.loops.end(), number); at != end; ++at) out += "\nloop\n";
    out += "\n" + head(p, c, i);
    for (const Setting& s : settings_of(c))
      out += "  " + s.stage + std::string(s.stage.size() < 12 ? 12 - s.stage.size() : 1, ' ') + " " + s.configuration + "\n";
    out += ranges("reads", c.reads) + ranges("writes", c.writes);
  }
  return out;
}

}  // namespace tcp::program
