// In the addresses that DMA sees, the slices of a cluster lie one behind the other, with gaps: a slice holds less than the distance to the next. A descriptor that
// writes into a gap writes nowhere.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::DmaDescriptor d;
  d.write.memory = program::Memory::Dm;
  d.write.address = rngd.dm.slice_capacity.value - 32;
  d.packet_bytes = 64;
  program::Program p = sim_programs::of({});
  p.commands[0] = {};
  p.commands[0].what = program::Dma{false, false, {d}};
  p.commands[0].resources = bit(program::Resource::TensorDma);
  sim::Machine machine(rngd, 1);
  (void)machine.submit(p);
  return machine.run().refusal();
}
