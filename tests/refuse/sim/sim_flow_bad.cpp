// Every engine of a pass is told what its stream looks like. Here the fetch brings one packet, and the commit waits for two: such a program was not made by
// lowering, or it was damaged.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Exec e = sim_programs::copy_flit(0, 4096);
  auto& commit = std::get<program::Commit>(e.sink);
  commit.write.packets = 2;
  commit.write.loops = {{2, 32}};
  sim::Machine machine(rngd, 1);
  return machine.submit(sim_programs::of(e)).refusal();
}
