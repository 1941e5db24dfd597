// A stream passes the engines in their order, each at most once: Fetch, Switch, Collect, Contraction, Vector, Cast, Transpose, Commit. Engines may be left out, never
// gone back to.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  std::swap(p.stage(1), p.stage(2));
  return p.refusal();
}
