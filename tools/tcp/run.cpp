// `tcp run`: a kernel, in text form, inside an executable or in Rust, executed on arrays from files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>

#include "command.hpp"
#include "kernel_file.hpp"
#include "module_run.hpp"
#include "on_interrupt.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/io/npy.hpp"
#include "tcp/io/safetensors.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"
#include "trace_file.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* run_help = "tcp run --help";

struct RunOptions {
  KernelChoice choice;
  std::string chip = "rngd", undefined = "refused", backend = "vector", model, trace;
  std::vector<std::string> in, out;  // NAME=FILE
  std::int64_t seed = 0;
  bool random = false, show_plan = false, reorder = false, values = false, json = false;

  bool on_device() const { return backend == name_of(BackendKind::device); }
};

/// `x=weights.safetensors:layer.0`
struct NamedFile {
  std::string name, path;
  std::string tensor;  // empty: an npy file
};

Expected<NamedFile> read_named_file(const std::string& option, const std::string& text) {
  std::size_t const equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return misuse("'" + text.substr(0, 60) + "' is not what --" + option + " takes: NAME=FILE", run_help);
  NamedFile f{text.substr(0, equals), text.substr(equals + 1), ""};
  constexpr std::string_view archive = ".safetensors";
  std::size_t const at = f.path.rfind(archive), end = at + archive.size();
  if (at == f.path.npos || (end < f.path.size() && f.path[end] != ':')) {
    if (option == "out" && !f.path.ends_with(".npy"))
      return misuse("'" + f.path.substr(0, 60) + "' ends neither in .npy nor in .safetensors", run_help);
    return f;
  }
  f.tensor = end + 1 < f.path.size() ? f.path.substr(end + 1) : f.name;
  f.path.resize(end);
  return f;
}

Expected<std::vector<NamedFile>> read_named_files(const std::string& option, const std::vector<std::string>& texts) {
  std::vector<NamedFile> files;
  std::set<std::string> names;
  std::map<std::string, std::string> written;  // the file, and the name by which an archive is written
  for (const std::string& text : texts) {
    auto const file = read_named_file(option, text);
    if (!file) return file.refusal();
    if (!names.insert(file->name).second) return misuse("--" + option + " names '" + file->name.substr(0, 60) + "' twice", run_help);
    if (option == "out") {
      auto const [other, first] = written.emplace(file_meant(file->path), file->path);
      bool const one_archive = !file->tensor.empty() && other->second == file->path;
      if (!first && !one_archive) return misuse("--out writes two results into " + file->path.substr(0, 60), run_help);
    }
    files.push_back(*file);
  }
  return files;
}

std::string names_of(const std::vector<Wanted>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size() && out.size() < 100; ++i) out += (i > 0 ? ", " : "") + all[i].name.substr(0, 40);
  return all.empty() ? "none" : out;
}

std::vector<Wanted> all_wanted(const ir::Module& module, const std::vector<ir::TensorId>& ids) {
  std::vector<Wanted> out;
  for (ir::TensorId id : ids) out.push_back(wanted_for(module, id));
  return out;
}

const NamedFile* find(const std::vector<NamedFile>& files, const std::string& name) {
  auto const at = std::find_if(files.begin(), files.end(), [&name](const NamedFile& f) { return f.name == name; });
  return at == files.end() ? nullptr : &*at;
}
bool has(const std::vector<Wanted>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&name](const Wanted& w) { return w.name == name; });
}

/// Options name arguments and results that exist.
Verdict check_names(const std::vector<NamedFile>& in, const std::vector<NamedFile>& out, const std::vector<Wanted>& arguments,
                    const std::vector<Wanted>& results) {
  for (const NamedFile& f : in)
    if (!has(arguments, f.name))
      return refuse("tool-argument-unknown")
          .what("the program has no argument '", plain(f.name), "'")
          .why("--in fills the tensors that the program declares as `argument`")
          .help("its arguments are: ", names_of(arguments));
  for (const NamedFile& f : out)
    if (!has(results, f.name))
      return refuse("tool-result-unknown")
          .what("the program has no result '", plain(f.name), "'")
          .why("--out takes the tensors that the program declares as `result`")
          .help("its results are: ", names_of(results));
  return accept();
}

