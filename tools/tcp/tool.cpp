// Parses the command line, runs the command, and turns mistakes into our sentences, JSON and exit codes.
#include "tool.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "command.hpp"
#include "options.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/render.hpp"
#include "tcp/support/version.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Subcommand {
  const char* name;
  const char* does;
  Action (*declare)(CLI::App&);
};
constexpr Subcommand commands[] = {
    {"layout", "show a mapping: its factors, where each element is stored, how a sequencer walks it", declare_layout},
    {"check", "find every error of a kernel, a file or a crate; for people, editors and CI", declare_check},
    {"run", "run a kernel on arrays", declare_run},
    {"compile", "turn a kernel into engine configurations, and explain them", declare_compile},
    {"fmt", "format a text-form program canonically", declare_fmt},
    {"plan", "say how long a kernel takes, without computing a value", declare_plan},
    {"map", "make the kernel of a formula: the fastest mapping, and why it is that", declare_map},
    {"sweep", "plan kernels on chips with changed numbers and sizes: a table and a plot", declare_sweep},
    {"report", "say where the cycles of a trace went, and what to write instead", declare_report},
    {"diff", "compare two traces: what moved, appeared and vanished, and which is faster", declare_diff},
    {"view", "show a trace in the browser: when each command ran, what it waited for, what if", declare_view},
    {"import", "make a trace of a schedule that the vendor's tools dumped, or of a chip's spans", declare_import},
    {"fit", "fit the numbers of a timing model to what was planned or measured elsewhere", declare_fit},
    {"lens", "say for each line of a source what it costs and what holds it up; for editors", declare_lens},
    {"lsp", "serve an editor: errors, hovers, definitions, fixes and cycles in *.tcp and *.rs files", declare_lsp},
#ifndef TCP_WITHOUT_LLAMA
    {"llama", "run a language model from its checkpoint, text in and text out", declare_llama},
#endif
    {"new", "make a folder with a kernel, its host program and what builds them", declare_new},
    {"explain", "say what an error means, or list all codes", declare_explain},
    {"errors", "filter compiler output: each mistake once, in the user's file, with what to write", declare_errors},
    {"doctor", "look for what tcp needs on this machine, and say what to install", declare_doctor},
    {"completion", "print a shell-completion script", declare_completion},
    {"manual", "print all of this as a manual page or as Markdown", declare_manual},
};

constexpr const char* opening_words =
    "To begin: tcp new hello && cd hello && make run\n"
    "          make trace                 the cycles of your kernel, and what costs them\n"
    "          tcp view build/trace.json  the same in the browser\n"
    "          tcp doctor                 what is missing on this machine\n\n";
constexpr const char* closing_words =
    "\nMessages read `error[code]: what`; `tcp explain CODE` says more about a code.\n"
    "With --json an error is also the answer on standard output: {\"refused\": {\"code\": ...}}.\n"
    "Colours and progress are for terminals only; NO_COLOR and --colour never do without colours.";

/// `Exit codes: 0 done; 1 refused: ...`
std::string words_on_exit_codes() {
  std::string text;
  for (const ExitCodeText& e : exit_codes) text += (text.empty() ? "Exit codes: " : ";\n  ") + std::to_string(e.code) + " " + e.means;
  return text + ".";
}

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

/// For those who waited and look on.
void show_time(Terminal& terminal, std::chrono::duration<double> took) {
  constexpr double worth_a_line = 2;
  if (took.count() < worth_a_line || terminal.terminal < 0 || isatty(terminal.terminal) == 0) return;
  char words[64];
  std::snprintf(words, sizeof words, "took %.1f s\n", took.count());
  terminal.out.flush();
  terminal.err << words;
}

int exit_code_of(const Refusal& r) {
  std::string_view const code = r.code;
  return code == "tool-usage" ? misused : code == "runtime-interrupted" ? interrupted : refused;
}

Json json_of(const Refusal& r) {
  Json out{{"code", r.code}, {"what", r.headline.s}, {"why", r.note.s}, {"help", r.advice.s}};
  if (r.at.known()) out["at"] = {{"file", r.at.file}, {"line", r.at.line}};
  return out;
}

bool wants_json(const CLI::App& command) {
  const CLI::Option* const json = command.get_option_no_throw("--json");
  return json != nullptr && json->count() > 0;
}

/// The first letter of CLI11's sentences and their full stop do not fit into ours.
std::string as_clause(std::string words) {
  while (!words.empty() && (words.back() == '\n' || words.back() == '.' || words.back() == ' ')) words.pop_back();
  for (char& c : words)
    if (c == '\n') c = ' ';
  return words;
}

/// `--rows=3` and `--rows` are options; `-3`, `-` and `--` are none.
std::string option_in(const std::string& argument) {
  bool const named = argument.size() > 1 && argument[0] == '-' && (argument[1] == '-' || (argument[1] | 0x20) >= 'a');
  return named && argument != "--" ? argument.substr(0, argument.find('=')) : "";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  return names;
}

/// What is wrong with a command line, and what may have been meant.
struct Misuse {
  std::string what;
  std::vector<std::string> meant{};
};

