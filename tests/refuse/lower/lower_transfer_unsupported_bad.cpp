// A transfer becomes one loop nest for each DMA engine, with strides that are known beforehand. Rows by an index tensor, chips and clusters exchanged, and
// blocks that end inside one another need more than that, and do not lower yet; they run in the interpreters.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("V = 16, D = 64, T = 8");
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::gather;
  t.source = b.hbm("table", ScalarType::bf16, "V, D", 0, ir::Role::argument);
  t.rows = b.hbm("rows", ScalarType::i32, "T", 4096, ir::Role::argument);
  t.row_axis = Name("V");
  t.destination = b.hbm("out", ScalarType::bf16, "T, D", 8192, ir::Role::result);
  b.module.commands.push_back({t, {}, ir::none});
  return lower::lower(b.module, rngd).refusal();
}
