// `tcp import`: what the vendor's tools wrote, as a trace that report, diff and view read.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <sstream>

#include "command.hpp"
#include "options.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "trace_file.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* import_help = "tcp import --help";

struct ImportOptions {
  std::string path, chip, out;
  SpanChoice spans;
};

Verdict import_and_show(const ImportOptions& o, Terminal& terminal) {
  if (auto v = keep_apart("-o", o.out, {o.path, o.spans.schedule, o.chip}, import_help); !v) return v;
  auto const made = import_dump(o.path, o.spans, o.chip);
  if (!made) return made.refusal();
  if (!o.out.empty()) {
    std::ostringstream text;
    trace::write_json(*made, text);
    if (auto v = write_file(o.out, text.view()); !v) return v;
  }
  terminal.out << trace::show_head(trace::make_report(*made), {.colour = terminal.colour_out});
  return accept();
}

}  // namespace

Action declare_import(CLI::App& command) {
  auto const options = std::make_shared<ImportOptions>();
  ImportOptions& o = *options;
  command.add_option("FILE", o.path, "the dump of a schedule (JSON), or a text with the spans of a chip; its contents say which")
      ->type_name("")
      ->required()
      ->check(file_name());
  command.add_option("-o,--output", o.out, "write the trace to this file; otherwise only its first lines are printed")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--schedule", o.spans.schedule, "the dump of the same program: spans take their source lines from it")
      ->type_name("FILE")
      ->check(file_name());
  add_span_options(command, o.spans);
  command.add_option("--chip", o.chip, "the chip that was planned for or measured: rngd (the default), rngd_s, logical, or a chip file")
      ->type_name("CHIP");
  command.footer(
      "Fields, types and contexts that are not known are kept, and tcp report and tcp view show them.\n"
      "tcp report, tcp diff and tcp view take these files as they are, too.\n"
      "Examples:\n"
      "  tcp import relu.schedule.json -o plan.json\n"
      "  tcp import relu.spans.txt --schedule relu.schedule.json -o chip.json\n"
      "  tcp import relu.spans.txt --test relu --run 1 -o chip.json\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return import_and_show(*options, terminal); };
}

}  // namespace tcp::tool
