// A stream exists inside one pass only, and every pass begins by reading DM. A list of stages without a fetch has no data to work on.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().stages.erase(p.pass().stages.begin());
  return p.refusal();
}
