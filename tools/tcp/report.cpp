// `tcp report`: where the cycles of a trace went.
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

struct ReportOptions {
  TraceChoice trace;
  std::string perfetto;
  std::size_t rows = 10;
  bool json = false, assumptions = false, ticks = false, what_if = false;
};

Verdict write_perfetto(const trace::Trace& trace, const std::string& path) {
  std::ostringstream events;
  trace::write_perfetto(trace, events);
  return write_file(path, events.view());
}

Verdict report(const ReportOptions& options, Terminal& terminal) {
  if (options.trace.kernel.list) return list_kernels(options.trace.kernel, terminal);
  if (auto v = keep_apart("--perfetto", options.perfetto, {options.trace.kernel.path}, "tcp report --help"); !v) return v;
  auto const trace = read_trace(options.trace, terminal);
  if (!trace) return trace.refusal();
  if (options.ticks && trace->ticks_per_cycle == 0) return ticks_unknown(options.trace.kernel.path);
  if (!options.perfetto.empty()) return write_perfetto(*trace, options.perfetto);
  trace::Report const made = trace::make_report(*trace, options.what_if);
  if (options.json) trace::write_json(made, terminal.out);
  else terminal.out << trace::show(made, {options.rows, terminal.colour_out, options.assumptions, options.ticks, options.what_if});
  return accept();
}

}  // namespace

Action declare_report(CLI::App& command) {
  auto const options = std::make_shared<ReportOptions>();
  command
      .add_option("TRACE", options->trace.kernel.path,
                  "a trace file (TCP_TRACE=FILE writes one); a kernel, which is planned: *.tcp, *.rs, a crate,\nan executable, what "
                  "tcp compile wrote; a schedule or spans, as tcp import takes them")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_trace_options(command, options->trace);
  command.add_option("--rows", options->rows, "how many entries of each list; default 10")->type_name("N")->check(at_least(1));
  command.add_flag("--ticks", options->ticks, "print ticks beside cycles: the counter of chips runs faster than the clock");
  command.add_flag("--what-if", options->what_if,
                   "instead, leave out each wait, buffer, engine, stall and finding in turn, and show the three that gain most");
  command.add_flag("--assumptions", options->assumptions, "list the unpublished numbers");
  command.add_flag("--json", options->json, "answer in JSON");
  command.add_option("--perfetto", options->perfetto, "instead, write the trace for ui.perfetto.dev to this file")
      ->type_name("FILE")
      ->check(file_name());
  command.footer(
      "Examples:\n"
      "  tcp report gemm.json\n"
      "  tcp report gemm.json --json\n"
      "  tcp report gemm.json --what-if\n"
      "  tcp report kernels.rs --kernel relu_twice --model planned\n"
      "  tcp report gemm.json --perfetto gemm.perfetto.json\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return report(*options, terminal); };
}

}  // namespace tcp::tool
