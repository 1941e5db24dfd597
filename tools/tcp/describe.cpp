// Reads commands, options and examples out of CLI11's tree.
#include "describe.hpp"

#include <CLI/CLI.hpp>

#include "shells.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp::tool {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Descriptions are broken for the help; others break them as they like.
std::string unbroken(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  text.argument = !option.nonpositional();
  if (text.argument) {
    text.names = {option.get_name(true)};
    text.value = text.names[0];
  } else {
    for (std::string const& name : option.get_snames()) text.names.push_back("-" + name);
    for (std::string const& name : option.get_lnames()) text.names.push_back("--" + name);
    text.value = option.get_type_name();
    text.values = static_cast<int>(split(text.value, ' ').size());
  }
  text.does = unbroken(option.get_description());
  text.required = option.get_required();
  return text;
}

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> arguments, others;
  for (const CLI::Option* option : app.get_options()) {
    OptionText text = text_of(*option);
    (text.argument ? arguments : others).push_back(std::move(text));
  }
  arguments.insert(arguments.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return arguments;
}

/// The lines below the options: notes, then `Examples:`, then `Exit codes: ...`.
void read_footer(const std::string& footer, CommandText& command) {
  constexpr std::string_view exits = "Exit codes: ";
  bool in_examples = false;
  for (std::string const& line : split(footer, '\n')) {
    if (line == "Examples:") in_examples = true;
    else if (line.starts_with(exits)) command.exit_codes = line.substr(exits.size());
    else if (in_examples && line.starts_with("  ")) command.examples.push_back(line.substr(2));
    else if (!line.empty()) command.notes.push_back(line);
  }
}

}  // namespace

ToolText describe(const CLI::App& root) {
  ToolText text{root.get_description(), options_of(root), {}, split(root.get_footer(), '\n')};
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; })) {
    CommandText command{sub->get_name(), sub->get_description(), options_of(*sub), {}, {}, ""};
    read_footer(sub->get_footer(), command);
    text.commands.push_back(std::move(command));
  }
  return text;
}

Choice choice_for(const std::string& value) {
  if (value.find('|') != value.npos) return {.words = split(value, '|')};
  if (value == "FILE" || value == "TRACE" || value == "BEFORE" || value == "AFTER" || value == "NAME=FILE") return {.files = true};
  if (value == "FOLDER") return {.folders = true};
  if (value == "CHIP") return {.words = {"rngd", "rngd_s", "logical"}, .files = true};
  if (value == "PASS") return {.words = {std::begin(lower::pass_names), std::end(lower::pass_names)}};
  if (value == "SHELL") return {.words = shells()};
  if (value == "CODE") return {.codes = true};
  return {};
}

std::string synopsis(const CommandText& command) {
  std::string text = "tcp " + command.name;
  for (const OptionText& o : command.options)
    if (o.argument) text += o.required ? " " + o.names[0] : " [" + o.names[0] + "]";
  return text + " [OPTION...]";
}

}  // namespace tcp::tool