/// Opens an archive once, however many of its tensors are asked for.
class ArrayReader {
 public:
  Expected<io::Array> read(const NamedFile& f, ScalarType type) {
    if (f.tensor.empty()) return io::read_npy(f.path, type);
    auto at = archives_.find(f.path);
    if (at == archives_.end()) {
      auto opened = io::open_safetensors(f.path);
      if (!opened) return opened.refusal();
      at = archives_.emplace(f.path, *std::move(opened)).first;
    }
    return at->second.read(f.tensor, type);
  }

 private:
  std::map<std::string, io::Safetensors> archives_;
};

/// The answer, for people and for programs.
struct RunReport {
  std::string text;
  Json json = Json::object();

  /// Two lines: what it is, and its first elements.
  void add(const char* what, const Wanted& wanted, const reference::Value& value, const std::string& where, const NamedFile* file) {
    text += what + (" " + in_words(wanted)) + where + "\n  " + first_elements(value) + "\n";
    json[std::string(what) + "s"].push_back({{"name", wanted.name},
                                             {"type", scalar_info(wanted.type).name},
                                             {"shape", wanted.shape()},
                                             {"file", file == nullptr ? Json(nullptr) : Json(file->path)},
                                             {"first", first_elements(value)}});
  }
};

Expected<std::vector<reference::Value>> read_arguments(const RunOptions& options, const std::vector<NamedFile>& in,
                                                       const std::vector<Wanted>& arguments, RunReport& report) {
  ArrayReader reader;
  Random seeds(static_cast<std::uint64_t>(options.seed));
  std::vector<reference::Value> values;
  for (const Wanted& wanted : arguments) {
    std::uint64_t const seed =
        seeds.next();  // also where it is not needed, so that one argument from a file leaves the others as they were
    const NamedFile* const file = find(in, wanted.name);
    if (file == nullptr && !options.random)
      return refuse("tool-argument-missing")
          .what("nothing is given for the argument ", in_words(wanted).substr(0, 160))
          .why("an argument is filled before the program runs")
          .help("--in ", plain(wanted.name), "=FILE.npy, or --random 1 for random test data");
    if (file == nullptr) {
      values.push_back(random_value(wanted, seed));
    } else {
      auto const array = reader.read(*file, wanted.type);
      if (!array) return array.refusal();
      auto value = to_value(wanted, *array, file->path);
      if (!value) return value.refusal();
      values.push_back(*std::move(value));
    }
    report.add("argument", wanted, values.back(), file == nullptr ? ", random" : ", from " + file->path, file);
  }
  return values;
}

/// Where undefined values count as zero: which results an undefined value has decided, and where it came from.
void warn_of_undefined(Terminal& terminal, const ProgramFile& program, const Wanted& wanted, const reference::Value& value,
                       const std::vector<reference::Note>& notes) {
  std::map<reference::Origin, std::pair<std::int64_t, std::int64_t>> found;  // how many, and the first
  for (std::int64_t i = 0; i < value.size(); ++i)
    if (value[i].undefined != 0) ++found.try_emplace(value[i].undefined, 0, i).first->second.first;
  for (auto const& [origin, count] : found) {
    const reference::Note& note = notes[origin - 1];
    if (note.at.known()) terminal.err << program.name << ':' << note.at.line << ": ";
    terminal.err << "warning: " << count.first << " of " << value.size() << " elements of result " << wanted.name
                 << " depend on an undefined value: " << note.what << "; it counts as zero; the first is at "
                 << place_in_words(value, count.second) << '\n';
  }
}

