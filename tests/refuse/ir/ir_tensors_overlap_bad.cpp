// Addresses are the author's, and two tensors may share bytes only if they are never alive together: a tensor lives from its first write to its last use, of it or of one
// of its views. Otherwise one of them would destroy the other.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[static_cast<std::size_t>(p.out)].address = 4096;
  p.module.tensors[static_cast<std::size_t>(p.in)].address = 0;
  return p.refusal();
}
