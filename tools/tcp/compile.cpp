// `tcp compile`: from a kernel, in text form or inside an executable, to what a chip is given.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>

#include "command.hpp"
#include "explain_program.hpp"
#include "kernel_file.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/program/print.hpp"
#include "trace_file.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* compile_help = "tcp compile --help";

struct CompileOptions {
  KernelChoice choice;
  std::string chip, emit, out;
  std::vector<std::string> before, after;  // passes
  bool time = false, explain = false;

  bool watches_passes() const { return !before.empty() || !after.empty() || time; }
  std::string emitted() const { return emit.empty() && !watches_passes() && !explain ? "configs" : emit; }
};

struct Compiled {
  program::Program program;
  std::string text;  // the module with all its addresses, or as C++; none if the program was read
};

Verdict check_options(const CompileOptions& o) {
  std::string const emit = o.emitted();
  if (emit == "program" && o.out.empty()) return misuse("--emit program writes a binary file and needs -o FILE", compile_help);
  if (emit.empty() && !o.out.empty()) return misuse("-o FILE needs --emit: what is the file to hold?", compile_help);
  if (!emit.empty() && o.out.empty() && (o.watches_passes() || o.explain))
    return misuse("what --emit writes to standard output would be mixed with the other options' output: give -o FILE", compile_help);
  return accept();
}

bool contains(const std::vector<std::string>& all, std::string_view name) { return std::find(all.begin(), all.end(), name) != all.end(); }

/// What a pass works on: the module until it has addresses, then the program.
void show_pass(std::ostream& out, const char* when, const lower::PassReport& report, bool is_module) {
  out << "== " << when << " " << report.pass << '\n' << (is_module ? ir::print(report.module) : program::print(report.program)) << '\n';
}

void show_times(std::ostream& out, const std::vector<std::pair<std::string, double>>& times) {
  double all = 0;
  auto const line = [&out](const std::string& name, double seconds) {
    char text[64];
    std::snprintf(text, sizeof text, "%-12s %10.3f ms\n", name.c_str(), seconds * 1e3);
    out << text;
  };
  for (auto const& [name, seconds] : times) {
    line(name, seconds);
    all += seconds;
  }
  line("all passes", all);
}

Expected<Compiled> lower_file(const CompileOptions& o, const ProgramFile& file, const Device& device, Terminal& terminal) {
  Compiled made;
  std::vector<std::pair<std::string, double>> times;
  lower::Options hooks;
  hooks.before_pass = [&](const lower::PassReport& r) {
    if (contains(o.before, r.pass)) show_pass(terminal.out, "before", r, r.pass == "place");
  };
  hooks.after_pass = [&](const lower::PassReport& r) {
    times.emplace_back(r.pass, r.seconds);
    if (r.pass == "place" && o.emit == "text") made.text = ir::print(r.module);
    if (contains(o.after, r.pass)) show_pass(terminal.out, "after", r, r.pass == "place");
  };
  auto const verified = ir::verify(file.module, device);
  if (!verified) return file.about(verified.refusal());
  if (o.emit == "cpp") {
    auto printed = kernel_in_cpp(o.choice, file, device, terminal);
    if (!printed) return printed.refusal();
    made.text = *std::move(printed);
  }
  auto lowered = lower::lower(*verified, hooks);
  if (!lowered) return file.about(lowered.refusal());
  if (o.time) show_times(terminal.out, times);
  made.program = *std::move(lowered);
  return made;
}

/// A program that was compiled before, in one of its two encodings; nothing if the file is none.
Expected<std::optional<program::Program>> read_compiled(const CompileOptions& o) {
  auto const file = io::MappedFile::open(o.choice.path);
  if (!file) return file.refusal();
  auto const bytes = (*file)->bytes();
  std::string_view const text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  bool const encoded = program::looks_encoded(bytes);
  if (!encoded && !text.starts_with('{')) return std::optional<program::Program>();
  auto program = encoded ? program::decode(bytes) : program::from_json(text);
  if (!program) return program.refusal();
  if (o.watches_passes() || o.emit == "text" || o.emit == "cpp" || !o.choice.kernel.empty())
    return misuse("'" + o.choice.path + "' is compiled already: its text form is not in it, and no pass is run", compile_help);
  auto const device = chosen_device(o.chip.empty() ? program->chip : o.chip, o.choice.scalars);
  if (!device) return device.refusal();
  if (auto v = program::check(*program, *device); !v) return v.refusal();
  return std::optional(*std::move(program));
}

