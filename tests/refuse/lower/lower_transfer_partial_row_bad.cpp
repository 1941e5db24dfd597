// Of 15 elements of a row the second slice gets 7, and DM is written in rows of 8 bytes. In a tensor of its own the eighth byte is padding and may be written; a
// gather does not look behind a view.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("V = 4, T = 2, A = 15");
  auto const table = b.hbm("table", ScalarType::i8, "V, A # 16", 0, ir::Role::argument);
  auto const index = b.hbm("index", ScalarType::i32, "T", 4096, ir::Role::argument);
  auto const whole = b.dm("whole", ScalarType::i8, "A # 16 / 8 # 256", "T, A # 16 % 8", 0);
  ir::Tensor seen = b.module.tensor(whole);
  seen.name = "seen";
  seen.address.reset();
  seen.view = ir::ViewOf{whole, ir::ViewOf::Kind::whole, 0, 0, 0};
  b.module.tensors.push_back(seen);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::gather;
  t.source = table;
  t.destination = whole + 1;
  t.rows = index;
  t.row_axis = Name("V");
  b.module.commands.push_back({t, {}, ir::none});
  return lower::lower(b.module, rngd).refusal();
}
