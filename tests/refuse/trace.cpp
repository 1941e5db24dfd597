// Traces: files that `tcp report`, `tcp diff` and `tcp view` read; and what the vendor's tools wrote, where `tcp import` cannot read it.
// no kernels: traces are files, which the page changes
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "helpers/asked.hpp"
#include "refuse_test.hpp"
#include "tcp/trace/json.hpp"

using namespace tcp;

// A small trace as text, and what the reader says of it after a change.
namespace tcp::trace_test {

inline const std::string whole =
    R"({"format":"tcp-trace","version":1,"tool":"tcp","program":"add","hash":"0","chip":"rngd","model":"book","makespan":9,)"
    R"("resources":["main"],"commands":[{"name":"main","resources":[0],"start":0,"end":9,"streaming":9}]})";

inline Refusal read_with(std::string_view from, std::string_view to) {
  std::string text = whole;
  text.replace(text.find(from), from.size(), to);
  return trace::read_json(text, "add.json").refusal();
}

}  // namespace tcp::trace_test

namespace {
Refusal refused_dump(const char* text, std::vector<std::string> options = {}) {
  std::string const file = std::filesystem::temp_directory_path() / "tcp_dump";
  std::ofstream(file) << text;
  options.insert(options.begin(), {"import", file});
  return refused_command(options);
}
}  // namespace

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

// # import-format
// `tcp import` takes two kinds of files, and their contents say which: the dump of a schedule, a JSON object with a list `instructions`; and a text with spans of a chip, one
// in a line that begins with `SPAN`. This file is neither.
//
// Give the file that the vendor's scheduler wrote, or what the harness printed.
// run time only: files are read when the program runs
namespace import_format {
// error[import-format]: tcp_dump: this is neither the dump of a schedule nor a text with spans; help: give the file that the vendor's scheduler wrote, or what the harness printed on the chip
REFUSED_AT_RUN_TIME { return refused_dump("span of a bridge: 12 m\n"); }
// error[import-format]: tcp_dump: the dump has no list `instructions`; help: give the JSON that the vendor's scheduler wrote
REFUSED_AT_RUN_TIME { return refused_dump("{\"instructions\": 7}"); }
}  // namespace import_format

// # import-json
// The dump of a schedule is not JSON: it ends too early, or something is in it that JSON has not, such as `NaN`. Fields that are not known are no mistake.
//
// Look at the line that is named, or have the dump written again.
// run time only: files are read when the program runs
namespace import_json {
// error[import-json]: tcp_dump:3: the dump is broken: syntax error while parsing value - invalid literal; last read: '"begin": N'; help: look at that line; if the file ends too early, have the scheduler write it again
REFUSED_AT_RUN_TIME {
  return refused_dump("{\n \"instructions\": [\n  {\"index\": \"1\", \"lifetime\": {\"begin\": NaN, \"end\": 2}}\n ]\n}\n");
}
}  // namespace import_json

// # import-no-such-run
// `--run` names a run that there is not. Runs of a test are told apart by the chip being idle between them, longer than within a run, and by having the same commands;
// a file that is one run has number 1 only.
//
// Give a number that there is, or leave `--run` out: then each command has the median of all runs.
// run time only: files are read when the program runs
namespace import_no_such_run {
// error[import-no-such-run]: tcp_dump has 1 run, and not 3; help: give --run a number from 1 to 1, or leave it out
REFUSED_AT_RUN_TIME { return refused_dump("SPAN a beg=100 end=140 name=Main#1\n", {"--run", "3"}); }
}  // namespace import_no_such_run

// # import-no-such-test
// `--test` names a test that has no spans in the file.
//
// Give one of the names that are listed: the first word after `SPAN`.
// run time only: files are read when the program runs
namespace import_no_such_test {
// error[import-no-such-test]: tcp_dump has no spans of a test 'c', but of a, b; help: give one of these names to --test
REFUSED_AT_RUN_TIME { return refused_dump("SPAN a beg=1 end=2\nSPAN b beg=1 end=2\n", {"--test", "c"}); }
}  // namespace import_no_such_test

// # import-nothing
// Nothing of the file can be used: it has no commands, or none with a possible time. A trace without commands would say that everything took no time.
//
// Look at the file; a harness that went wrong writes such a one.
// run time only: files are read when the program runs
namespace import_nothing {
// error[import-nothing]: tcp_dump: nothing can be used: its list of instructions is empty; help: look at the file: a harness that went wrong, or a scheduler that planned no command, writes such a one
REFUSED_AT_RUN_TIME { return refused_dump("{\"instructions\": []}"); }
// error[import-nothing]: tcp_dump: nothing can be used: no span in it has a possible time; help: look at the file: a harness that went wrong, or a scheduler that planned no command, writes such a one
REFUSED_AT_RUN_TIME { return refused_dump("SPAN a beg=9 end=5 name=Main#1\n"); }
}  // namespace import_nothing

// # import-several-tests
// A file with spans has those of several tests. Each is a program of its own, and put together their times would be those of none.
//
// Choose one with `--test`, and import each of them to a file of its own.
// run time only: files are read when the program runs
namespace import_several_tests {
// error[import-several-tests]: tcp_dump has the spans of 2 tests: a, b; help: choose one: tcp import FILE --test NAME
REFUSED_AT_RUN_TIME { return refused_dump("SPAN a beg=1 end=2\nSPAN b beg=1 end=2\n"); }
}  // namespace import_several_tests

// # import-too-long
// Times of a trace are counted from the first one in the file, and are below 2^40 cycles. A span that ends later was not read from the same counter as the others, or its
// number is damaged.
//
// Leave the line out.
// run time only: files are read when the program runs
namespace import_too_long {
// error[import-too-long]: tcp_dump: line 2 is further from the first time in the file than a trace counts; help: look at the number, and leave the line out if the harness went wrong there
REFUSED_AT_RUN_TIME { return refused_dump("SPAN a beg=100 end=140 name=Main#1\nSPAN a beg=150 end=9000000000000000 name=Main#2\n"); }
}  // namespace import_too_long
