// A schedule names the commands of a program by their numbers. With another program it means nothing.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program const p = sim_programs::chain();
  sim::Machine machine(rngd, 1);
  return machine.submit(p, program::Schedule{}).refusal();
}
