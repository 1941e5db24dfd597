// Reads a trace of a file, or compiles a kernel and plans it. What a file is, its contents say.
#include "trace_file.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <ostream>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "line_costs.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/io/file.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/trace/json.hpp"

namespace tcp::tool {
namespace {

/// Words of --order.
constexpr const char *in_program_order = "program", *as_ready = "ready", *shorter = "shorter";

PlanOptions plan_options(const TraceChoice& choice) {
  PlanOptions options{.model = choice.model, .reorder = choice.order == shorter};
  if (choice.order == in_program_order) options.order = sched::Order::program;
  if (choice.order == as_ready) options.order = sched::Order::ready;
  return options;
}

Expected<LoweredProgram> lowered_kernel(const TraceChoice& choice, Terminal& terminal) {
  auto const device = chosen_device(choice.chip.empty() ? "rngd" : choice.chip, choice.kernel.scalars);
  if (!device) return device.refusal();
  KernelChoice recorded = choice.kernel;
  recorded.values = false;
  auto const file = read_kernel(recorded, *device, terminal);
  if (!file) return file.refusal();
  auto const verified = ir::verify(file->module, *device);
  if (!verified) return file->about(verified.refusal());
  auto program = lower::lower(*verified);
  if (!program) return file->about(program.refusal());
  return LoweredProgram{*std::move(program), *device};
}

/// What a file holds that is no kernel.
enum class Content { trace, program, program_json, dump };

/// The file's own name: that of its folder says little and may be long.
std::string name_in(const std::string& path) { return plain(std::filesystem::path(path).filename().string()); }

std::string_view text_of(const io::MappedFile& file) { return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}; }

Content content_in(const io::MappedFile& file) {
  if (program::looks_encoded(file.bytes())) return Content::program;
  std::string_view const begin = text_of(file).substr(0, 64);
  if (begin.find("\"tcp_program\"") != begin.npos) return Content::program_json;
  if (begin.find("\"tcp-trace\"") != begin.npos) return Content::trace;
  return io::dump_kind(text_of(file)) == io::DumpKind::none ? Content::trace : Content::dump;
}

Expected<LoweredProgram> compiled_program(const io::MappedFile& file, Content content, const TraceChoice& choice) {
  auto program = content == Content::program ? program::decode(file.bytes()) : program::from_json(text_of(file));
  if (!program) return program.refusal();
  auto const device = chosen_device(choice.chip.empty() ? program->chip : choice.chip, choice.kernel.scalars);
  if (!device) return device.refusal();
  if (auto v = program::check(*program, *device); !v) return v.refusal();
  return LoweredProgram{*std::move(program), *device};
}

Expected<trace::Trace> planned(const Expected<LoweredProgram>& lowered, const TraceChoice& choice) {
  if (!lowered) return lowered.refusal();
  return plan_lowered(*lowered, choice);
}

bool is_program(Content content) { return content == Content::program || content == Content::program_json; }

}  // namespace

Expected<LoweredProgram> lower_choice(const TraceChoice& choice, Terminal& terminal) {
  const std::string& path = choice.kernel.path;
  if (is_kernel(path)) return lowered_kernel(choice, terminal);
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  Content const content = content_in(**file);
  if (is_program(content) && !choice.kernel.kernel.empty())
    return misuse("--kernel chooses among kernels; '" + path + "' is a compiled program", "tcp --help");
  if (is_program(content)) return compiled_program(**file, content, choice);
  return refuse("tool-nothing-to-plan")
      .what("'", name_in(path), "' is neither a kernel nor a compiled program")
      .why("a plan is made of commands: of a program in text form (*.tcp), of Rust, of an executable, or of what tcp compile wrote")
      .help("give one of these; tcp report and tcp view read traces");
}

Expected<trace::Trace> plan_lowered(const LoweredProgram& lowered, const TraceChoice& choice) {
  auto const made = plan(lowered.program, lowered.device, plan_options(choice));
  if (!made) return made.refusal();
  return trace_of(lowered.program, *made, lowered.device);
}

Expected<trace::Trace> plan_file(const TraceChoice& choice, Terminal& terminal) {
  auto made = planned(lower_choice(choice, terminal), choice);
  if (made) note_settings_without_effect(choice, made->makespan, terminal);
  return made;
}

void note_settings_without_effect(const TraceChoice& choice, Cycles makespan, Terminal& terminal) {
  for (const std::string& setting : chip_settings(choice.kernel.scalars)) {
    TraceChoice without = choice;
    std::erase(without.kernel.scalars, setting);
    std::ostringstream unread;
    Terminal silent{unread, unread, false, false, terminal.share};
    auto const other = planned(lower_choice(without, silent), without);
    if (other && other->makespan == makespan)
      terminal.err << "note: " << plain(setting) << " has no effect here: " << with_commas(makespan.value)
                   << " cycles with it and without it\n";
  }
}

void note_settings_without_effect(const TraceChoice& choice, Terminal& terminal) {
  std::ostringstream unread;
  Terminal silent{unread, unread, false, false, terminal.share};
  auto const compiled = [&](const TraceChoice& kernel) {
    auto const lowered = lower_choice(kernel, silent);
    if (!lowered) return std::vector<std::byte>();
    program::Program program = lowered->program;
    program.chip.clear();  // the name says which numbers were changed
    return program::encode(program);
  };
  std::vector<std::string> const settings = chip_settings(choice.kernel.scalars);
  auto const with = settings.empty() ? std::vector<std::byte>() : compiled(choice);
  for (const std::string& setting : settings) {
    TraceChoice without = choice;
    std::erase(without.kernel.scalars, setting);
    if (!with.empty() && compiled(without) == with)
      terminal.err << "note: " << plain(setting)
                   << " has no effect here: the same commands with it and without it; tcp plan says what it does to cycles\n";
  }
}

