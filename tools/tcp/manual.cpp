// `tcp manual`: the whole command line as a page, for man (tcp.1) or in Markdown (docs/commands.md).
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "describe.hpp"
#include "options.hpp"
#include "tcp/support/version.hpp"

namespace tcp::tool {
namespace {

struct ManualRow {
  std::string name, means;
};
const ManualRow environment_rows[] = {{"NO_COLOR", "if it is set and not empty, nothing is coloured"},
                                      {"TERM", "a terminal that is `dumb` gets no colours"},
                                      {"TCP_BACKEND, TCP_TRACE, TCP_CHECK, TCP_PROGRESS",
                                       "are read by programs that launch kernels, not by this command; docs/environment.md has them all"}};
const ManualRow convention_rows[] = {
    {"--json",
     "the answer is one JSON value on standard output. So is an error then: {\"refused\": {\"code\", \"what\", \"why\", \"help\"}}; its "
     "text is on standard error as well"},
    {"-o, --output", "the file to write instead of standard output. It is replaced as a whole, or left as it was"},
    {"--chip", "a chip that tcp knows (rngd, rngd_s, logical) or the path of a chip file"},
    {"--rows", "how many entries of each list are shown"},
    {"--colour", "auto, always or never; also spelt --color"}};

std::vector<ManualRow> exit_rows() {
  std::vector<ManualRow> rows;
  for (const ExitCodeText& e : exit_codes) rows.push_back({std::to_string(e.code), e.means});
  return rows;
}

std::string with_names(const OptionText& o) {
  std::string text;
  for (std::string const& name : o.names) text += (text.empty() ? "" : ", ") + name;
  return o.argument || o.value.empty() ? text : text + " " + o.value;
}

bool is_common(const OptionText& o) { return o.names.back() == "--help" || o.names.front() == "--colour"; }

// roff

std::string roff(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '\'') out += "\\(aq";
    else if (c == '`') out += "\\(ga";
    else if (c == '^') out += "\\(ha";
    else if (c == '~') out += "\\(ti";
    else out += c;
  }
  return out.starts_with(".") ? "\\&" + out : out;
}

void roff_rows(std::ostream& out, const char* title, const auto& rows) {
  out << ".SH " << title << '\n';
  for (const ManualRow& r : rows) out << ".TP\n.B " << roff(r.name) << '\n' << roff(r.means) << '\n';
}

void roff_command(std::ostream& out, const CommandText& c) {
  out << ".SS " << roff(synopsis(c)) << '\n' << roff(c.does) << ".\n";
  for (const OptionText& o : c.options)
    if (!is_common(o)) out << ".TP\n.B " << roff(with_names(o)) << '\n' << roff(o.does) << '\n';
  if (!c.notes.empty()) out << ".PP\n";
  for (std::string const& note : c.notes) out << roff(note) << '\n';
  out << ".PP\nExamples:\n.PP\n.nf\n";
  for (std::string const& example : c.examples) out << roff(example) << '\n';
  out << ".fi\n.PP\nExit codes: " << roff(c.exit_codes) << '\n';
}

void man(std::ostream& out, const ToolText& tool) {
  out << ".\\\" Made by `tcp manual`.\n.TH TCP 1 \"\" \"tcp " << library_version() << "\" \"User Commands\"\n"
      << ".SH NAME\ntcp \\- " << "an open toolchain for the Tensor Contraction Processor\n"
      << ".SH SYNOPSIS\n.B tcp\n.I COMMAND\n.RI [ ARGUMENT ...]\n.RI [ OPTION ...]\n"
      << ".SH DESCRIPTION\nRuns, compiles and simulates kernels for the TCP Virtual ISA, and shows where their cycles went.\n"
      << "Every command has\n.BR \\-\\-help .\n"
      << ".SH COMMANDS\n";
  for (const CommandText& c : tool.commands) roff_command(out, c);
  roff_rows(out, "OPTIONS OF SEVERAL COMMANDS", convention_rows);
  roff_rows(out, "EXIT STATUS", exit_rows());
  roff_rows(out, "ENVIRONMENT", environment_rows);
}

// Markdown

/// In a cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

void markdown_rows(std::ostream& out, const char* name, const char* means, const auto& rows) {
  out << "| " << name << " | " << means << " |\n|---|---|\n";
  for (const ManualRow& r : rows) out << "| `" << cell(r.name) << "` | " << cell(r.means) << " |\n";
  out << '\n';
}

void markdown_command(std::ostream& out, const CommandText& c) {
  out << "## tcp " << c.name << "\n\n" << "`" << synopsis(c) << "`: " << c.does << ".\n\n| option | does |\n|---|---|\n";
  for (const OptionText& o : c.options)
    if (!is_common(o)) out << "| `" << cell(with_names(o)) << "` | " << cell(o.does) << " |\n";
  out << '\n';
  for (std::string const& note : c.notes) out << note << '\n';
  if (!c.notes.empty()) out << '\n';
  out << "```sh\n";
  for (std::string const& example : c.examples) out << example << '\n';
  out << "```\n\nExit codes: " << c.exit_codes << "\n\n";
}

void markdown(std::ostream& out, const ToolText& tool) {
  out << "# The tcp command\n\nThis page is printed by `tcp manual --format markdown`; `man tcp` says the same, and `tcp COMMAND --help` "
         "the part of a "
         "command.\n\n| command | does |\n|---|---|\n";
  for (const CommandText& c : tool.commands) out << "| [" << c.name << "](#tcp-" << c.name << ") | " << cell(c.does) << " |\n";
  out << "\n## What holds for all\n\nEvery command has `--help`, with examples. Progress, and how long it took, are shown on a terminal "
         "only; "
         "elsewhere standard output has the answer and nothing else.\n\n";
  markdown_rows(out, "option", "of several commands", convention_rows);
  markdown_rows(out, "exit code", "means", exit_rows());
  markdown_rows(out, "variable", "means", environment_rows);
  for (const CommandText& c : tool.commands) markdown_command(out, c);
  out << "[The package](package.md) installs the manual page and the completion of bash, zsh and fish; `tcp lens` is for "
         "[editors](editor.md).\n";
}

}  // namespace

Action declare_manual(CLI::App& command) {
  auto const format = std::make_shared<std::string>("man");
  command.add_option("--format", *format, "for man, which is the default, or Markdown")
      ->type_name("man|markdown")
      ->check(one_of({"man", "markdown"}));
  command.footer(
      "Examples:\n"
      "  tcp manual | man -l -\n"
      "  tcp manual --format markdown > docs/commands.md\n"
      "Exit codes: 0 done, 2 wrong usage; see tcp --help.");
  return [format, root = command.get_parent()](Terminal& terminal) {
    ToolText const text = describe(*root);
    if (*format == "man") man(terminal.out, text);
    else markdown(terminal.out, text);
    return accept();
  };
}

}  // namespace tcp::tool
