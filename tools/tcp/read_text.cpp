// Parses mappings, and mappings by level, as they are typed on a command line.
#include "read_text.hpp"

#include <string_view>
#include <vector>

namespace tcp::tool {
namespace {

constexpr std::string_view blanks = " \t\n\r";

/// Blanks in place of the `m![` and `]` around a mapping, so that columns stay those of what was typed.
std::string without_brackets(std::string text) {
  std::size_t const first = text.find_first_not_of(blanks), last = text.find_last_not_of(blanks);
  if (first == text.npos || !std::string_view(text).substr(first).starts_with("m![") || text[last] != ']') return text;
  text.replace(first, 3, 3, ' ');
  text[last] = ' ';
  return text;
}

struct LevelName {
  std::size_t begin = 0, end = 0;  // of the name
  std::size_t after = 0;           // after the colon; 0: there is no name
};
LevelName find_level_name(std::string_view part) {
  LevelName n;
  n.begin = part.find_first_not_of(blanks);
  if (n.begin == part.npos) return n;
  n.end = n.begin;
  while (n.end < part.size() && ((part[n.end] | 0x20) >= 'a' && (part[n.end] | 0x20) <= 'z')) ++n.end;
  std::size_t const colon = part.find_first_not_of(blanks, n.end);
  if (n.end > n.begin && colon != part.npos && part[colon] == ':') n.after = colon + 1;
  return n;
}

std::string all_level_names() {
  std::string names;
  for (int i = 0; i < level_count; ++i) names += std::string(i > 0 ? ", " : "") + name_of(static_cast<Level>(i));
  return names;
}

}  // namespace

std::string plain(std::string_view words) {
  std::string out;
  for (char c : words.substr(0, 40)) out += c >= ' ' && c < 0x7f ? c : '?';
  return out;
}

Expected<Mapping> read_mapping(const std::string& text, const Axes& axes) { return parse(without_brackets(text), axes); }

bool names_level(const std::string& text) { return find_level_name(text).after > 0; }

Expected<WrittenLevels> read_levels(const std::string& text, const Axes& axes) {
  WrittenLevels out;
  std::vector<Splice> splices;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(';', begin), text.size());
    std::string_view const part = std::string_view(text).substr(begin, end - begin);
    LevelName const name = find_level_name(part);
    if (name.begin == part.npos && begin > 0) {  // a semicolon at the end
      begin = end + 1;
      continue;
    }
    if (name.after == 0)
      return refuse("tool-level-missing")
          .what("at column ", begin + 1, ": '", plain(part), "' does not begin with the name of a level and a colon")
          .why("each level has a mapping of its own")
          .help("write it as in Slice: I / 32; Element: I % 32, K");
    std::string_view const word = part.substr(name.begin, name.end - name.begin);
    int level = 0;
    while (level < level_count && name_of(static_cast<Level>(level)) != word) ++level;
    if (level == level_count)
      return refuse("tool-level-unknown")
          .what("there is no level '", plain(word), "'")
          .why("levels have the book's names")
          .help("levels are ", all_level_names());
    if (out.written[level])
      return refuse("tool-level-twice")
          .what("level ", word, " is given twice")
          .why("a tensor has one mapping per level")
          .help("join the two into one mapping, separated by a comma");
    // The text before it becomes blanks, so that columns in messages are those of what was typed.
    std::string const mapping = without_brackets(std::string(begin + name.after, ' ') + std::string(part.substr(name.after)));
    auto const m = parse(mapping, axes, {}, splices.data(), static_cast<int>(splices.size()));
    if (!m) return m.refusal();
    out.written[level] = true;
    out.levels.at[level] = *m;
    splices.push_back({name_of(static_cast<Level>(level)), *m});
    begin = end + 1;
  }
  if (auto v = check_levels(out.levels); !v) return v.refusal();
  return out;
}

}  // namespace tcp::tool
