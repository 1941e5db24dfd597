// A module is for one chip or for several that work in step; Chip of each tensor has one position for each of them.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.chips = 0;
  return p.refusal();
}
