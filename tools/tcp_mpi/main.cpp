// `tcp-mpi`: the tcp command on one of several ranks. The first one answers; the others compute their share, and speak
// only if they alone have something to say.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"
#include "tcp/ranks/world.hpp"
#include "tool.hpp"

namespace tcp::tool {
namespace {

class Ranks : public Machine {
 public:
  explicit Ranks(ranks::World& world) : world_(world) {}

  int rank() const override { return world_.rank(); }
  int size() const override { return world_.size(); }
  Context acquire(const ContextOptions& options) override { return world_.acquire(options); }
  std::int64_t first_chip(std::int64_t chips) const override { return world_.shares(chips).first(rank()); }
  std::int64_t chips_here(std::int64_t chips) const override { return world_.shares(chips).count(rank()); }
  std::vector<std::string> gathered(std::string_view mine) override { return world_.gathered(mine); }

 private:
  ranks::World& world_;
};

/// Takes everything, and keeps nothing.
class Nowhere : public std::streambuf {
  int overflow(int c) override { return c == traits_type::eof() ? 0 : c; }
};

bool is_shared(std::string_view command) { return command == "llama" || command == "sweep"; }

/// The exit code of all, or none: a rank that fails where the others go on ends them.
int together(int code, ranks::World& world, const std::string& said) {
  constexpr double patience = 5;  // seconds, after which the others are somewhere else
  if (code == done) return code;
  if (world.all_meet(patience)) return code;  // the same mistake on all of them, and the first has told it
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) std::cerr << "rank " << world.rank() << ": " << line << '\n';
  std::cerr << std::flush;
  world.end_run(code);
}

int run_ranks(int argc, char** argv) {
  ranks::World world(&argc, &argv);
  Ranks machine(world);
  std::vector<std::string> const arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (world.rank() == 0) {
    bool const plain = std::getenv("NO_COLOR") != nullptr;
    Terminal terminal{std::cout,      std::cerr,    !plain && isatty(STDOUT_FILENO) != 0, !plain && isatty(STDERR_FILENO) != 0,
                      share_folder(), STDERR_FILENO};
    terminal.machine = &machine;
    int const code = run(arguments, terminal);
    std::cout << std::flush;
    return together(code, world, "");
  }
  if (arguments.empty() || !is_shared(arguments.front())) return done;
  Nowhere nowhere;
  std::ostream out(&nowhere);
  std::ostringstream said;
  Terminal terminal{out, said, false, false, share_folder(), -1};
  terminal.machine = &machine;
  return together(run(arguments, terminal), world, said.str());
}

}  // namespace
}  // namespace tcp::tool

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGXFSZ, SIG_IGN);  // as in tcp
  return tcp::tool::run_ranks(argc, argv);
}
