// A module names mappings, tensors and tables by their position in its lists. A number that is in none of them comes from a program that built the module by hand,
// or from a list that was cut.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[1].element = 99;
  return p.refusal();
}
