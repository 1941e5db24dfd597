// A fetch reads one tensor of DM, or two of the same type and mappings that take turns along an axis of size 2.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().source.clear();
  return p.refusal();
}
