// A size that the hardware does not offer: here a fetch of 3 bytes at once. The sizes of an access, of a ring, of a group of rows and the like are sets, and a
// number between two of them is not rounded.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  program::Exec pass;
  pass.units = std::get<program::Itos>(p.commands[0].what).units;
  pass.fetch.read.access_bytes = 3;
  p.commands[0].what = pass;
  return program::check(p, rngd).refusal();
}