Expected<Compiled> compile(const CompileOptions& o, Terminal& terminal) {
  if (!is_rust(o.choice.path) && !is_executable(o.choice.path)) {
    auto read = read_compiled(o);
    if (!read) return read.refusal();
    if (read->has_value()) return Compiled{**std::move(read), ""};
  }
  auto const device = chosen_device(o.chip.empty() ? "rngd" : o.chip, o.choice.scalars);
  if (!device) return device.refusal();
  auto const file = read_kernel(o.choice, *device, terminal);
  if (!file) return file.refusal();
  return lower_file(o, *file, *device, terminal);
}

std::string content_of(const std::string& emit, const Compiled& made) {
  if (emit == "text" || emit == "cpp") return made.text;
  if (emit == "json") return program::to_json(made.program);
  if (emit == "configs") return program::print(made.program);
  auto const bytes = program::encode(made.program);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Verdict compile_and_show(const CompileOptions& o, Terminal& terminal) {
  if (o.choice.list) return list_kernels(o.choice, terminal);
  if (auto v = check_options(o); !v) return v;
  if (auto v = keep_apart("-o", o.out, {o.choice.path, o.chip}, compile_help); !v) return v;
  auto const made = compile(o, terminal);
  if (!made) return made.refusal();
  note_settings_without_effect({.kernel = o.choice, .model = "", .chip = o.chip, .order = ""}, terminal);
  if (o.explain) explain_program(terminal.out, made->program);
  std::string const emit = o.emitted();
  if (emit.empty()) return accept();
  std::string const content = content_of(emit, *made);
  if (!o.out.empty()) return write_file(o.out, content);
  terminal.out << content;
  return accept();
}

std::vector<std::string> names_of_passes() { return {std::begin(lower::pass_names), std::end(lower::pass_names)}; }
std::string list_of_passes() {
  std::string out;
  for (std::string_view each : lower::pass_names) out += (out.empty() ? "" : ", ") + std::string(each);
  return out;
}

}  // namespace

Action declare_compile(CLI::App& command) {
  auto const options = std::make_shared<CompileOptions>();
  CompileOptions& o = *options;
  command
      .add_option("FILE", o.choice.path,
                  "a program in text form, *.tcp; an executable that launches a kernel;\nkernels in Rust: a .rs file, a crate's folder, "
                  "its Cargo.toml;\nor what "
                  "--emit program or json wrote")
      ->type_name("")
      ->required()
      ->check(file_name());
  command
      .add_option("--emit", o.emit,
                  "configs: the engine configurations for people (the default);\ntext: the kernel in text form, with all addresses;\ncpp: "
                  "the kernel in typed C++;\n"
                  "program: the binary form, which needs -o; json: its twin")
      ->type_name("configs|text|cpp|program|json")
      ->check(one_of({"configs", "text", "cpp", "program", "json"}));
  command.add_option("-o,--output", o.out, "write that to this file instead of standard output")->type_name("FILE")->check(file_name());
  command.add_flag("--explain", o.explain, "print four columns: source line, mapping, configuration, why");
  command.add_option("--print-before", o.before, "print what this pass begins with")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->check(one_of(names_of_passes()));
  command.add_option("--print-after", o.after, "print what this pass leaves")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->check(one_of(names_of_passes()));
  command.add_flag("--time-passes", o.time, "print how long each pass took");
  command.add_option("--chip", o.chip, "the chip to compile for: rngd (the default), rngd_s, logical, or a chip file")->type_name("CHIP");
  add_kernel_options(command, o.choice);
  command.footer(
      "An executable is run, with the words of --arg, to record its kernels; its standard output is not shown.\n"
      "Passes, in their order: " +
      list_of_passes() +
      ".\n"
      "Examples:\n"
      "  tcp compile add_one.tcp\n"
      "  tcp compile add_one.tcp --explain\n"
      "  tcp compile ./gemm --kernel gemm --emit program -o gemm.prog\n"
      "  tcp compile kernels.rs --kernel relu_twice --emit text -o relu_twice.tcp\n"
      "  tcp compile kernels.rs --kernel relu_twice --emit cpp -o relu_twice.hpp\n"
      "  tcp compile gemm.prog --emit json\n"
      "  tcp compile add_one.tcp --print-after fetch --time-passes\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted; see tcp --help.");
  return [options](Terminal& terminal) { return compile_and_show(*options, terminal); };
}

}  // namespace tcp::tool
