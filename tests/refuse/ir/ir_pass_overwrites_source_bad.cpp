// Fetch and commit of one pass run at the same time. If the commit wrote into bytes that the fetch still has to read, the result would depend on which of them is ahead.
// Place the result elsewhere.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[static_cast<std::size_t>(p.sum)].address = 0;
  return p.refusal();
}
