// Reads kernels of every form. An executable is run with TCP_DUMP set; the modules are taken out of the dump, and their
// commands get the source lines that the dump has as comments.
#include "kernel_file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/rust/crate.hpp"

namespace tcp::tool {
namespace {

/// A file for the dump that has no place in any folder: nothing is left of it, however this program ends.
class ScratchFile {
 public:
  ScratchFile() {
    std::error_code failed;
    if (std::filesystem::is_directory("/proc/self/fd", failed)) {
      file_ = memfd_create("tcp_compile", 0);  // children inherit it
      path_ = "/proc/self/fd/" + std::to_string(file_);
      return;
    }
    path_ = (std::filesystem::temp_directory_path(failed) / "tcp_compile.XXXXXX").string();
    file_ = mkstemp(path_.data());
    on_disk_ = made();
  }
  ~ScratchFile() {
    if (made()) close(file_);
    if (on_disk_) unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  bool made() const { return file_ >= 0; }
  const std::string& path() const { return path_; }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path(), std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  int file_ = -1;
  std::string path_;
  bool on_disk_ = false;
};

/// The file's own name: that of the folder says little and may be long.
std::string name_of(const std::string& path) {
  std::error_code failed;
  std::filesystem::path const p = std::filesystem::absolute(path, failed).lexically_normal();  // `.` has a name, too
  return plain((p.has_filename() ? p : p.parent_path()).filename().string());
}

Refusal failed(const std::string& path, const std::string& how) {
  return refuse("tool-program-failed")
      .what("'", name_of(path), "' ", how)
      .why("its kernels are recorded while it runs, and a run that fails may have recorded half of them")
      .help("run it by itself and correct what it reports");
}

/// The environment of this program with another TCP_DUMP, and without values with the backend that computes none.
std::vector<std::string> environment_with_dump(const std::string& dump, bool values) {
  std::vector<std::string> all;
  auto const sets = [](std::string_view each, std::string_view name) {
    return each.starts_with(name) && each.substr(name.size(), 1) == "=";
  };
  for (char** each = environ; *each != nullptr; ++each)
    if (!sets(*each, "TCP_DUMP") && (values || (!sets(*each, "TCP_BACKEND") && !sets(*each, "TCP_TRACE")))) all.emplace_back(*each);
  all.push_back("TCP_DUMP=" + dump);
  if (!values) all.push_back(std::string("TCP_BACKEND=") + name_of(BackendKind::plan));
  return all;
}

Verdict run_with_dump(const KernelChoice& choice, const std::string& dump) {
  const std::string& path = choice.path;
  std::vector<std::string> environment = environment_with_dump(dump, choice.values);
  std::vector<char*> pointers;
  for (std::string& each : environment) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  std::string const program = std::filesystem::absolute(path).string();
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (const std::string& word : choice.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int const error = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return failed(path, std::string("cannot be started: ") + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return failed(path, "was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return failed(path, "ended with exit code " + std::to_string(WEXITSTATUS(status)));
  return accept();
}

struct Dumped {
  std::string name, text;
};

/// The modules of a dump; one that was launched several times stands there once.
std::vector<Dumped> split(const std::string& dump) {
  std::vector<Dumped> all;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("module ")) {
      std::size_t const end = line.find_first_of(" (", 7);
      all.push_back({line.substr(7, end == line.npos ? end : end - 7), ""});
    }
    if (!all.empty()) all.back().text += line + "\n";
  }
  std::vector<Dumped> once;
  for (Dumped& each : all) {
    while (each.text.ends_with("\n\n")) each.text.pop_back();
    if (std::none_of(once.begin(), once.end(), [&](const Dumped& d) { return d.text == each.text; })) once.push_back(std::move(each));
  }
  return once;
}

Expected<Dumped> choose(const std::vector<Dumped>& all, const std::string& path, const std::string& kernel) {
  if (all.empty())
    return refuse("tool-kernel-missing")
        .what("'", name_of(path), "' launched no kernel")
        .why("a kernel is compiled as it was recorded, and recorded when it is launched")
        .help("call launch(kernel, ctx, ...) with a Context from Context::acquire()");
  auto const found = std::find_if(all.begin(), all.end(), [&](const Dumped& d) { return d.name == kernel; });
  if (found != all.end()) return *found;
  if (kernel.empty() && all.size() == 1) return all[0];
  std::string names;
  for (std::size_t i = 0; i < all.size() && names.size() < 120; ++i) names += (i > 0 ? ", " : "") + plain(all[i].name);
  Refusal r = refuse("tool-kernel-unknown");
  if (kernel.empty()) r.what("'", name_of(path), "' launched ", all.size(), " different kernels");
  else r.what("'", name_of(path), "' launched no kernel '", plain(kernel), "'");
  return r.why("one kernel is compiled at a time").help("choose with --kernel one of ", names);
}

/// Where the C++ stands, from the comments that the dump has after its lines: `// gemm.cpp:12:3`.
class Origins {
 public:
  Origins(const std::string& text, Terminal& terminal) : terminal_(terminal) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) at_.push_back(read(line));
  }
  /// A line of the dump itself would mean nothing to the user.
  void replace(Where& at) const { at = at.line >= 1 && at.line <= at_.size() ? at_[at.line - 1] : Where(); }

