// A view of all of a tensor shows all of it, as it is; parts are tiles, other indices are reshapes.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  ir::Tensor view = p.module.tensor(p.dm);
  view.address.reset();
  view.view = ir::ViewOf{p.dm, ir::ViewOf::Kind::whole, 0, 0, 0};
  view.element = p.map("B");
  p.module.tensors.push_back(view);
  return p.refusal();
}
