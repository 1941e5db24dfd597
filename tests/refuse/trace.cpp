// Traces: files that `tcp report`, `tcp diff` and `tcp view` read.
#include <filesystem>
#include <fstream>

#include "helpers/refused_command.hpp"
#include "helpers/trace_text.hpp"
#include "refuse_test.hpp"

using namespace tcp;

// # trace-format
// The file is not a trace: a trace begins with its format, so that another file of JSON, a report or a chip, is not mistaken for one.
//
// Give the file that `TCP_TRACE` named when the kernel ran.
// run time only: traces are read when a tool runs
namespace trace_format {
using namespace tcp::trace_test;
constexpr const char* before = R"({"format":"tcp-report")";
constexpr const char* after = R"({"format":"tcp-trace")";
// error[trace-format]: add.json, byte 22: the file does not begin with {"format":"tcp-trace"; help: give the file that TCP_TRACE or --trace named
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_format

// # trace-impossible
// The numbers of a trace contradict each other: a command ends before it starts or after the makespan, its parts do not sum up to its length, or an edge comes from a
// command that is taken later. Reports rely on these laws, which docs/trace.md lists.
//
// Write the trace again.
// run time only: traces are read when a tool runs
namespace trace_impossible {
using namespace tcp::trace_test;
constexpr const char* before = R"("streaming":8)";
constexpr const char* after = R"("streaming":9)";
// error[trace-impossible]: add.json: commands[0] is impossible: startup, streaming and stalls do not sum up to end - start; help: write the trace again; if a tool of yours made it, docs/trace.md has the laws
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_impossible

// # trace-key-missing
// A key that has no default is not there. docs/trace.md has those that must be there in bold.
//
// Add the key, or write the trace again.
// run time only: traces are read when a tool runs
namespace trace_key_missing {
using namespace tcp::trace_test;
constexpr const char* before = R"("hash":"0",)";
constexpr const char* after = R"("hash":"0","chip":"rngd",)";
// error[trace-key-missing]: add.json, byte 200: the object that ends here has no key 'chip'; help: add the key; docs/trace.md says which ones must be there
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_key_missing

// # trace-key-twice
// A key occurs twice in one object. JSON does not say which of the two counts, and readers differ.
//
// Remove one of them.
// run time only: traces are read when a tool runs
namespace trace_key_twice {
using namespace tcp::trace_test;
constexpr const char* before = R"("chip":"rngd","chip":"rngd")";
constexpr const char* after = R"("chip":"rngd")";
// error[trace-key-twice]: add.json, byte 95: the key 'chip' occurs twice in one object; help: remove one of the two
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_key_twice

// # trace-key-unknown
// A key that this version of the tool does not know. It is refused instead of skipped, because it might change what the rest means.
//
// Write the trace again with a tool of this version. What you want to note in a trace belongs into a file beside it.
// run time only: traces are read when a tool runs
namespace trace_key_unknown {
using namespace tcp::trace_test;
constexpr const char* before = R"("chop")";
constexpr const char* after = R"("chip")";
// error[trace-key-unknown]: add.json, byte 81: there is no key 'chop' in this object; help: write the trace again with a tool of this version, or remove the key
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_key_unknown

// # trace-reference
// A number of a trace names an entry that is not there: a source line, a resource, a command. Lists are counted from 0 on, and -1 is none.
//
// Write the trace again; a tool of yours that makes traces must write the list as well.
// run time only: traces are read when a tool runs
namespace trace_reference {
using namespace tcp::trace_test;
constexpr const char* before = R"("resources":[1])";
constexpr const char* after = R"("resources":[0])";
// error[trace-reference]: add.json: commands[0] has resource 1, but there are 1; help: write the trace again; if a tool of yours made it, number its entries as docs/trace.md says
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_reference

// # trace-slower
// `tcp diff BEFORE AFTER --max-slowdown PERCENT` found that the second trace takes longer than allowed, and ends with exit code 1, which fails a build that asks for it.
// What it printed before says which lines of the kernel became slower.
//
// Undo the change, or take the second trace as the new measure.
// run time only: traces are compared when a tool runs
namespace trace_slower {
using namespace tcp::trace_test;
// error[trace-slower]: the second trace takes 99 cycles against 9 cycles, 1000.00 % more; --max-slowdown allows 2.00 %; help: undo what the verdict names, or take the second trace as the new measure
REFUSED_AT_RUN_TIME {
  std::filesystem::path const folder = std::filesystem::temp_directory_path();
  std::string const before = folder / "tcp_before.json", after = folder / "tcp_after.json";
  std::string text = whole;
  for (const char* key : {"\"makespan\":9", "\"end\":9", "\"streaming\":9"}) text.insert(text.find(key) + std::string(key).size(), "9");
  std::ofstream(before) << whole;
  std::ofstream(after) << text;
  return refused_command({"diff", before, after, "--max-slowdown", "2%"});
}
}  // namespace trace_slower

// # trace-syntax
// The file of a trace is not JSON, or ends too early. A run that is still going on, or was killed, leaves a file that is cut; one that was interrupted in an
// orderly way does not.
//
// Write the trace again.
// run time only: traces are read when a tool runs
namespace trace_syntax {
using namespace tcp::trace_test;
constexpr const char* before = R"("makespan":9;)";
constexpr const char* after = R"("makespan":9,)";
// error[trace-syntax]: add.json, byte 115: found ';' where a comma or the end of the object must follow; help: write the trace again; if the file was cut, the run may still be writing it
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_syntax

// # trace-version
// The trace was written by a tool with another version of the schema. What a key means may have changed, so it is not read.
//
// Write the trace again with the tool that shall read it.
// run time only: traces are read when a tool runs
namespace trace_version {
using namespace tcp::trace_test;
constexpr const char* before = R"("version":5)";
constexpr const char* after = R"("version":1)";
// error[trace-version]: add.json, byte 33: the trace has version 5; this tool reads versions 1 to 4; help: write the trace again with the tool that shall read it
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_version

// # trace-wrong-type
// A key of a trace has a value of another type than docs/trace.md says. Numbers are whole and below 2^53, which is as far as every reader of JSON keeps them exactly.
//
// Write the trace again; a tool of yours that makes traces must write numbers without a point or an exponent.
// run time only: traces are read when a tool runs
namespace trace_wrong_type {
using namespace tcp::trace_test;
constexpr const char* before = R"("makespan":9.5)";
constexpr const char* after = R"("makespan":9)";
// error[trace-wrong-type]: add.json, byte 114: expected a whole number below 2^53, not '9.5'; help: write the trace again with a tool of this version; docs/trace.md lists keys and types
REFUSED_AT_RUN_TIME { return read_with(after, before); }
}  // namespace trace_wrong_type
