// `tcp fit`: a chip file whose timing model says what the vendor's scheduler planned, or what a chip took, as far as
// the data tell.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <deque>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "options.hpp"
#include "tcp/device/load.hpp"
#include "tcp/sched/fit.hpp"
#include "tcp/trace/join.hpp"
#include "trace_file.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* fit_help = "tcp fit --help";

struct FitOptions {
  KernelChoice kernel;
  std::vector<std::string> files, schedules, kernels, tests;
  SpanChoice spans;
  std::string chip, out;
  std::size_t rows = 10;
};

/// The entry of an option that belongs to file i, or the only one.
const std::string& entry_for(const std::vector<std::string>& given, std::size_t i) {
  static const std::string none;
  return given.empty() ? none : given[given.size() == 1 ? 0 : i];
}

/// Files in the order of the command line: the first kernel belongs to the first measurement.
struct FitFiles {
  std::vector<std::string> kernels;
  std::vector<trace::Trace> measured;
};

Verdict one_for_each(const char* option, const std::vector<std::string>& given, std::size_t files, const char* what) {
  if (given.size() <= 1 || given.size() == files) return accept();
  return misuse(std::string(option) + " is given " + std::to_string(given.size()) + " times, and there are " + std::to_string(files) + " " +
                    what + ": give one for all of them, or one for each in the same order",
                fit_help);
}

Expected<FitFiles> sorted_files(const FitOptions& o, Terminal& terminal) {
  FitFiles all;
  std::vector<std::string> measured;
  for (const std::string& path : o.files) {
    if (is_kernel(path)) {
      all.kernels.push_back(path);
      continue;
    }
    measured.push_back(path);
  }
  if (auto v = one_for_each("--schedule", o.schedules, measured.size(), "schedules or spans"); !v) return v.refusal();
  if (auto v = one_for_each("--test", o.tests, measured.size(), "schedules or spans"); !v) return v.refusal();
  if (auto v = one_for_each("--kernel", o.kernels, all.kernels.size(), "kernels"); !v) return v.refusal();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const std::string& path = measured[i];
    SpanChoice const choice{entry_for(o.schedules, i), entry_for(o.tests, i), o.spans.run};
    bool const chosen = !choice.schedule.empty() || !choice.test.empty() || !choice.run.empty();
    auto made = chosen ? import_dump(path, choice, o.chip) : read_trace(path, terminal);
    if (!made) return made.refusal();
    if (made->imported.empty())
      return misuse(path.substr(0, 100) + " was planned or simulated here: a model is fitted to what others planned or measured", fit_help);
    all.measured.push_back(*std::move(made));
  }
  if (all.kernels.empty() || all.kernels.size() != all.measured.size())
    return misuse("each kernel needs one measurement: there are " + std::to_string(all.kernels.size()) + " kernels and " +
                      std::to_string(all.measured.size()) + " schedules or spans",
                  fit_help);
  for (const trace::Trace& t : all.measured)
    if (t.imported != all.measured[0].imported)
      return misuse("a schedule is fitted by the model planned, spans by calibrated: fit one kind at a time", fit_help);
  return all;
}

/// The calls of one kernel that have a partner, with their commands.
struct FitCalls {
  std::vector<sched::MeasuredCall> calls;
  std::size_t without = 0;  // calls that only one side has, or has more often
};

Verdict add_calls(const std::string& path, const std::string& kernel, const trace::Trace& measured, const FitOptions& o,
                  std::deque<LoweredProgram>& programs, FitCalls& found, Terminal& terminal) {
  TraceChoice choice;
  choice.kernel = o.kernel;
  choice.kernel.path = path;
  choice.kernel.kernel = kernel;
  choice.chip = o.chip;
  choice.model = measured.imported == "schedule" ? "planned" : "calibrated";
  auto lowered = lower_choice(choice, terminal);
  if (!lowered) return lowered.refusal();
  const LoweredProgram& kept = programs.emplace_back(*std::move(lowered));
  auto const ours = plan_lowered(kept, choice);
  if (!ours) return ours.refusal();
  for (const trace::JoinedCommands& g : trace::join(*ours, measured)) {
    if (g.before.empty() || trace::count_of(*ours, g.before) != trace::count_of(measured, g.after)) {
      ++found.without;
      continue;
    }
    sched::MeasuredCall call{g.name, g.at, {}, trace::busy_of(measured, g.after)};
    for (std::int32_t c : g.before) call.commands.push_back(&kept.program.commands[static_cast<std::size_t>(c)]);
    found.calls.push_back(std::move(call));
  }
  return accept();
}

