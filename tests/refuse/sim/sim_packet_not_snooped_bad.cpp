// Each slice has a router on the ring of the switch. It takes the packets of the slices that its bitmap names, and no others; a route that leads to another slice
// was not made for this bitmap.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Exec e = sim_programs::copy_flit(0, 4096, 2);
  program::Switch s;
  s.topology = program::Topology::CustomBroadcast;
  s.ring_size = 2;
  s.of_slice = {{2, 1, 0, 2}};
  s.snoop.resize(2);
  s.snoop[0].insert(0);  // slice 1 takes nothing
  e.switching = s;
  sim::Machine machine(rngd, 1);
  (void)machine.submit(sim_programs::of(e));
  return machine.run().refusal();
}