Verdict write_results(const std::vector<NamedFile>& out, const std::vector<Wanted>& results, const std::vector<reference::Value>& values) {
  struct Kept {
    std::vector<std::vector<std::byte>> memory;
    std::vector<io::TensorToWrite> tensors;
  };
  std::map<std::string, Kept> archives;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const NamedFile* const file = find(out, results[i].name);
    if (file == nullptr) continue;
    std::vector<std::byte> memory = to_memory(values[i]);
    if (file->tensor.empty()) {
      if (auto v = io::write_npy(file->path, results[i].type, results[i].shape(), memory); !v) return v;
      continue;
    }
    Kept& kept = archives[file->path];
    kept.memory.push_back(std::move(memory));
    kept.tensors.push_back({file->tensor, results[i].type, results[i].shape(), kept.memory.back()});
  }
  for (auto const& [path, kept] : archives)
    if (auto v = io::write_safetensors(path, kept.tensors); !v) return v;
  return accept();
}

/// What a program is run on, and what it is to leave.
struct Prepared {
  std::vector<NamedFile> in, out;
  Device device;
  ProgramFile program;
  ir::Verified verified;
  std::vector<Wanted> arguments, results;
};

/// No file is written over another that this run reads or writes.
Verdict check_outputs(const RunOptions& options, const std::vector<NamedFile>& in, const std::vector<NamedFile>& out) {
  std::vector<std::string> read{options.choice.path, options.chip};
  for (const NamedFile& f : in) read.push_back(f.path);
  for (const NamedFile& f : out) {
    if (auto v = keep_apart("--out", f.path, read, run_help); !v) return v;
    if (!options.trace.empty() && file_meant(f.path) == file_meant(options.trace))
      return misuse("--out and --trace both write " + options.trace.substr(0, 100), run_help);
  }
  return keep_apart("--trace", options.trace, read, run_help);
}

Expected<Prepared> prepare(const RunOptions& options, Terminal& terminal) {
  auto in = read_named_files("in", options.in), out = read_named_files("out", options.out);
  if (!in) return in.refusal();
  if (!out) return out.refusal();
  if (options.show_plan && options.backend != name_of(BackendKind::vector))
    return misuse("--show-plan shows how the vector interpreter works; the backend " + options.backend + " has no plan", run_help);
  if (!options.on_device() && (!options.model.empty() || !options.trace.empty() || options.reorder))
    return misuse("--model, --trace and --reorder are about time, which interpreters do not know: add --backend device", run_help);
  if (options.values && options.trace.empty()) return misuse("--values puts values into a trace: add --trace FILE", run_help);
  if (auto v = check_outputs(options, *in, *out); !v) return v.refusal();
  auto const device = chosen_device(options.chip, options.choice.scalars);
  if (!device) return device.refusal();
  auto program = read_kernel(options.choice, *device, terminal);
  if (!program) return program.refusal();
  auto verified = ir::verify(program->module, *device);
  if (!verified) return program->about(verified.refusal());
  verified = ir::placed(*std::move(verified));
  if (!verified) return program->about(verified.refusal());
  const ir::Module& placed = verified->module();
  auto arguments = all_wanted(placed, placed.arguments), results = all_wanted(placed, placed.results);
  if (auto v = check_names(*in, *out, arguments, results); !v) return v.refusal();
  return Prepared{*std::move(in),       *std::move(out),      *device,           *std::move(program),
                  *std::move(verified), std::move(arguments), std::move(results)};
}

void add_plan(const Prepared& p, const std::vector<PlanLine>& plan, RunReport& report) {
  if (plan.empty()) report.text += "plan: none, arguments and results outside HBM are for the reference interpreter\n";
  report.json["plan"] = Json::array();
  for (const PlanLine& l : plan) {
    bool const of_command = l.command < p.verified.module().commands.size();
    auto const line = of_command ? p.verified.module().commands[l.command].at.line : 0;
    report.text += "plan " + (of_command ? "line " + std::to_string(line) : std::string("at the end")) + ": " + l.words + "\n";
    report.json["plan"].push_back({{"line", of_command ? Json(line) : Json(nullptr)}, {"does", l.words}});
  }
}

