// Reads a trace of a file, or compiles a kernel and plans it.
#include "trace_file.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "command.hpp"
#include "option_checks.hpp"
#include "tcp/device/load.hpp"
#include "tcp/io/file.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/trace/json.hpp"

namespace tcp::tool {
namespace {

Expected<trace::Trace> planned_trace(const TraceChoice& choice, Terminal& terminal) {
  auto const device = find_device(choice.chip);
  if (!device) return device.refusal();
  auto const file = read_kernel(choice.kernel, *device, terminal);
  if (!file) return file.refusal();
  auto const verified = ir::verify(file->module, *device);
  if (!verified) return file->about(verified.refusal());
  auto const program = lower::lower(*verified);
  if (!program) return file->about(program.refusal());
  auto const made = plan(*program, *device, {.model = choice.model});
  if (!made) return file->about(made.refusal());
  return trace_of(*program, *made, *device);
}

}  // namespace

Expected<trace::Trace> read_trace(const TraceChoice& choice, Terminal& terminal) {
  const std::string& path = choice.kernel.path;
  if (is_kernel(path)) return planned_trace(choice, terminal);
  if (!choice.kernel.kernel.empty()) return misuse("--kernel chooses among kernels; '" + path + "' is taken for a trace", "tcp --help");
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  std::string_view const text(reinterpret_cast<const char*>((*file)->bytes().data()), (*file)->bytes().size());
  return trace::read_json(text, std::filesystem::path(path).filename().string());
}
Expected<trace::Trace> read_trace(const std::string& path, Terminal& terminal) {
  TraceChoice choice;
  choice.kernel.path = path;
  return read_trace(choice, terminal);
}

void add_trace_options(CLI::App& command, TraceChoice& choice) {
  add_kernel_options(command, choice.kernel);
  command.add_option("--model", choice.model, "of a kernel's cycles: book (the default), planned, calibrated or detailed")
      ->type_name("book|planned|calibrated|detailed")
      ->check(one_of({std::begin(timing_models), std::end(timing_models)}));
}

}  // namespace tcp::tool
