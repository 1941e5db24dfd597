// What the vendor's tools wrote, where it cannot be read: `tcp import`, and every command that takes such files.
#include <filesystem>
#include <fstream>

#include "helpers/refused_command.hpp"
#include "refuse_test.hpp"

using namespace tcp;

namespace {
Refusal refused_dump(const char* text) {
  std::string const file = std::filesystem::temp_directory_path() / "tcp_dump";
  std::ofstream(file) << text;
  return refused_command({"import", file});
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
// The dump of a schedule is not JSON: it ends too early, or something stands in it that JSON has not, such as `NaN`. Fields that are not known are no mistake.
//
// Look at the line that is named, or have the dump written again.
// run time only: files are read when the program runs
namespace import_json {
// error[import-json]: tcp_dump:3: the dump is broken: syntax error while parsing value - invalid literal; last read: '"begin": N'; help: look at that line; if the file ends too early, have the scheduler write it again
REFUSED_AT_RUN_TIME {
  return refused_dump("{\n \"instructions\": [\n  {\"index\": \"1\", \"lifetime\": {\"begin\": NaN, \"end\": 2}}\n ]\n}\n");
}
}  // namespace import_json

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
