// Two 4-bit elements share a byte, and addresses count bytes: a tile begins at an even position.
//
// run time only: where a tile begins is a value
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  ir::TensorId const whole = p.hbm("nibbles", ScalarType::i4, "A", 4096);
  ir::Tensor view = p.module.tensor(whole);
  view.address.reset();
  view.element = p.map("A = 2 # 2048");
  view.view = ir::ViewOf{whole, ir::ViewOf::Kind::tile, p.map("A"), 2, 1};
  p.module.tensors.push_back(view);
  return p.refusal();
}