 private:
  Where read(const std::string& line) {
    std::size_t const comment = line.rfind("  // ");
    if (comment == line.npos) return {};
    std::string place = line.substr(comment + 5);
    unsigned const second = take_number(place), first = take_number(place);
    if (second == 0) return {};
    auto const known = names_.try_emplace(place, nullptr).first;
    if (known->second == nullptr) known->second = terminal_.file_names.emplace_back(place).c_str();
    return first != 0 ? Where(known->second, first, second) : Where(known->second, second);
  }
  /// Takes `:12` off the end; 0 if there is none.
  static unsigned take_number(std::string& place) {
    std::size_t const colon = place.rfind(':');
    if (colon == place.npos) return 0;
    unsigned n = 0;
    const char* const end = place.data() + place.size();
    if (std::from_chars(place.data() + colon + 1, end, n).ptr != end) return 0;
    place.resize(colon);
    return n;
  }

  Terminal& terminal_;
  std::map<std::string, const char*> names_;
  std::vector<Where> at_;
};

void move_to_origins(ir::Module& module, const Origins& origins) {
  for (ir::Tensor& t : module.tensors) origins.replace(t.at);
  for (ir::Command& c : module.commands) {
    origins.replace(c.at);
    if (auto* pass = std::get_if<ir::Pass>(&c.what))
      for (ir::Stage& s : pass->stages) origins.replace(s.at);
  }
}

}  // namespace

bool is_executable(const std::string& path) {
  if (path.ends_with(".tcp")) return false;  // text, whatever it begins with
  std::error_code absent;
  if (!std::filesystem::is_regular_file(path, absent)) return false;  // to open a pipe is to wait for its other end
  char begin[4]{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin, sizeof begin);
  std::string_view const read(begin, static_cast<std::size_t>(file.gcount()));
  return read ==
             "\x7f"
             "ELF" ||
         read.starts_with("#!");
}

namespace {

Expected<std::vector<Dumped>> launched_by(const KernelChoice& choice, Terminal& terminal) {
  ScratchFile const dump;
  if (!dump.made()) return failed(choice.path, "cannot be run: there is no place for a temporary file");
  auto const ran = run_with_dump(choice, dump.path());
  auto launched = split(dump.content());
  if (!ran && (choice.values || launched.empty())) return ran.refusal();
  if (!ran)
    terminal.err << "note: " << ran.refusal().headline.s << ": its results are zeros, because nothing was computed. "
                 << (launched.size() == 1 ? "The kernel that it launched is"
                                          : "The " + std::to_string(launched.size()) + " kernels that it launched are")
                 << " recorded\n";
  return launched;
}

Expected<ProgramFile> record_kernel(const KernelChoice& choice, Terminal& terminal) {
  const std::string &path = choice.path, &kernel = choice.kernel;
  auto const all = launched_by(choice, terminal);
  if (!all) return all.refusal();
  auto const chosen = choose(*all, path, kernel);
  if (!chosen) return chosen.refusal();
  ProgramFile program;
  program.name = terminal.file_names.emplace_back(plain(path)).c_str();
  auto module = ir::parse(chosen->text, program.name);
  if (!module) return module.refusal();
  program.module = *std::move(module);
  program.names_kept = true;
  move_to_origins(program.module, Origins(chosen->text, terminal));
  return program;
}

// Rust.

/// The names of the crate's files end with it; refusals are shown later.
class KeptNames {
 public:
  explicit KeptNames(Terminal& terminal) : terminal_(terminal) {}
  void keep(Where& at) {
    if (!at.known()) return;
    auto const known = names_.try_emplace(at.file, nullptr).first;
    if (known->second == nullptr) known->second = terminal_.file_names.emplace_back(at.file).c_str();
    at.file = known->second;
  }
  void keep(ir::Module& module) {
    for (ir::Tensor& t : module.tensors) keep(t.at);
    for (ir::Command& c : module.commands) {
      keep(c.at);
      if (auto* pass = std::get_if<ir::Pass>(&c.what))
        for (ir::Stage& s : pass->stages) keep(s.at);
    }
  }