Misuse misuse_of(const CLI::ParseError& e, const std::vector<std::string>& arguments, const CLI::App& app, const CLI::App* command) {
  if (command == nullptr && option_in(arguments[0]).empty()) {
    std::vector<std::string> names;
    for (Subcommand const& c : commands) names.emplace_back(c.name);
    return {"there is no command '" + arguments[0] + "'", nearest(arguments[0], names)};
  }
  const CLI::App& asked = command == nullptr ? app : *command;
  for (std::string const& argument : arguments) {
    if (argument == "--") break;
    std::string const option = option_in(argument);
    if (option.empty() || asked.get_option_no_throw(option) != nullptr) continue;
    return {"tcp" + (command == nullptr ? "" : " " + command->get_name()) + " has no option '" + option + "'",
            nearest(option, option_names(asked))};
  }
  std::string const said = as_clause(e.what());
  if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr)
    return {"tcp " + asked.get_name() + " does not take so many arguments: " + said.substr(std::min(said.size(), said.find(": ") + 2))};
  return {said};
}

Refusal refusal_for(const Misuse& m, const std::string& help_command) {
  Refusal r = misuse(m.what, help_command);
  for (std::size_t i = 0; i < m.meant.size(); ++i) r.help(i > 0 ? ", " : "; perhaps you meant ", m.meant[i]);
  return r;
}

/// What does not fit into this machine is no mistake of ours.
Verdict act(const Action& action, Terminal& terminal) {
  try {
    return action(terminal);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return refuse("tool-out-of-memory")
      .what("this takes more memory than the system gives")
      .why("arrays are kept as a whole, with notes on which elements are defined")
      .help("take smaller tensors, end other programs, or use a larger machine");
}

}  // namespace

Verdict perform(const std::vector<std::string>& arguments, Terminal& terminal) {
  CLI::App app("An open toolchain for the Tensor Contraction Processor.", "tcp");
  app.set_version_flag("--version", std::string("tcp ") + library_version(), "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.footer(opening_words + words_on_exit_codes() + closing_words);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  app.get_formatter()->column_width(24);
  std::vector<std::pair<CLI::App*, Action>> actions;
  std::string help = "tcp --help", colour = "auto";
  const CLI::App* called = nullptr;
  for (Subcommand const& c : commands) {
    CLI::App* const sub = app.add_subcommand(c.name, c.does);
    actions.emplace_back(sub, c.declare(*sub));
    sub->add_option("--colour,--color", colour, "whether the answer has colours; auto: on a terminal")
        ->type_name("auto|always|never")
        ->check(one_of({"auto", "always", "never"}));
    if (arguments.empty() || arguments[0] != c.name) continue;
    called = sub;
    help = std::string("tcp ") + c.name + " --help";
  }
  if (arguments.empty()) {
    terminal.out << app.help();
    return accept();
  }
  try {
    // CLI11 takes them from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    terminal.out << app.help();
  } catch (const CLI::CallForVersion&) {
    terminal.out << "tcp " << library_version() << "\n";
  } catch (const CLI::ParseError& e) {
    return refusal_for(misuse_of(e, arguments, app, called), help);
  }
  if (colour != "auto") terminal.colour_out = terminal.colour_err = colour == "always";
  for (auto const& [sub, action] : actions) {
    if (!sub->parsed() || sub->get_help_ptr()->count() > 0) continue;
    auto v = act(action, terminal);
    if (v) continue;
    if (wants_json(*sub) && !terminal.answered) terminal.out << json_text({{"refused", json_of(v.refusal())}});
    return v;
  }
  terminal.out.flush();
  if (!terminal.out) return not_written("standard output", "the device does not take it");
  return accept();
}

Refusal misuse(const std::string& what, const std::string& help) {
  constexpr std::size_t room = 240;
  std::string plain;
  for (char c : what.substr(0, room)) plain += c >= ' ' && c < 0x7f ? c : '?';
  if (what.size() > room) plain += "...";
  return refuse("tool-usage").what(plain).help("read ", help);
}

namespace {

/// By the name that it was called by, where the system has no /proc, as in a bare chroot.
std::filesystem::path called_program() {
  std::filesystem::path const name = program_invocation_name;
  std::error_code failed;
  if (name.has_parent_path()) return std::filesystem::weakly_canonical(name, failed);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::path const at = std::filesystem::path(folder) / name; access(at.c_str(), X_OK) == 0)
      return std::filesystem::weakly_canonical(at, failed);
  return name;
}

}  // namespace

std::filesystem::path share_folder() {
  std::error_code failed;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) program = called_program();
  return (program.parent_path() / TCP_SHARE_FROM_PROGRAM).lexically_normal();
}

int run(const std::vector<std::string>& arguments, Terminal& terminal) {
  try {
    auto const begin = std::chrono::steady_clock::now();
    Verdict const v = perform(arguments, terminal);
    show_time(terminal, std::chrono::steady_clock::now() - begin);
    if (v) return done;
    terminal.out.flush();
    show(terminal, v.refusal());
    return exit_code_of(v.refusal());
  } catch (const Bug& bug) {
    terminal.err << bug.what() << '\n';
  } catch (const std::exception& e) {
    terminal.err << "this is a bug in tcp, not in your program: " << e.what()
                 << "; please send us the command and the files that led here\n";
  }
  return broken;
}

}  // namespace tcp::tool
