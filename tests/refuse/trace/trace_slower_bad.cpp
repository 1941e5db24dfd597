// `tcp diff BEFORE AFTER --max-slowdown PERCENT` found that the second trace takes longer than allowed, and ends with exit code 1, which fails a build that asks for it.
// What it printed before says which lines of the kernel became slower.
//
// Undo the change, or take the second trace as the new measure.
// run time only: traces are compared when a tool runs
#include <filesystem>
#include <fstream>

#include "refuse_test.hpp"
#include "tool/refused_command.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME {
  std::filesystem::path const folder = std::filesystem::temp_directory_path();
  std::string const before = folder / "tcp_before.json", after = folder / "tcp_after.json";
  std::string text = whole;
  for (const char* key : {"\"makespan\":9", "\"end\":9", "\"streaming\":9"}) text.insert(text.find(key) + std::string(key).size(), "9");
  std::ofstream(before) << whole;
  std::ofstream(after) << text;
  return refused_command({"diff", before, after, "--max-slowdown", "2%"});
}