Expected<trace::Trace> read_trace(const TraceChoice& choice, Terminal& terminal) {
  const std::string& path = choice.kernel.path;
  if (is_kernel(path)) return plan_file(choice, terminal);
  if (!choice.kernel.kernel.empty()) return misuse("--kernel chooses among kernels; '" + path + "' is taken for a trace", "tcp --help");
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  Content const content = content_in(**file);
  if (is_program(content)) return planned(compiled_program(**file, content, choice), choice);
  if (content == Content::trace && (!choice.chip.empty() || !choice.kernel.scalars.empty()))
    return misuse("--chip and --set change the chip that a kernel is planned for; '" + path.substr(0, 100) +
                      "' is a trace, whose cycles are recorded",
                  "tcp plan --help");
  if (content == Content::trace) return trace::read_json(text_of(**file), name_in(path));
  return import_dump(path, {}, choice.chip);
}
Expected<trace::Trace> read_trace(const std::string& path, Terminal& terminal) {
  TraceChoice choice;
  choice.kernel.path = path;
  return read_trace(choice, terminal);
}

Expected<io::DumpOptions> dump_options(const std::string& chip) {
  auto const device = find_device(chip.empty() ? "rngd" : chip);
  if (!device) return device.refusal();
  return io::DumpOptions{std::string(device->name.view()), device->clocks.core_mhz, device->clocks.ticks_per_cycle, nullptr};
}

Expected<trace::Trace> import_dump(const std::string& path, const SpanChoice& choice, const std::string& chip) {
  auto const known = dump_options(chip);
  if (!known) return known.refusal();
  io::DumpOptions options = *known;
  auto const read = [&options](const std::string& each) -> Expected<trace::Trace> {
    auto const file = io::MappedFile::open(each);
    if (!file) return file.refusal();
    return io::read_dump(text_of(**file), name_in(each), options);
  };
  auto const lines = choice.schedule.empty() ? Expected<trace::Trace>(trace::Trace{}) : read(choice.schedule);
  if (!lines) return lines.refusal();
  if (!choice.schedule.empty() && lines->imported != "schedule")
    return misuse("--schedule takes the dump of a schedule, and " + choice.schedule.substr(0, 100) + " has spans", "tcp import --help");
  if (!choice.schedule.empty()) options.schedule = &*lines;
  options.test = choice.test;
  if (choice.run == "all") options.run = io::DumpOptions::all_runs;
  else if (!choice.run.empty() && choice.run != "median") options.run = std::stoll(choice.run);
  auto made = read(path);
  if (!made || made->imported == "spans") return made;
  if (!choice.schedule.empty())
    return misuse("--schedule gives source lines to spans, and " + path.substr(0, 100) + " is a schedule, which has its own",
                  "tcp import --help");
  if (!choice.test.empty() || !choice.run.empty())
    return misuse("--test and --run choose among spans, and " + path.substr(0, 100) + " is a schedule", "tcp import --help");
  return made;
}

void add_span_options(CLI::App& command, SpanChoice& choice) {
  command.add_option("--test", choice.test, "of spans of several tests, those of this one")
      ->type_name("NAME")
      ->check(not_empty("the test"));
  add_run_option(command, choice.run);
}

void add_run_option(CLI::App& command, std::string& run) {
  auto const is_run = [](const std::string& text) -> std::string {
    bool const number = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos && text[0] != '0';
    return number || text == "median" || text == "all" ? ""
                                                       : "--run needs a number from 1 on, median or all, not '" + text.substr(0, 40) + "'";
  };
  command
      .add_option("--run", run,
                  "of spans of several runs of a test: the median of each command (the default),\nall, or the run with this number")
      ->type_name("median|all|N")
      ->check(is_run);
}

Refusal ticks_unknown(const std::string& path) {
  return refuse("tool-ticks-unknown")
      .what("'", name_in(path), "' does not say how many ticks a cycle has")
      .why("the number is the chip's, and traces have it from version 4 on; of two traces both must have the same")
      .help("write the trace again with this version, or leave --ticks out");
}

void add_trace_options(CLI::App& command, TraceChoice& choice) {
  add_kernel_options(command, choice.kernel);
  command.add_option("--model", choice.model, "of a kernel's cycles: book (the default), planned, calibrated or detailed")
      ->type_name("book|planned|calibrated|detailed")
      ->check(one_of({std::begin(timing_models), std::end(timing_models)}));
  command
      .add_option(
          "--order", choice.order,
          "of a kernel's commands: program, as they are written; ready, as they become ready;\nshorter, another one that keeps every "
          "hazard, where that is shorter.\nDefault: that of the model: ready with planned and calibrated, else program")
      ->type_name("program|ready|shorter")
      ->check(one_of({in_program_order, as_ready, shorter}));
  command
      .add_option(
          "--chip", choice.chip,
          "the chip that a kernel is planned for: rngd (the default), rngd_s, logical,\nor a chip file; of a compiled program, its own")
      ->type_name("CHIP");
}

}  // namespace tcp::tool
