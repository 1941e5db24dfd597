// Each stage reads and writes one kind of memory: fetch and commit DM, align TRF, operands VRF. A tensor of another memory has to be moved first.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().source = {p.in};
  return p.refusal();
}
