// Sizes of a configuration multiply. A chip would work for days on what is refused here; more likely a size is wrong.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"
using namespace tcp;

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
