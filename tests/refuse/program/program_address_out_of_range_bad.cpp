// Every walk is held to its memory, from the lowest byte that it touches to the highest, before anything runs.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  std::get<program::Itos>(p.commands[0].what).address = 524286;
  return program::check(p, rngd).refusal();
}