/// The mean of |log ratio| as a factor: 1.25.
std::string as_factor(double mean_log) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", std::exp(std::min(mean_log, 50.0)));
  return text;
}
std::string padded_left(const std::string& text, std::size_t room) { return std::string(room - std::min(room, text.size()), ' ') + text; }
std::string padded_right(const std::string& text, std::size_t room) { return text + std::string(room - std::min(room, text.size()), ' '); }

void show_fit(const sched::Fit& fit, const std::string& group, const FitCalls& found, std::size_t rows, std::ostream& out) {
  out << "model " << group << ", " << fit.calls.size() << (fit.calls.size() == 1 ? " call" : " calls") << " with a partner, "
      << found.without << " without: off by a factor of " << as_factor(fit.error_before) << " on average";
  if (!fit.fitted.empty()) out << ", after the fit " << as_factor(fit.error_after);
  out << "\n";
  if (!fit.fitted.empty()) out << "\nFitted\n";
  for (const sched::FittedNumber& n : fit.fitted)
    out << "  " << padded_right(n.key, 28) << padded_left(std::to_string(n.before), 10) << " -> " << n.after << "\n";
  out << "\nLeft alone\n";
  std::string unused = "  no call depends on:";
  std::size_t column = unused.size(), count = 0;
  for (const sched::NumberLeftAlone& n : fit.left_alone) {
    if (n.used) {
      out << "  " << padded_right(n.key, 28) << n.why << "\n";
      continue;
    }
    std::string const word = (count++ > 0 ? ", " : " ") + n.key;
    bool const broken = column + word.size() > 99;
    unused += broken ? ",\n    " + n.key : word;
    column = broken ? 4 + n.key.size() : column + word.size();
  }
  if (count > 0) out << unused << "\n";
  if (fit.calls.empty()) return;
  out << "\nCalls, the worst first (cycles)\n  measured    before     after  call\n";
  for (std::size_t i = 0; i < std::min(rows, fit.calls.size()); ++i) {
    const sched::FittedCall& c = fit.calls[i];
    out << padded_left(std::to_string(c.measured.value), 10) << padded_left(std::to_string(c.before.value), 10)
        << padded_left(std::to_string(c.after.value), 10) << "  " << c.name << " " << c.at << "\n";
  }
  if (fit.calls.size() > rows) out << "  ... and " << fit.calls.size() - rows << " more\n";
}

/// Spans have no source lines of their own.
Refusal no_partner(const FitFiles& files) {
  bool lines = false;
  for (const trace::Trace& t : files.measured) lines = lines || !t.sources.empty();
  if (!lines)
    return refuse("tool-fit-no-partner")
        .what("no measured command has a source line, so that none can be joined with a call of the kernel")
        .why("spans name commands by type and index; the dump of the schedule says which lines these are")
        .help("give the dump of the same program: --schedule FILE");
  return refuse("tool-fit-no-partner")
      .what("no call of the kernel is among what was planned or measured")
      .why("calls are the same by file, line, column and queue, and are used where both sides have as many commands")
      .help("give the kernel that was measured, as it was then, or look at tcp diff, which lists what has no partner");
}

