// Chips over several processes: what a launch of mpirun gets wrong, and what happens when ranks part.
// no kernels: a launch over processes is a call, which the page shows
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "refuse_test.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ranks/backend.hpp"
#include "tcp/ranks/threads.hpp"
#include "tcp/ranks/world.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/refused.hpp"

using namespace tcp;

namespace {

/// The vector interpreter, or one that has no memory left.
class Inside : public Backend {
 public:
  explicit Inside(bool breaks) : breaks_(breaks) {}
  std::string_view name() const override { return "vector"; }
  Expected<Images> run(const ir::Verified& module, const Images& arguments, const RunOptions&) override {
    if (breaks_) throw std::bad_alloc();
    return vector::run(module, arguments);
  }

 private:
  bool breaks_;
};

constexpr const char* of_eight = R"(module add
axes A = 8, C = 2

argument host t0: i32 Element[C, A]
hbm t1: i32 Chip[C] Element[A]
dm t2: i32 Chip[C] Cluster[1 # 2] Slice[1 # 256] Element[A]
hbm t3: i32 Chip[C] Element[A]
result host t4: i32 Element[C, A]

host_move t0 -> t1
move t1 -> t2
move t2 -> t3
host_move t3 -> t4
)";
constexpr const char* of_sixteen = R"(module add
axes A = 16, C = 2

argument host t0: i32 Element[C, A]
hbm t1: i32 Chip[C] Element[A]
dm t2: i32 Chip[C] Cluster[1 # 2] Slice[1 # 256] Element[A]
hbm t3: i32 Chip[C] Element[A]
result host t4: i32 Element[C, A]

host_move t0 -> t1
move t1 -> t2
move t2 -> t3
host_move t3 -> t4
)";

/// What rank 0 comes to when rank 1 runs this, and perhaps breaks.
Verdict over_two_ranks(const char* second, bool breaks) {
  ranks::ThreadRanks all(2);
  std::optional<Refusal> refused;
  auto const run = [&](int rank) {
    ranks::ThreadWire wire(all, rank);
    auto module = value_or_throw(ir::parse(rank == 0 ? of_eight : second, "kernel.tcp"));
    module.chips = 2;
    auto const verified = value_or_throw(ir::verify(std::move(module), rngd));
    auto const backend = ranks::over_ranks(std::make_unique<Inside>(breaks && rank == 1), wire, {2, 2});
    try {
      Levels const levels = verified.module().levels(verified.module().tensors[0]);
      Image argument(static_cast<std::size_t>(levels[Level::element].size) * 4);
      auto const made = backend->run(verified, {std::make_shared<const Image>(std::move(argument))}, {});
      if (rank == 0 && !made) refused = made.refusal();
    } catch (const Refused& r) {
      if (rank == 0) refused = r.refusal();
    } catch (const std::bad_alloc&) {  // rank 1's own
    }
  };
  std::thread other([&] { run(1); });
  run(0);
  other.join();
  if (refused) return *refused;
  return accept();
}

}  // namespace

// # ranks-more-than-chips
// Under `mpirun` the chips of a machine are shared out over the processes. A chip is not cut in two, and a process without a chip would have nothing to compute.
// run time only: how many processes there are is known when they run
namespace ranks_more_than_chips {
// error[ranks-more-than-chips]: 4 chips over 8 ranks; help: start at most 4 ranks: mpirun -n 4, or ask for more chips
REFUSED_AT_RUN_TIME { return ranks::check_options(ContextOptions{.chips = 4}, 8).refusal(); }
ACCEPTED_AT_RUN_TIME { return ranks::check_options(ContextOptions{.chips = 8}, 8); }
}  // namespace ranks_more_than_chips

// # ranks-out-of-step
// Every rank runs the same program and records the same kernels; which part of each it computes follows from its number. Before a kernel runs, the ranks compare what
// they have recorded. Where it differs, something that they do not share has had a say: the time, a random number without a seed, a file that only one machine has.
// run time only: ranks meet when they run
namespace ranks_out_of_step {
// error[ranks-out-of-step]: rank 0 is to run add, and another rank a kernel that differs from it; help: let nothing that ranks do not share (time, random numbers, files of one machine) decide what is launched
REFUSED_AT_RUN_TIME { return over_two_ranks(of_sixteen, false).refusal(); }
ACCEPTED_AT_RUN_TIME { return over_two_ranks(of_eight, false); }
}  // namespace ranks_out_of_step

// # ranks-rank-failed
// What one rank cannot do, all give up together; the rank itself says why. Memory is the usual reason: a process holds its chips' tensors, and what they work with.
// run time only: ranks meet when they run
namespace ranks_rank_failed {
// error[ranks-rank-failed]: rank 1 could not go on, and with it the run; help: see what that rank says; memory that has run out is the usual reason
REFUSED_AT_RUN_TIME { return over_two_ranks(of_eight, true).refusal(); }
ACCEPTED_AT_RUN_TIME { return over_two_ranks(of_eight, false); }
}  // namespace ranks_rank_failed

// # ranks-trace
// A trace shows all commands of a kernel, and what each waited for. Over several ranks no process has simulated all of them. `tcp llama --plan --chips N` plans all chips
// in one process, and takes seconds.
// run time only: how many processes there are is known when they run
namespace ranks_trace {
// error[ranks-trace]: a trace is asked for, over 2 ranks; help: plan or simulate all chips in one process: without mpirun, or with -n 1
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace = "chips.json";
  return ranks::check_options(options, 2).refusal();
}
ACCEPTED_AT_RUN_TIME { return ranks::check_options(ContextOptions{.backend = BackendKind::device}, 2); }
}  // namespace ranks_trace