/// `device: 3216 cycles by the model book, 3.216 us at 1000 MHz`
void add_time(const RunOptions& options, const Device& device, const program::Schedule& s, RunReport& report) {
  std::int64_t const mhz = device.clocks.core_mhz;
  char time[64];
  std::snprintf(time, sizeof time, "%.3f us at %lld MHz", static_cast<double>(s.makespan.value) / static_cast<double>(mhz),
                static_cast<long long>(mhz));
  report.text += "device: " + std::to_string(s.makespan.value) + " cycles by the model " + s.model + ", " + time;
  if (options.reorder) report.text += ", " + std::to_string(s.gained.value) + " less than in program order";
  report.text += "\n";
  if (!options.trace.empty())
    report.text += "trace: written to " + options.trace + "; tcp report " + options.trace + " says where they went\n";
  report.json["device"] = {{"cycles", s.makespan.value},
                           {"model", s.model},
                           {"mhz", mhz},
                           {"gained", s.gained.value},
                           {"trace", options.trace.empty() ? Json(nullptr) : Json(options.trace)}};
}

/// What was computed, and the schedule if it was the device that did.
Expected<reference::Outcome> compute(const RunOptions& options, const Prepared& p, Terminal& terminal, RunReport& report,
                                     program::Schedule& schedule) {
  auto values = read_arguments(options, p.in, p.arguments, report);
  if (!values) return values.refusal();
  RunHow how;
  how.check = options.undefined == "refused";
  for (BackendKind kind : backends)
    if (options.backend == name_of(kind)) how.backend = kind;
  how.terminal = terminal.terminal;
  std::vector<PlanLine> plan;
  if (options.show_plan) how.plan = &plan;
  how.device = {&p.device, options.model.empty() ? "book" : options.model, options.reorder, options.trace, options.values, &schedule};
  auto outcome = run_module(p.verified, *std::move(values), how);
  if (!outcome) {
    Refusal r = p.program.about(outcome.refusal());
    if (std::string_view(r.code) == "exec-undefined-result") r.help(": --undefined zero");
    return r;
  }
  if (options.show_plan) add_plan(p, plan, report);
  return outcome;
}

Verdict run_program(const RunOptions& options, Terminal& terminal) {
  if (options.choice.list) return list_kernels(options.choice, terminal);
  auto const prepared = prepare(options, terminal);
  if (!prepared) return prepared.refusal();
  const Prepared& p = *prepared;
  RunReport report;
  program::Schedule schedule;
  std::optional<Expected<reference::Outcome>> ran;
  {
    OnInterrupt const stop(OnInterrupt::Do::end);
    ran = compute(options, p, terminal, report, schedule);
  }
  const Expected<reference::Outcome>& outcome = *ran;
  if (!outcome) return outcome.refusal();
  OnInterrupt const finish(OnInterrupt::Do::go_on);  // all results, or none
  if (auto v = write_results(p.out, p.results, outcome->results); !v) return v;
  for (std::size_t i = 0; i < p.results.size(); ++i) {
    const NamedFile* const file = find(p.out, p.results[i].name);
    report.add("result", p.results[i], outcome->results[i], file == nullptr ? "" : ", written to " + file->path, file);
    warn_of_undefined(terminal, p.program, p.results[i], outcome->results[i], outcome->notes);
  }
  if (options.on_device()) {
    add_time(options, p.device, schedule, report);
    TraceChoice planned{
        .kernel = options.choice, .model = options.model.empty() ? "book" : options.model, .chip = options.chip, .order = ""};
    if (options.reorder) planned.order = "shorter";
    note_settings_without_effect(planned, schedule.makespan, terminal);
  } else {
    note_settings_without_effect({.kernel = options.choice, .model = "", .chip = options.chip, .order = ""}, terminal);
  }
  if (options.json) terminal.out << json_text(report.json);
  else terminal.out << report.text;
  return accept();
}

}  // namespace

