// The `tcp` command. What it does is in tool.cpp and in one file per command.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tool.hpp"

namespace {

bool wants_colour(int descriptor) {
  char const* const no_colour = std::getenv("NO_COLOR");
  char const* const terminal = std::getenv("TERM");
  bool const refused = (no_colour != nullptr && *no_colour != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
  return !refused && isatty(descriptor) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is refused as a full disk is, and leaves nothing behind
  tcp::tool::Terminal terminal{std::cout,    std::cerr, wants_colour(STDOUT_FILENO), wants_colour(STDERR_FILENO), tcp::tool::share_folder(),
                               STDERR_FILENO};
  return tcp::tool::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
}
