// The host fills and reads memories of a machine by address. An address that the chip does not have is a mistake of the program around the machine.
//
// run time only: it depends on the machine
#include "refuse_test.hpp"
#include "sim_programs.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  sim::Machine machine(rngd, 1);
  std::byte word[4]{};
  return machine.write(program::Memory::Dm, 0, rngd.dm.slice_capacity.value, word).refusal();
}
