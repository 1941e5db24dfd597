// A number that is not a whole number of the hardware's units: here a transfer into DM of packets of 12 bytes, where rows of 8 bytes are written as a whole.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  program::DmaDescriptor d;
  d.write.memory = program::Memory::Dm;
  d.packet_bytes = 12;
  p.commands[0].what = program::Dma{false, false, {d}};
  return program::check(p, rngd).refusal();
}
