// commit, to_trf and to_vrf take the stream up; nothing is left for a stage behind them. What is to be computed further begins with a new pass that fetches the result.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().stages.push_back(p.stage(4));
  return p.refusal();
}