Action declare_run(CLI::App& command) {
  auto const options = std::make_shared<RunOptions>();
  RunOptions& o = *options;
  command
      .add_option("FILE", o.choice.path,
                  "a program in text form, *.tcp; an executable that launches a kernel;\nkernels in Rust: a .rs file, a crate's folder, "
                  "its Cargo.toml")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_kernel_options(command, o.choice);
  // One value at a time: else --in would swallow the program that stands after it.
  command.add_option("--in", o.in, "fill the argument NAME; once for each argument")->type_name("NAME=FILE")->allow_extra_args(false);
  command.add_option("--out", o.out, "write the result NAME to this file; once for each result")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  auto* const seed = command.add_option("--random", o.seed, "fill arguments without --in with small random numbers")
                         ->type_name("SEED")
                         ->check(at_least(0));
  command.add_option("--chip", o.chip, "the chip whose rules hold: rngd (the default), rngd_s, logical, or a chip file")->type_name("CHIP");
  command
      .add_option("--undefined", o.undefined,
                  "refused: no result that an undefined value decides (the default);\nzero: that is what such a value counts as, and a "
                  "warning says so")
      ->type_name("refused|zero")
      ->check(one_of({"refused", "zero"}));
  command
      .add_option("--backend", o.backend,
                  "vector: as fast as the machine can (the default);\nreference: one operation at a time;\n"
                  "device: compiled, and run on the simulated chip, which counts cycles.\nThe bits are the same")
      ->type_name("vector|reference|device")
      ->check(one_of({"vector", "reference", "device"}));
  command
      .add_option("--model", o.model,
                  "of the device's cycles: book (the default), planned (what the vendor's\nscheduler says), calibrated, or detailed, which "
                  "follows every request\nto HBM and DM")
      ->type_name("book|planned|calibrated|detailed")
      ->check(one_of({std::begin(timing_models), std::end(timing_models)}));
  command.add_option("--trace", o.trace, "write what the device did when, and why, for tcp report and tcp view")
      ->type_name("FILE")
      ->check(file_name());
  command.add_flag("--values", o.values,
                   "put what each command wrote into the trace: the first 16 MiB of it, a digest of all,\nand the first NaN or infinity");
  command.add_flag("--reorder", o.reorder, "let the device take commands in another order that keeps every hazard");
  command.add_flag("--show-plan", o.show_plan, "print what is done for each command: what is fused, what is copied");
  command.add_flag("--json", o.json, "answer in JSON");
  command.footer(
      "Arrays are .npy files, or tensors in a .safetensors file: x=model.safetensors:TENSOR; without :TENSOR the tensor\n"
      "has the name of the argument or result. An array has the axes of the argument's mapping, in the order in which it\n"
      "names them, and its type: nothing is converted. bf16 and 8-bit floats are raw bits in .npy, as the Python package\n"
      "ml_dtypes stores them; 4-bit integers are 8-bit ones from -8 to 7.\n"
      "Examples:\n"
      "  tcp run add_one.tcp --random 1\n"
      "  tcp run add_one.tcp --in in=x.npy --out out=y.npy\n"
      "  tcp run gemm.tcp --in a=a.npy --in b=model.safetensors:layer.0.weight --out c=c.safetensors\n"
      "  tcp run add_one.tcp --random 1 --chip my_chip.json --undefined zero\n"
      "  tcp run gemm.tcp --random 1 --show-plan\n"
      "  tcp run kernels.rs --kernel relu_twice --random 1\n"
      "  tcp run gemm.tcp --random 1 --backend device --trace gemm.json\n"
      "  tcp run gemm.tcp --random 1 --backend device --trace gemm.json --values\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted; see tcp --help.");
  return [options, seed](Terminal& terminal) {
    options->random = seed->count() > 0;
    return run_program(*options, terminal);
  };
}

}  // namespace tcp::tool
