// Every command is queued for a context or a DMA, and runs when its turn comes. One that occupies none of them has no place in a schedule; lowering always gives
// one, so that such a program was written by hand or is damaged.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p;
  p.commands.resize(1);
  return sched::schedule(p, rngd, sched::BookDuration(rngd)).refusal();
}
