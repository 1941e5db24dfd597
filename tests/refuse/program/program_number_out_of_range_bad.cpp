// A setting that the hardware does not have: here a command that occupies no resource, so that nobody would run it.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  p.commands[0].resources = 0;
  return program::check(p, rngd).refusal();
}
