// What a pass computes has to go somewhere: into DM by a commit, or into a register file by to_trf or to_vrf. A stream without a sink is a mistake of the program,
// not something to be dropped in silence.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().stages.pop_back();
  return p.refusal();
}
