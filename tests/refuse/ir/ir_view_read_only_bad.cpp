// A tensor with a plain axis may be read as a window. What is written through such a view would be several elements at one place.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder p("X = 10, W = 8, F = 3");
  ir::TensorId const frame = p.hbm("frame", ScalarType::i8, "$(W, F)", 0, ir::Role::argument);
  ir::TensorId const plain = p.hbm("plain", ScalarType::i8, "X", 4096, ir::Role::result);
  ir::Tensor view = p.module.tensor(plain);
  view.address.reset();
  view.role = ir::Role::temporary;
  view.view = ir::ViewOf{plain, ir::ViewOf::Kind::reshape, 0, 0, 0};
  view.element = p.map("$(W, F)");
  p.module.tensors.push_back(view);
  p.move(frame, static_cast<ir::TensorId>(p.module.tensors.size() - 1));
  return ir::verify(p.module, rngd).refusal();
}
