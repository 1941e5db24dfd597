// The chip `logical` is not held to sizes, so that short listings run. The simulated register file still has as many banks as a chip, and no more.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Exec e = sim_programs::copy_flit(0, 4096);
  program::TrfStore store;
  store.row_base = 1 << 16;
  store.row_bytes = 32;
  e.fetch.stored = e.fetch.type = ScalarType::bf16;
  e.fetch.packet_elements = 16;
  e.sink = store;
  program::Program p = sim_programs::of(e);
  p.chip = logical.name.s;
  sim::Machine machine(logical, 1);
  (void)machine.submit(p);
  return machine.run().refusal();
}
