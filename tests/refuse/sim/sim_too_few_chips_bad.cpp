// All chips of a program run at the same time, so a machine must have as many as the program was made for.
//
// run time only: the number of chips belongs to the program
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = sim_programs::of(sim_programs::copy_flit(0, 4096));
  p.chips = 4;
  sim::Machine machine(rngd, 2);
  return machine.submit(p).refusal();
}
