// Numbers that two parts of a program tell must be the same: the rounds of a walk and the packets it makes, the steps that go into an engine and those it counts, chips and their bits.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  std::get<program::Itos>(p.commands[0].what).units.chips = {true, true};
  return program::check(p, rngd).refusal();
}
