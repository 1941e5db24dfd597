// Schedules: when each command begins and ends.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"

using namespace tcp;

// # sched-command-too-long
// Sizes of a configuration multiply. A chip would work for days on what is refused here; more likely a size is wrong.
// run time only: it depends on the program
namespace sched_command_too_long {
// error[sched-command-too-long]: a command takes 4503599627370496 cycles or more; the schedule counts commands of fewer than 17592186044416; help: divide the command, or look for a loop whose size is wrong
REFUSED_AT_RUN_TIME {
  program::Exec e;
  e.fetch.read.packets = std::int64_t{1} << 40;
  e.fetch.read.accesses_per_packet = 4096;
  program::Program p;
  p.commands.resize(1);
  p.commands[0].what = e;
  p.commands[0].resources = bit(program::Resource::Main);
  return sched::schedule(p, rngd, sched::BookDuration(rngd)).refusal();
}
}  // namespace sched_command_too_long

// # sched-no-queue
// Every command is queued for a context or a DMA, and runs when its turn comes. One that occupies none of them has no place in a schedule; lowering always gives
// one, so that such a program was written by hand or is damaged.
// run time only: it depends on the program
namespace sched_no_queue {
// error[sched-no-queue]: command 0 occupies neither a context nor a DMA queue; help: set its resources, as lowering does
REFUSED_AT_RUN_TIME {
  program::Program p;
  p.commands.resize(1);
  return sched::schedule(p, rngd, sched::BookDuration(rngd)).refusal();
}
}  // namespace sched_no_queue

// # sched-program-too-long
// The commands of a program add up. Where their sum is beyond 64 bits, no start or end could be told.
// run time only: it depends on the program
namespace sched_program_too_long {
struct Endless : sched::Duration {
  std::string_view name() const override { return "endless"; }
  Expected<program::Cost> cost(const program::Command&, std::size_t) const override {
    program::Cost c;
    c.streaming = Cycles{std::int64_t{1} << 62};
    return c;
  }
};
// error[sched-program-too-long]: the 2 commands together take more cycles than a schedule counts; help: divide the program
REFUSED_AT_RUN_TIME {
  program::Program p;
  p.commands.resize(2);
  for (program::Command& c : p.commands) c.resources = bit(program::Resource::Main);
  return sched::schedule(p, rngd, Endless()).refusal();
}
}  // namespace sched_program_too_long

// # sched-unknown-model
// A timing model has a name. `book` is the closed forms of the book, `calibrated` those with what chips showed, `planned` with what the vendor's planner expects; models that advance memories cycle by cycle belong to the simulator.
// run time only: the name is text that a user gives
namespace sched_unknown_model {
// error[sched-unknown-model]: there is no timing model 'exact'; help: write book, calibrated or planned
REFUSED_AT_RUN_TIME { return sched::duration_named("exact", rngd).refusal(); }
}  // namespace sched_unknown_model
