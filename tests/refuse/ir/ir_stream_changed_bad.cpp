// Some stages compute and move nothing: what they declare as Time and Packet has to be what came in.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.stage(2).out.time = p.map("1 # 2");
  return p.refusal();
}
