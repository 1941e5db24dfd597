// Runs an executable with TCP_DUMP set, takes the modules out of the dump, and gives their commands the source lines
// that the dump has as comments.
#include "kernel_file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "read_text.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::tool {
namespace {

/// A file for the dump that has no place in any folder: nothing is left of it, however this program ends.
class ScratchFile {
 public:
  ScratchFile() : file_(memfd_create("tcp_compile", 0)) {}  // children inherit it
  ~ScratchFile() {
    if (made()) close(file_);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  bool made() const { return file_ >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path(), std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  int file_;
};

/// The file's own name: that of the folder says little and may be long.
std::string name_of(const std::string& path) { return plain(std::filesystem::path(path).filename().string()); }

Refusal failed(const std::string& path, const std::string& how) {
  return refuse("tool-program-failed")
      .what("'", name_of(path), "' ", how)
      .why("its kernels are recorded while it runs, and a run that fails may have recorded half of them")
      .help("run it by itself and mend what it says");
}

/// The environment of this program with another TCP_DUMP.
std::vector<std::string> environment_with_dump(const std::string& dump) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "TCP_DUMP=", 9) != 0) all.emplace_back(*each);
  all.push_back("TCP_DUMP=" + dump);
  return all;
}

Verdict run_with_dump(const std::string& path, const std::string& dump) {
  std::vector<std::string> environment = environment_with_dump(dump);
  std::vector<char*> pointers;
  for (std::string& each : environment) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  std::string const program = std::filesystem::absolute(path).string();
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int const error = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, pointers.data());
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

Expected<ProgramFile> record_kernel(const std::string& path, const std::string& kernel, Terminal& terminal) {
  ScratchFile const dump;
  if (!dump.made()) return failed(path, "cannot be run: there is no place for a temporary file");
  if (auto v = run_with_dump(path, dump.path()); !v) return v.refusal();
  auto const chosen = choose(split(dump.content()), path, kernel);
  if (!chosen) return chosen.refusal();
  ProgramFile program;
  program.name = terminal.file_names.emplace_back(plain(path)).c_str();
  auto module = ir::parse(chosen->text, program.name);
  if (!module) return module.refusal();
  program.module = *std::move(module);
  move_to_origins(program.module, Origins(chosen->text, terminal));
  return program;
}

}  // namespace tcp::tool
