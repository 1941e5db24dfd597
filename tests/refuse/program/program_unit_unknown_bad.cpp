// Bitmaps say which chips, clusters and slices take part. A bit for a unit that the chip does not have asks nobody.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  program::Program p = tcp_refuse::small_program();
  std::get<program::Itos>(p.commands[0].what).units.clusters = 4;
  return program::check(p, rngd).refusal();
}
