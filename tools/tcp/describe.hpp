// What the command line accepts, as plain records: the completion of three shells, the manual page and docs/commands.md
// are written from these, and these are read from what the commands declare. So whatever parses is also offered and
// described.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tcp::tool {

struct OptionText {
  std::vector<std::string> names;  // "-o", "--output"; of an argument its one name: "FILE"
  std::string value;               // "FILE", "on|off"; empty: a flag
  std::string does;
  bool argument = false, required = false;
  int values = 1;  // that follow the name
};

struct CommandText {
  std::string name, does;
  std::vector<OptionText> options;  // arguments first, in their order
  std::vector<std::string> notes, examples;
  std::string exit_codes;
};

struct ToolText {
  std::string does;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
  std::vector<std::string> notes;
};

/// Describes the whole command line. Needs: all commands are declared.
ToolText describe(const CLI::App& root);

/// What can be typed for a value, as far as it is known beforehand. `code`: those of the diagnostics pages.
struct Choice {
  std::vector<std::string> words{};
  bool files = false, folders = false, codes = false;
};
/// By its name: "on|off", "FILE", "CHIP".
Choice choice_for(const std::string& value);

/// `tcp compile FILE [OPTION...]`
std::string synopsis(const CommandText& command);

}  // namespace tcp::tool
