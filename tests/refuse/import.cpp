// What the vendor's tools wrote, where it cannot be read: `tcp import`, and every command that takes such files.
#include <filesystem>
#include <fstream>

#include "helpers/refused_command.hpp"
#include "refuse_test.hpp"

using namespace tcp;

namespace {
Refusal refused_dump(const char* text, std::vector<std::string> options = {}) {
  std::string const file = std::filesystem::temp_directory_path() / "tcp_dump";
  std::ofstream(file) << text;
  options.insert(options.begin(), {"import", file});
  return refused_command(options);
}
}  // namespace

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
