// `tcp diff`: two traces of a kernel, before and after a change.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "options.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/json.hpp"
#include "trace_file.hpp"

namespace tcp::tool {
namespace {

struct DiffOptions {
  TraceChoice before;
  std::string after, max_slowdown;
  std::size_t rows = 20;
  bool json = false, ticks = false;
};

/// "2%", "0.5 %" or "2", in hundredths of a percent; below 0: it is none.
std::int64_t read_percent(std::string text) {
  if (text.ends_with('%')) text.pop_back();
  while (text.ends_with(' ')) text.pop_back();
  double percent = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  bool const whole = error == std::errc{} && end == text.data() + text.size();
  return whole && percent >= 0 && percent <= 1e6 ? static_cast<std::int64_t>(std::llround(percent * 100)) : -1;
}

/// Hundredths of a percent as people write them: 2.34 %.
std::string percent(std::int64_t hundredths) {
  std::string const digits = std::to_string(1000 + hundredths % 100);
  return std::to_string(hundredths / 100) + "." + digits.substr(2) + " %";
}

Verdict hold_to(const trace::Diff& diff, std::int64_t allowed) {
  std::int64_t const slower = trace::slowdown(diff);
  if (slower <= allowed) return accept();
  return refuse("trace-slower")
      .what("the second trace takes ", diff.after, " against ", diff.before, ", ", percent(slower), " more; --max-slowdown allows ",
            percent(allowed))
      .why("a build that must not become slower asks for this")
      .help("undo what the verdict names, or take the second trace as the new measure");
}

TraceChoice only_path(const TraceChoice& choice) {
  TraceChoice made;
  made.kernel.path = choice.kernel.path;
  return made;
}

Verdict diff(const DiffOptions& options, Terminal& terminal) {
  std::int64_t const allowed = options.max_slowdown.empty() ? 0 : read_percent(options.max_slowdown);
  if (allowed < 0) return misuse("--max-slowdown needs a percentage such as 2%, not '" + options.max_slowdown + "'", "tcp diff --help");
  if (options.before.kernel.list) return list_kernels(options.before.kernel, terminal);
  TraceChoice first = options.before, second = options.before;
  second.kernel.path = options.after;
  // Where one side is a trace and the other a kernel, the options that choose a kernel and its chip are the kernel's.
  bool const first_planned = is_kernel(first.kernel.path), second_planned = is_kernel(second.kernel.path);
  if (second_planned && !first_planned) first = only_path(first);
  if (first_planned && !second_planned) second = only_path(second);
  auto const before = read_trace(first, terminal);
  if (!before) return before.refusal();
  auto const after = read_trace(second, terminal);
  if (!after) return after.refusal();
  trace::Diff const made = trace::compare(*before, *after);
  if (options.ticks && made.ticks_per_cycle == 0) return ticks_unknown(options.before.kernel.path);
  terminal.answered = true;
  if (options.json) trace::write_json(made, terminal.out);
  else terminal.out << trace::show(made, {options.rows, terminal.colour_out, options.ticks});
  return options.max_slowdown.empty() ? accept() : hold_to(made, allowed);
}

}  // namespace

Action declare_diff(CLI::App& command) {
  auto const options = std::make_shared<DiffOptions>();
  command
      .add_option("BEFORE", options->before.kernel.path,
                  "a trace; a kernel, which is planned; or a schedule or spans, as tcp import takes them")
      ->type_name("")
      ->required()
      ->check(file_name());
  command.add_option("AFTER", options->after, "another of the same kernel; with one that was imported, calls are compared")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_trace_options(command, options->before);
  command.add_option("--max-slowdown", options->max_slowdown, "exit code 1 if AFTER takes longer by more than this: 2%")
      ->type_name("PERCENT")
      ->check(not_empty("the percentage"));
  command.add_option("--rows", options->rows, "how many lines of the kernel; default 20")->type_name("N")->check(at_least(1));
  command.add_flag("--ticks", options->ticks, "print ticks beside cycles: the counter of chips runs faster than the clock");
  command.add_flag("--json", options->json, "answer in JSON");
  command.footer(
      "Examples:\n"
      "  tcp diff before.json after.json\n"
      "  tcp diff main.json branch.json --max-slowdown 2%\n"
      "  tcp diff relu.schedule.json relu.spans.txt\n"
      "  tcp diff gemm.json gemm.tcp --set hbm.clock=1500\n"
      "Exit codes: 0 done, and not slower than allowed; 1 slower than allowed, or an error; 2 wrong usage.");
  return [options](Terminal& terminal) { return diff(*options, terminal); };
}

}  // namespace tcp::tool
