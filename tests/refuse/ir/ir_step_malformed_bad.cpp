// A step of the vector engine is a method, an operation of the method's family and an argument mode, kept as small numbers. A program that fills them in by hand
// can combine what does not exist; the functions `step_of` cannot. Branches, reduces, filters, stashes and logs are stages of their own, not operations.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  VectorStep step = step_of(FxpBinaryOp::AddFxp);
  step.op = 99;
  p.stage(3).what = ir::VectorOperation{step, {}};
  return p.refusal();
}
