// A store into the TRF or the VRF has no sequencer of its own: flits fill a tensor one behind the other. A tile of such a tensor can be
// read, by a contraction or as an operand; it cannot be stored into.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  ir::Tensor vrf = p.module.tensor(p.sum);
  vrf.memory = Memory::Vrf;
  vrf.address = 0;
  p.module.tensors.push_back(vrf);
  ir::TensorId const whole = static_cast<ir::TensorId>(p.module.tensors.size() - 1);
  vrf.address.reset();
  vrf.view = ir::ViewOf{whole, ir::ViewOf::Kind::whole, 0, 0, 0};
  p.module.tensors.push_back(vrf);
  std::vector<ir::Stage>& stages = p.pass().stages;
  stages.erase(stages.begin() + 2, stages.end());
  ir::Stage store = stages.back();
  store.what = ir::ToVrf{whole + 1};
  stages.push_back(store);
  return p.refusal();
}
