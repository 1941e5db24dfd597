// Numbers the files of traces, so that launches of one process do not overwrite each other's, and writes them.
#include "runtime/trace_files.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "tcp/trace/json.hpp"

namespace tcp {

namespace {

/// How many traces a name has taken; contexts come and go, and none may write over what another has left.
int count(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, int> taken;
  std::lock_guard const lock(mutex);
  return ++taken[path];
}

std::filesystem::path file_of(const std::string& path, int number) {
  std::filesystem::path const first(path);
  if (number == 1) return first;
  std::filesystem::path const name = first.stem().string() + "." + std::to_string(number) + first.extension().string();
  return first.parent_path() / name;
}

}  // namespace

Verdict write_trace(const trace::Trace& trace, const std::string& path) {
  std::filesystem::path const file = file_of(path, count(path));
  std::ofstream out(file);
  if (out) trace::write_json(trace, out);
  out.flush();
  if (out) return accept();
  return refuse("runtime-trace-not-written")
      .what("'", file.string().substr(0, 200), "', which was to take the trace of a kernel, cannot be written")
      .why("ContextOptions::trace, or TCP_TRACE, names it")
      .help("name a file in a folder that exists, or none");
}

}  // namespace tcp
