// The main context, the sub context, the tensor-DMA queue, the PCIe DMA and the Vector Engine do one thing at a time.
//
// run time only: it depends on the schedule
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = sim_programs::chain();
  p.commands[1].reads.clear();  // and no hazard would keep them apart
  sim::Machine machine(rngd, 1);
  (void)machine.submit(p, sim_programs::starting_at(p, {0, 5}));
  return machine.run().refusal();
}
