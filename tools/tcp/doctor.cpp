// `tcp doctor`: is everything there that kernels are built, run and edited with?
//
// Programs are asked for their version, and headers of packages by what the compiler finds: so a machine without
// Debian's package manager gets the same answer, and only the advice names Debian's packages.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <thread>

#include "command.hpp"
#include "read_text.hpp"
#include "tcp/support/version.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

enum class State { ok, missing, absent };  // absent: something works less well without it

struct Check {
  std::string name;
  State state = State::missing;
  std::string found;    // or what is wrong
  std::string install;  // what brings it: Debian packages, or words
  std::string serves;   // what it is for
};

/// What a command of the shell prints on standard output; nothing if it fails.
std::optional<std::string> printed(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char part[512];
  while (std::size_t const n = std::fread(part, 1, sizeof part, pipe)) text.append(part, n);
  return pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

/// As one word, whatever stands in it.
std::string for_the_shell(const std::string& word) {
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// CXX may bring options or a launcher along, as make and CMake read it: `ccache g++`.
std::string in_words_for_the_shell(const std::string& command) {
  std::istringstream words(command);
  std::string all;
  for (std::string word; words >> word;) all += (all.empty() ? "" : " ") + for_the_shell(word);
  return all.empty() ? for_the_shell(command) : all;
}

struct Version {
  int major = 0, minor = 0;
  std::string text;

  bool at_least(int wanted_major, int wanted_minor) const {
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
  }
};

/// The first number with a point in it.
std::optional<Version> version_in(const std::string& text) {
  for (std::size_t at = text.find_first_of("0123456789"); at != text.npos; at = text.find_first_of("0123456789", at)) {
    std::size_t const end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    Version v{0, 0, text.substr(at, end - at)};
    if (std::sscanf(v.text.c_str(), "%d.%d", &v.major, &v.minor) == 2) return v;
    at = end;
  }
  return std::nullopt;
}

std::optional<Version> version_of(const std::string& program) {
  auto const text = printed(for_the_shell(program) + " --version");
  return text ? version_in(*text) : std::nullopt;
}

struct Wanted {
  const char* name;
  std::vector<const char*> programs;  // the first that is there and young enough
  int major, minor;
  State otherwise;
  const char *install, *serves;
};

Check look_for(const Wanted& w) {
  Check check{w.name, w.otherwise, "not found", w.install, w.serves};
  for (const char* program : w.programs) {
    auto const version = version_of(program);
    if (!version) continue;
    check.found = std::string(program) + " " + version->text;
    if (version->at_least(w.major, w.minor)) {
      check.state = State::ok;
      return check;
    }
    check.found += ", and " + std::to_string(w.major) + "." + std::to_string(w.minor) + " is needed";
  }
  return check;
}

/// The compiler that CMake would take: that of CXX, or c++.
std::string compiler() {
  const char* const chosen = std::getenv("CXX");
  return chosen != nullptr && *chosen != '\0' ? chosen : "c++";
}

Check look_for_compiler() {
  Check check{"compiler", State::missing, "not found", "g++, or clang-19 with CXX=clang++-19", "building kernels"};
  std::string const program = compiler();
  auto const text = printed(in_words_for_the_shell(program) + " --version");
  if (!text) {
    check.found = plain(program) + " does not run";
    return check;
  }
  auto const version = version_in(*text);
  bool const clang = text->find("clang") != text->npos;
  check.found = plain(program) + (clang ? ", clang " : ", g++ ") + (version ? version->text : "of an unknown version");
  int const least = clang ? 16 : 12;
  if (version && version->at_least(least, 0)) check.state = State::ok;
  else check.found += ", and " + std::to_string(least) + " is needed";
  return check;
}

/// Whether the compiler finds a header.
Check look_for_header(const char* name, const std::string& header, const char* install) {
  bool const found =
      printed("echo '#include <" + header + ">' | " + in_words_for_the_shell(compiler()) + " -std=c++20 -E -x c++ - -o /dev/null")
          .has_value();
  return {name, found ? State::ok : State::missing, found ? "<" + header + ">" : "<" + header + "> is not found", install,
          "linking kernels"};
}

Check look_at_processor() {
  Check check{"processor", State::ok, "", "", "the speed of the vector backend"};
#if defined(__x86_64__)
  __builtin_cpu_init();
  check.found = __builtin_cpu_supports("avx512f") ? "AVX-512" : __builtin_cpu_supports("avx2") ? "AVX2" : "neither AVX2 nor AVX-512";
  if (!__builtin_cpu_supports("avx2")) check.state = State::absent;
#else
  check.found = "not x86-64: the vectors of the compiler's target";
#endif
  check.found += ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
  if (check.state != State::ok) check.install = "a younger processor; results are the same, and come later";
  return check;
}

Check look_at_memory() {
  constexpr double gib = 1024.0 * 1024 * 1024;
  double const size = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / gib;
  char words[32];
  std::snprintf(words, sizeof words, "%.1f GiB", size);
  return {"memory", size < 2 ? State::absent : State::ok, words, "more than 2 GiB", "compiling kernels, and tensors"};
}

Check look_at_share(const Terminal& terminal) {
  Check check{"files of tcp", State::ok, terminal.share.string(), "tcp as a whole: the program finds them by their place relative to it",
              "explain, new, view"};
  std::error_code failed;
  for (const char* part : {"chips/rngd.json", "diagnostics/README.md", "project/main.cpp", "viewer/page.html"})
    if (!std::filesystem::exists(terminal.share / part, failed)) {
      check.state = State::missing;
      check.found = (terminal.share / part).string() + " is not there";
    }
  return check;
}

Check look_for_package(const Terminal& terminal) {
  std::filesystem::path const config = terminal.share.parent_path().parent_path() / TCP_PACKAGE_IN_PREFIX / "TcpVisaConfig.cmake";
  std::error_code failed;
  bool const there = std::filesystem::exists(config, failed);
  return {"headers of tcp", there ? State::ok : State::missing, there ? config.parent_path().string() : config.string() + " is not there",
          "libtcp-visa-dev, or cmake --install", "building kernels"};
}

std::vector<Check> all_checks(const Terminal& terminal) {
  std::vector<Check> checks = {look_for_compiler()};
  checks.push_back(look_for({"cmake", {"cmake"}, 3, 25, State::missing, "cmake", "building kernels"}));
  checks.push_back(look_for({"make", {"make"}, 4, 0, State::absent, "make", "`make run` in a project of tcp new"}));
  checks.push_back(look_for_header("Highway", "hwy/highway.h", "libhwy-dev"));
  checks.push_back(look_for_header("TBB", "oneapi/tbb/version.h", "libtbb-dev"));
  checks.push_back(look_for_header("ICU", "unicode/uregex.h", "libicu-dev"));
  checks.push_back(look_for_package(terminal));
  checks.push_back(look_at_share(terminal));
  checks.push_back(look_for({"clangd", {"clangd-19", "clangd"}, 19, 0, State::absent, "clangd-19", "errors and completion in the editor"}));
  checks.push_back(
      look_for({"clang-format", {"clang-format-19", "clang-format"}, 16, 0, State::absent, "clang-format-19", "formatting kernels"}));
  checks.push_back(
      look_for({"browser", {"chromium", "firefox", "google-chrome"}, 90, 0, State::absent, "chromium, or firefox-esr", "tcp view"}));
  checks.push_back(look_at_processor());
  checks.push_back(look_at_memory());
  return checks;
}

const char* word_for(State s) { return s == State::ok ? "ok" : s == State::missing ? "missing" : "absent"; }

void show_text(const std::vector<Check>& checks, Terminal& terminal) {
  terminal.out << "tcp " << library_version() << '\n';
  for (const Check& c : checks) {
    std::string state = word_for(c.state);
    state.resize(9, ' ');
    std::string name = c.name;
    name.resize(16, ' ');
    const char* const colour = !terminal.colour_out        ? ""
                               : c.state == State::ok      ? "\033[32m"
                               : c.state == State::missing ? "\033[1;31m"
                                                           : "\033[33m";
    terminal.out << "  " << colour << state << (terminal.colour_out ? "\033[0m" : "") << name << c.found << '\n';
    if (c.state != State::ok) terminal.out << std::string(27, ' ') << "for " << c.serves << ", install " << c.install << '\n';
  }
}

void show_json(const std::vector<Check>& checks, bool healthy, Terminal& terminal) {
  Json list = Json::array();
  for (const Check& c : checks) {
    Json entry{{"name", c.name}, {"state", word_for(c.state)}, {"found", c.found}, {"serves", c.serves}};
    if (c.state != State::ok) entry["install"] = c.install;
    list.push_back(std::move(entry));
  }
  terminal.out << json_text({{"version", library_version()}, {"healthy", healthy}, {"checks", list}});
}

Verdict doctor(bool json, Terminal& terminal) {
  auto const checks = all_checks(terminal);
  std::string names, install;
  for (const Check& c : checks) {
    if (c.state != State::missing) continue;
    names += (names.empty() ? "" : ", ") + c.name;
    install += (install.empty() ? "" : "; ") + c.install;
  }
  if (json) show_json(checks, names.empty(), terminal);
  else show_text(checks, terminal);
  terminal.answered = true;
  if (names.empty()) return accept();
  return refuse("tool-machine-lacks")
      .what("kernels cannot be built here: ", names, " missing")
      .why("a kernel is a C++ program that is compiled and linked with the libraries of tcp")
      .help("install ", install);
}

}  // namespace

Action declare_doctor(CLI::App& command) {
  auto const json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "answer in JSON");
  command.footer(
      "What is missing keeps kernels from being built; what is absent only makes something less convenient.\n"
      "The compiler is that of CXX, or c++.\n"
      "Examples:\n"
      "  tcp doctor\n"
      "  CXX=clang++-19 tcp doctor\n"
      "  tcp doctor --json\n"
      "Exit codes: 0 kernels can be built here, 1 something is missing, 2 wrong usage; see tcp --help.");
  return [json](Terminal& terminal) { return doctor(*json, terminal); };
}

}  // namespace tcp::tool
