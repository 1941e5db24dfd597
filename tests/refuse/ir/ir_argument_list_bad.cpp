// Arguments are filled before a module runs: each is a whole tensor and stands in the list once, or the second value would take the place of the first.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.arguments.push_back(p.in);
  return p.refusal();
}
