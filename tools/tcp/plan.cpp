// `tcp plan`: how long a kernel takes, by a timing model; no value is computed on the way.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <sstream>

#include "command.hpp"
#include "options.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "trace_file.hpp"
#include "trace_page.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* plan_help = "tcp plan --help";

struct PlanCommand {
  TraceChoice trace;
  std::string trace_file, page_file;
  std::size_t rows = 10;
  bool report = false, ticks = false, json = false;
};

Verdict write_outputs(const PlanCommand& options, const trace::Trace& trace, const Terminal& terminal) {
  if (!options.trace_file.empty()) {
    std::ostringstream text;
    trace::write_json(trace, text);
    if (auto v = write_file(options.trace_file, text.view()); !v) return v;
  }
  if (options.page_file.empty()) return accept();
  auto const page = page_of(terminal, {trace}, options.ticks);
  if (!page) return page.refusal();
  return write_file(options.page_file, *page);
}

Verdict make_plan(const PlanCommand& options, Terminal& terminal) {
  if (options.trace.kernel.list) return list_kernels(options.trace.kernel, terminal);
  std::vector<std::string> const read{options.trace.kernel.path, options.trace.chip};
  if (auto v = keep_apart({{"--trace", options.trace_file}, {"--page", options.page_file}}, read, plan_help); !v) return v;
  auto const trace = plan_file(options.trace, terminal);
  if (!trace) return trace.refusal();
  if (auto v = write_outputs(options, *trace, terminal); !v) return v;
  trace::Report const report = trace::make_report(*trace);
  trace::Show const how{.rows = options.rows, .colour = terminal.colour_out, .ticks = options.ticks};
  if (options.json) trace::write_json(report, terminal.out);
  else terminal.out << (options.report ? trace::show(report, how) : trace::show_head(report, how));
  return accept();
}

}  // namespace

Action declare_plan(CLI::App& command) {
  auto const options = std::make_shared<PlanCommand>();
  PlanCommand& o = *options;
  command
      .add_option("FILE", o.trace.kernel.path,
                  "a program in text form, *.tcp; an executable that launches a kernel;\nkernels in Rust: a .rs file, a crate's folder, "
                  "its Cargo.toml;\nor what tcp compile --emit program or json wrote")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_trace_options(command, o.trace);
  command.add_flag("--report", o.report, "print the whole report of tcp report, and not its first lines only");
  command.add_option("--rows", o.rows, "how many entries of each list of the report; default 10")->type_name("N")->check(at_least(1));
  command.add_option("--trace", o.trace_file, "write the plan as a trace, for tcp report, tcp diff and tcp view")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--page", o.page_file, "write the page of tcp view")->type_name("FILE")->check(file_name());
  command.add_flag("--ticks", o.ticks, "print ticks beside cycles: the counter of chips runs faster than the clock");
  command.add_flag("--json", o.json, "answer in JSON, as tcp report does");
  command.footer(
      "An executable is run, with the words of --arg, on a backend that computes nothing (TCP_BACKEND=plan): its kernels are\n"
      "recorded, and every value that it downloads is zero. Its standard output is not shown.\n"
      "Examples:\n"
      "  tcp plan gemm.tcp\n"
      "  tcp plan gemm.tcp --model planned --order program\n"
      "  tcp plan ./gemm --kernel gemm --model calibrated --ticks\n"
      "  tcp plan kernels.rs --kernel relu_twice --report --rows 3\n"
      "  tcp plan gemm.tcp --trace plan.json --page plan.html\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return make_plan(*options, terminal); };
}

}  // namespace tcp::tool