 private:
  Terminal& terminal_;
  std::map<std::string, const char*> names_;
};

/// `scale::<64>`: scale, and 64.
std::pair<std::string, std::string> name_and_generics(const std::string& asked) {
  std::size_t const begin = asked.find("::<");
  if (begin == asked.npos || !asked.ends_with('>')) return {asked, ""};
  return {asked.substr(0, begin), asked.substr(begin + 3, asked.size() - begin - 4)};
}

Expected<ProgramFile> read_rust(const KernelChoice& choice, const Device& device, Terminal& terminal) {
  auto const crate = rust::Crate::open(choice.path);
  if (!crate) return crate.refusal();
  KeptNames names(terminal);
  auto const kernel = choose_kernel(*crate, choice);
  if (!kernel) {
    Refusal r = kernel.refusal();
    names.keep(r.at);
    return r;
  }
  auto const scalars = scalars_of(choice);
  if (!scalars) return scalars.refusal();
  for (const rust::SourceError& e : crate->errors())
    if (std::string_view(e.refusal.code) == "rust-duplicate") {  // which of the two is meant is not known
      Refusal r = e.refusal;
      names.keep(r.at);
      return r;
    }
  rust::KernelReading reading = crate->read(*kernel, device, *scalars);
  if (auto const v = check_scalars(*scalars, reading.scalars); !v) return v.refusal();
  if (!reading.module) {
    TCP_BUG_UNLESS(!reading.errors.empty(), "a kernel was not read, for an unknown reason");
    Refusal r = reading.errors[0].refusal;
    names.keep(r.at);
    if (reading.errors.size() > 1) r.help("; tcp check lists all ", reading.errors.size(), " errors");
    return r;
  }
  for (const std::string& note : reading.notes) terminal.err << "note: " << note << "; --set gives one\n";
  ProgramFile program;
  program.name = terminal.file_names.emplace_back(plain(choice.path)).c_str();
  program.module = *std::move(reading.module);
  program.names_kept = true;
  names.keep(program.module);
  return program;
}

}  // namespace

Expected<rust::Kernel> choose_kernel(const rust::Crate& crate, const KernelChoice& choice) {
  const auto& all = crate.kernels();
  auto const first_note = [&] { return crate.notes().empty() ? std::string() : "; " + crate.notes()[0].text; };
  if (all.empty()) {
    if (!crate.errors().empty()) return crate.errors()[0].refusal;
    return refuse("tool-kernel-missing")
        .what("'", name_of(choice.path), "' has no kernel")
        .why("a kernel in Rust is a function marked #[device]")
        .help("mark it with #[device(chip = 1)], or give the file that has it", first_note());
  }
  auto const [asked, generics] = name_and_generics(choice.kernel);
  auto const with_generics = [&generics = generics](rust::Kernel k) {
    k.arguments = generics;
    return k;
  };
  if (asked.empty() && all.size() == 1) return with_generics(all[0]);
  std::vector<std::string> names;
  std::vector<const rust::Kernel*> named;
  for (const rust::Kernel& k : all) {
    if (!asked.empty() && (k.name == asked || (k.path == asked && asked.find("::") != asked.npos))) return with_generics(k);
    names.push_back(k.name);
    if (k.path.substr(k.path.rfind(':') + 1) == asked) named.push_back(&k);  // npos + 1 is 0
  }
  if (named.size() == 1) return with_generics(*named[0]);
  if (named.empty() && !asked.empty() && !crate.errors().empty()) return crate.errors()[0].refusal;  // it may be what cannot be read
  if (named.size() > 1) {
    names.clear();
    for (const rust::Kernel* k : named) names.push_back(k->name);
  }
  std::string listed;
  for (const std::string& n : asked.empty() || named.size() > 1 ? names : nearest(asked, names))
    if (listed.size() < 120) listed += (listed.empty() ? "" : ", ") + plain(n);
  Refusal r = refuse("tool-kernel-unknown");
  if (asked.empty()) r.what("'", name_of(choice.path), "' has ", all.size(), " kernels");
  else if (named.size() > 1) r.what("'", name_of(choice.path), "' has ", named.size(), " kernels '", plain(asked), "'");
  else r.what("'", name_of(choice.path), "' has no kernel '", plain(asked), "'");
  return r.why("one kernel is taken at a time")
      .help("choose with --kernel one of ", listed.empty() ? plain(names[0]) : listed, "; --list has them all", first_note());
}

bool is_rust(const std::string& path) {
  std::error_code absent;
  return path.ends_with(".rs") || std::filesystem::path(path).filename() == "Cargo.toml" || std::filesystem::is_directory(path, absent);
}

bool is_kernel(const std::string& path) {
  std::string const bare = path.substr(0, path.rfind(".tcp#") == path.npos ? path.npos : path.rfind(".tcp#") + 4);
  return bare.ends_with(".tcp") || is_rust(path) || is_executable(path);
}

Expected<ProgramFile> read_kernel(const KernelChoice& choice, const Device& device, Terminal& terminal) {
  bool const kernel_numbers = std::any_of(choice.scalars.begin(), choice.scalars.end(), [](const std::string& s) { return !sets_chip(s); });
  if (kernel_numbers && !is_rust(choice.path))
    return misuse("--set NAME=NUMBER gives numbers to parameters of kernels in Rust, --set GROUP.KEY=NUMBER to the chip; '" + choice.path +
                      "' has no parameters",
                  "tcp --help");
  if (!choice.words.empty() && !is_executable(choice.path))
    return misuse("--arg gives a word to the command line of an executable; '" + choice.path + "' is none", "tcp --help");
  if (is_rust(choice.path)) return read_rust(choice, device, terminal);
  if (is_executable(choice.path)) return record_kernel(choice, terminal);
  auto program = read_program(choice.path, terminal, choice.kernel);
  if (!program) return program.refusal();
  if (auto v = program->check_not_empty(); !v) return v.refusal();
  return program;
}

Expected<std::string> kernel_in_cpp(const KernelChoice& choice, const ProgramFile& file, const Device& device, Terminal& terminal) {
  std::string const head =
      "// " + plain(file.module.name) + " of " + name_of(choice.path) + ", in C++: what tcp compile --emit cpp printed.\n";
  if (!is_rust(choice.path)) {
    auto const text = ir::print_cpp(file.module);
    return text ? Expected<std::string>(head + *text) : Expected<std::string>(file.about(text.refusal()));
  }
  auto const crate = rust::Crate::open(choice.path);
  if (!crate) return crate.refusal();
  auto const kernel = choose_kernel(*crate, choice);
  if (!kernel) return kernel.refusal();
  auto const scalars = scalars_of(choice);
  if (!scalars) return scalars.refusal();
  auto const text = crate->print_cpp(*kernel, device, *scalars);
  if (text) {
    if (text->starts_with("// Straight")) {
      std::size_t const begin = text->find("//   ") + 5;
      terminal.err << "note: " << plain(kernel->name) << " is printed straight, without the loops and helpers of the source: "
                   << text->substr(begin, text->find('\n', begin) - begin) << '\n';
    }
    return head + *text;
  }
  Refusal r = text.refusal();
  KeptNames(terminal).keep(r.at);
  return r;
}

Verdict list_kernels(const KernelChoice& choice, Terminal& terminal) {
  if (is_rust(choice.path)) {
    auto const crate = rust::Crate::open(choice.path);
    if (!crate) return crate.refusal();
    for (const rust::Kernel& k : crate->kernels())
      terminal.out << k.name << crate->generics_of(k) << "  " << k.file << ':' << k.line << '\n';
    return accept();
  }
  if (is_executable(choice.path)) {
    auto const all = launched_by(choice, terminal);
    if (!all) return all.refusal();
    for (const Dumped& d : *all) terminal.out << plain(d.name) << '\n';
    return accept();
  }
  auto const all = read_programs(choice.path, terminal);
  if (!all) return all.refusal();
  for (std::size_t i = 0; i < all->size(); ++i) {
    terminal.out << plain((*all)[i].module.name);
    if (all->size() > 1) terminal.out << "  " << choice.path << '#' << i + 1;
    terminal.out << '\n';
  }
  return accept();
}

Expected<std::map<std::string, double>> scalars_of(const KernelChoice& choice) {
  std::map<std::string, double> all;
  for (const std::string& text : choice.scalars) {
    if (sets_chip(text)) continue;
    std::size_t const equals = text.find('=');
    double value = 0;
    const char* const end = text.data() + text.size();
    std::string const word = equals == text.npos ? "" : text.substr(equals + 1);
    if (equals != 0 && (word == "true" || word == "false")) {
      all[text.substr(0, equals)] = word == "true" ? 1 : 0;
      continue;
    }
    if (equals == text.npos || equals == 0 || equals + 1 == text.size() || std::from_chars(text.data() + equals + 1, end, value).ptr != end)
      return misuse("'" + text.substr(0, 60) + "' is not what --set takes: NAME=NUMBER", "tcp --help");
    all[text.substr(0, equals)] = value;
  }
  return all;
}

Verdict check_scalars(const std::map<std::string, double>& given, const std::set<std::string>& known) {
  for (auto const& [name, value] : given) {
    if (known.contains(name)) continue;
    std::string all;
    for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
    return misuse("--set '" + plain(name.substr(0, 60)) + "': the kernel has no parameter of that name which is a number" +
                      (all.empty() ? "" : "; it has " + all),
                  "tcp --help");
  }
  return accept();
}

void add_kernel_options(CLI::App& command, KernelChoice& choice) {
  command.add_option("--kernel", choice.kernel, "of several kernels, this one; of a generic one with its generics,\n'scale::<64>'")
      ->type_name("NAME");
  command.add_option("--arg", choice.words, "a word for the command line of an executable; once for each")
      ->type_name("WORD")
      ->allow_extra_args(false);
  add_scalar_options(command, choice);
}

void add_scalar_options(CLI::App& command, KernelChoice& choice) {
  command
      .add_option(
          "--set", choice.scalars,
          "a number of the chip, by its key in a chip file: hbm.clock=1500, dm.slice_capacity=256KiB;\nor, of a kernel in Rust, the "
          "value of a parameter")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  command.add_flag("--list", choice.list, "print the names of the kernels, and do nothing else");
}

}  // namespace tcp::tool
