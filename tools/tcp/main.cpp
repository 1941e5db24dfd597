// The `tcp` command. What it does is in tool.cpp and in one file per command.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tool.hpp"

namespace {

bool wants_colour(int descriptor) {
  char const* const no_colour = std::getenv("NO_COLOR");
  char const* const terminal = std::getenv("TERM");
  bool const refused = (no_colour != nullptr && *no_colour != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
  return !refused && isatty(descriptor) != 0;
}

/// Under mpirun this is one of several processes: tcp-mpi, which is installed beside tcp, knows what to do with them.
int become_rank(char** argv) {
  std::error_code failed;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  program.replace_filename("tcp-mpi");
  if (!failed) execv(program.c_str(), argv);
  std::cerr << "error[tool-without-mpi]: tcp was started by mpirun, and there is no " << program.string()
            << " that shares its work among processes\n"
               "  note: this tcp was built where there is no MPI, or installed without its part for MPI\n"
               "  help: run tcp without mpirun; or install tcp-visa-mpi, or libopenmpi-dev before building\n";
  return tcp::tool::refused;
}
bool is_rank() {
  char const* const ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  return ranks != nullptr && std::string_view(ranks) != "1";
}

}  // namespace

int main(int argc, char** argv) {
  if (is_rank()) return become_rank(argv);
  std::ios::sync_with_stdio(false);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is refused as a full disk is, and leaves nothing behind
  tcp::tool::Terminal terminal{std::cout,    std::cerr, wants_colour(STDOUT_FILENO), wants_colour(STDERR_FILENO), tcp::tool::share_folder(),
                               STDERR_FILENO};
  return tcp::tool::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
}