Verdict fit_model(const FitOptions& o, Terminal& terminal) {
  std::vector<std::string> read = o.files;
  read.insert(read.end(), o.schedules.begin(), o.schedules.end());
  read.push_back(o.chip);
  if (auto v = keep_apart("-o", o.out, read, fit_help); !v) return v;
  auto const device = find_device(o.chip.empty() ? "rngd" : o.chip);
  if (!device) return device.refusal();
  auto const files = sorted_files(o, terminal);
  if (!files) return files.refusal();
  std::deque<LoweredProgram> programs;
  FitCalls found;
  for (std::size_t i = 0; i < files->kernels.size(); ++i)
    if (auto v = add_calls(files->kernels[i], entry_for(o.kernels, i), files->measured[i], o, programs, found, terminal); !v) return v;
  if (found.calls.empty()) return no_partner(*files);
  bool const planned = files->measured[0].imported == "schedule";
  auto const made = sched::fit(found.calls, *device, planned ? sched::Figures::Planned : sched::Figures::Seen);
  if (!made) return made.refusal();
  show_fit(*made, planned ? "planned" : "calibrated", found, o.rows, terminal.out);
  terminal.answered = true;
  if (made->fitted.empty())
    return refuse("tool-fit-untold")
        .what("the ", made->calls.size(), made->calls.size() == 1 ? " call tells" : " calls tell", " none of the numbers of the model")
        .why("a number is fitted if at least two calls depend on it, and no other number would change them in the same way")
        .help("give more kernels with their measurements: other sizes, other kinds of commands");
  if (o.out.empty()) return accept();
  Device fitted = made->device;
  std::string const name(device->name.view());
  fitted.name = DeviceName(name.ends_with("_fitted") ? name : name.substr(0, DeviceName::room - 7) + "_fitted");
  if (auto v = write_file(o.out, to_chip_file(fitted)); !v) return v;
  terminal.out << "\nwritten to " << o.out << ": --chip " << o.out << " uses it\n";
  return accept();
}

}  // namespace

Action declare_fit(CLI::App& command) {
  auto const options = std::make_shared<FitOptions>();
  FitOptions& o = *options;
  command
      .add_option(
          "FILE", o.files,
          "kernels, and for each of them, in the same order, what was planned or measured:\nthe dump of a schedule, spans, or a trace of "
          "tcp import")
      ->type_name("...")
      ->required()
      ->check(file_name());
  command.add_option("--kernel", o.kernels, "of several kernels in a file, this one; once, or once for each kernel file")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_scalar_options(command, o.kernel);
  command.add_option("-o,--output", o.out, "write the chip file to this file")->type_name("FILE")->check(file_name());
  command
      .add_option("--schedule", o.schedules,
                  "the dump of the same program: spans take their source lines from it;\nonce, or once for each file of spans")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(file_name());
  command.add_option("--test", o.tests, "of spans of several tests, those of this one; once, or once for each file of spans")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(not_empty("the test"));
  add_run_option(command, o.spans.run);
  command.add_option("--chip", o.chip, "the chip to begin with: rngd (the default), rngd_s, logical, or a chip file")->type_name("CHIP");
  command.add_option("--rows", o.rows, "how many calls are shown; default 10")->type_name("N")->check(at_least(1));
  command.footer(
      "A schedule is fitted by the numbers of the model planned, spans by those of calibrated. A number that the data do not\n"
      "tell is left alone, and the answer says why. Calls are joined as tcp diff joins them.\n"
      "Examples:\n"
      "  tcp fit loads.tcp loads.schedule.json -o my_costs.json\n"
      "  tcp fit loads.tcp loads.spans.txt --schedule loads.schedule.json -o my_costs.json\n"
      "  tcp fit loads.tcp loads.spans.txt --schedule loads.schedule.json relu.rs relu.spans.txt --schedule relu.schedule.json -o "
      "my_costs.json\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) {
    if (!options->kernel.list) return fit_model(*options, terminal);
    options->kernel.path = options->files.front();
    options->kernel.kernel = entry_for(options->kernels, 0);
    return list_kernels(options->kernel, terminal);
  };
}

}  // namespace tcp::tool
