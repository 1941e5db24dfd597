// Nothing on the chip keeps a command from reading what another one has not written yet: the schedule must. The machine looks at every pair of commands that
// run at the same time, or that run in another order than the program has them, and compares the bytes they touch.
//
// run time only: it depends on the schedule
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program const p = sim_programs::chain(true);
  sim::Machine machine(rngd, 1);
  (void)machine.submit(p, sim_programs::starting_at(p, {0, 5}));
  return machine.run().refusal();
}
