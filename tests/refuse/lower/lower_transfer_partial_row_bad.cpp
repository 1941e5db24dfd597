// Of 15 elements the second slice gets 7, and DM is written in rows of 8 bytes. In a tensor of its own the eighth byte is padding and may be written; behind a view
// lies somebody else's.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 15");
  auto const in = b.hbm("in", ScalarType::i8, "A", 0, ir::Role::argument);
  auto const whole = b.dm("whole", ScalarType::i8, "A # 16 / 8 # 256", "A # 16 % 8", 0);
  ir::Tensor seen = b.module.tensor(whole);
  seen.name = "seen";
  seen.address.reset();
  seen.view = ir::ViewOf{whole, ir::ViewOf::Kind::whole, 0, 0, 0};
  b.module.tensors.push_back(seen);
  b.move(in, whole + 1);
  return lower::lower(b.module, rngd).refusal();
}
