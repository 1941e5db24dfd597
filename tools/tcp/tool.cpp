#include "tool.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include "command.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/render.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

struct Command {
  const char* name;
  const char* does;
  Action (*declare)(CLI::App&);
};
constexpr Command commands[] = {
    {"layout", "show a mapping: its factors, what lies where, how a sequencer walks through it", declare_layout},
    {"run", "run a program in text form on arrays", declare_run},
    {"compile", "turn a kernel into engine configurations, and explain them", declare_compile},
    {"fmt", "print a program in text form as everybody writes it", declare_fmt},
    {"report", "say where the cycles of a trace went, and what to write instead", declare_report},
    {"diff", "compare two traces: what moved, appeared and vanished, and which is faster", declare_diff},
    {"view", "show a trace in the browser: when each command ran, what it waited for, what if", declare_view},
    {"new", "make a folder with a kernel, its host program and what builds them", declare_new},
    {"explain", "print the page of a diagnostic, or list all codes", declare_explain},
};

constexpr const char* exit_codes =
    "Exit codes: 0 done; 1 refused, the reason stands on standard error; 2 wrong use of the command line;\n"
    "3 a bug in tcp; 130 interrupted. Messages read `error[code]: what`; `tcp explain CODE` prints the page of a code.\n"
    "Colours are used on terminals only, and not if NO_COLOR is set.";

void show(Terminal& terminal, const Refusal& r) {
  std::string text = render(r);
  if (terminal.colour_err) {
    constexpr std::string_view red = "\033[1;31m", plain = "\033[0m";
    std::size_t const begin = text.find("error["), end = text.find("]:", begin);
    if (begin != text.npos && end != text.npos) {
      text.insert(end + 2, plain);
      text.insert(begin, red);
    }
  }
  terminal.err << text << '\n';
}

/// Options as we write them: name and value, without CLI11's remarks about how often and what else.
class Formatter : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
};

int exit_code_of(const Refusal& r) {
  std::string_view const code = r.code;
  return code == "tool-usage" ? misused : code == "runtime-interrupted" ? interrupted : refused;
}

/// The first letter of CLI11's sentences and their full stop do not fit into ours.
std::string as_clause(std::string words) {
  while (!words.empty() && (words.back() == '\n' || words.back() == '.' || words.back() == ' ')) words.pop_back();
  for (char& c : words)
    if (c == '\n') c = ' ';
  return words;
}

std::string command_names() {
  std::string names;
  for (std::size_t i = 0; i < std::size(commands); ++i) {
    bool const last = i + 1 == std::size(commands);
    names += (i == 0 ? "" : last ? " or " : ", ") + std::string(commands[i].name);
  }
  return names;
}

std::string words_for(const CLI::ParseError& e, const std::vector<std::string>& arguments, bool knows_command) {
  if (arguments.empty()) return "a command is missing: " + command_names();
  if (!knows_command && !arguments[0].starts_with("-")) return "there is no command '" + arguments[0] + "'";
  return as_clause(e.what());
}

}  // namespace

Verdict perform(const std::vector<std::string>& arguments, Terminal& terminal) {
  CLI::App app("An open toolchain for the Tensor Contraction Processor.", "tcp");
  app.set_version_flag("--version", "tcp " TCP_VERSION, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.footer(exit_codes);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  app.get_formatter()->column_width(24);
  std::vector<std::pair<CLI::App*, Action>> actions;
  std::string help = "tcp --help";
  bool knows_command = false;
  for (Command const& c : commands) {
    CLI::App* const sub = app.add_subcommand(c.name, c.does);
    actions.emplace_back(sub, c.declare(*sub));
    if (arguments.empty() || arguments[0] != c.name) continue;
    knows_command = true;
    help = std::string("tcp ") + c.name + " --help";
  }
  try {
    // CLI11 takes them from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    terminal.out << app.help();
  } catch (const CLI::CallForVersion&) {
    terminal.out << "tcp " TCP_VERSION "\n";
  } catch (const CLI::ParseError& e) {
    return misuse(words_for(e, arguments, knows_command), help);
  }
  for (auto const& [sub, action] : actions)
    if (sub->parsed() && sub->get_help_ptr()->count() == 0)
      if (auto v = action(terminal); !v) return v;
  terminal.out.flush();
  if (!terminal.out) return not_written("standard output", "the device does not take it");
  return accept();
}

Refusal misuse(const std::string& what, const std::string& help) {
  constexpr std::size_t room = 240;
  std::string plain;
  for (char c : what.substr(0, room)) plain += c >= ' ' && c < 0x7f ? c : '?';
  if (what.size() > room) plain += "...";
  return refuse("tool-usage").what(plain).why("options and arguments have one form").help("read ", help);
}

std::filesystem::path share_folder() {
  std::error_code failed;
  std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return (program.parent_path() / TCP_SHARE_FROM_PROGRAM).lexically_normal();
}

int run(const std::vector<std::string>& arguments, Terminal& terminal) {
  try {
    Verdict const v = perform(arguments, terminal);
    if (v) return done;
    terminal.out.flush();
    show(terminal, v.refusal());
    return exit_code_of(v.refusal());
  } catch (const std::exception& e) {  // a Bug says what to send us; anything else is one too
    terminal.err << e.what() << '\n';
    return broken;
  }
}

}  // namespace tcp::tool
