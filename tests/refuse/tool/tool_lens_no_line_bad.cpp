// `tcp lens --file` shows the lines of one source, and a trace knows only sources whose lines gave the chip something to do.
//
// A file is found by its whole path, or by the last parts of it. A kernel that was compiled elsewhere has the paths of that place.
// run time only: the command line is read when the program runs
#include <filesystem>

#include "refuse_test.hpp"
#include "tool/add_one.hpp"
#include "tool/refused_command.hpp"

inline tcp::Refusal lens_of_another_file() {
  std::string const trace = std::filesystem::temp_directory_path() / "tcp_lens_no_line.json";
  std::ostringstream out, err;
  tcp::tool::Terminal terminal{out, err, false, false, ""};
  tcp::tool::run({"run", add_one, "--random", "1", "--backend", "device", "--trace", trace}, terminal);
  return refused_command({"lens", trace, "--file", "main.cpp"});
}

REFUSED_AT_RUN_TIME { return lens_of_another_file(); }
