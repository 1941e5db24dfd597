// The processes that mpirun started, which share the chips of one machine among them:
//
//   int main(int argc, char** argv) {
//     tcp::ranks::World world(&argc, &argv);
//     tcp::Context ctx = world.acquire({.chips = 8});      // mpirun -n 4: two chips for each rank
//     ...                                                  // the same program on every rank
//     if (world.rank() == 0) std::cout << answer;
//   }
//
// Started by itself, the same program is a world of one rank. docs/machines.md says how to run on several machines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/ranks/backend.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp::ranks {

/// Refused: fewer chips than ranks, and traces over several ranks, which would show a part of the chips.
Verdict check_options(const ContextOptions& options, int ranks, Where at = std::source_location::current());

class World {
 public:
  /// Waits for the other processes. There is one in a program.
  World(int* argc, char*** argv);
  /// Waits for the others to come to their ends; while an exception is on its way, ends them instead.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const;
  int size() const;
  /// Ranks on this machine, this one included.
  int neighbours() const { return neighbours_; }
  Wire& wire() { return *wire_; }
  const Traffic& traffic() const { return traffic_; }

  /// `options.chips` chips, shared out over the ranks; each rank computes with its share of the machine's threads.
  /// Refused: what check_options refuses.
  [[nodiscard]] Context acquire(ContextOptions options, Where at = std::source_location::current());
  /// The chips of this rank, of so many.
  Shares shares(std::int64_t chips) const { return {chips, size()}; }

  /// What each rank gives, in their order; the same on all of them.
  std::vector<std::string> gathered(std::string_view mine);
  /// Whether all ranks call this within so many seconds. If not, those who did must end the run.
  bool all_meet(double seconds);
  /// Ends all ranks now; mpirun says which one wanted it.
  [[noreturn]] void end_run(int exit_code);

 private:
  std::unique_ptr<Wire> wire_;
  Traffic traffic_;
  int neighbours_ = 1;
};

}  // namespace tcp::ranks
