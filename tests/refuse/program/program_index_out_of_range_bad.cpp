// Tables, texts, loops, gates and operations are named by their number. A number beyond the list names nothing.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  p.commands[0].debug = 3;
  return program::check(p, rngd).refusal();
}
