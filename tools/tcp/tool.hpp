// The command line as a function: arguments in, text and an exit code out. main.cpp gives it the terminal, tests give
// it strings.
#pragma once

#include <deque>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::tool {

class Machine;  // machine.hpp

enum ExitCode { done = 0, refused = 1, misused = 2, broken = 3, interrupted = 130 };

/// What the help, the manual page and docs/commands.md say of them.
struct ExitCodeText {
  ExitCode code;
  const char* means;
};
inline constexpr ExitCodeText exit_codes[] = {{done, "done"},
                                              {refused, "error: standard error has the reason, and what to write instead"},
                                              {misused, "wrong usage of the command line"},
                                              {broken, "a bug in tcp: the message says what to send us"},
                                              {interrupted, "interrupted"}};

/// Where a command writes, and what it finds there.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool colour_out = false, colour_err = false;
  std::filesystem::path share;           // holds chips/, diagnostics/ and project/
  int terminal = -1;                     // a descriptor for the progress of long work; none: -1
  std::deque<std::string> file_names{};  // that refusals point at; they are shown when their command is gone
  bool answered = false;                 // a command that refuses after its answer says so, lest --json answers twice
  Machine* machine = nullptr;            // the processes that share the work; null: this one alone
};

/// The folder of shared files that belongs to this program, be it installed or in a build directory.
std::filesystem::path share_folder();

/// Does what the arguments ask for; they do not begin with the program's name. Prints no refusal: it returns it.
Verdict perform(const std::vector<std::string>& arguments, Terminal& terminal);

/// Performs a command line as the program does: a refusal is printed, and becomes an exit code.
int run(const std::vector<std::string>& arguments, Terminal& terminal);

}  // namespace tcp::tool
