// Two 4-bit elements share a byte, and DMA moves bytes. On a chip the rules refuse such a layout; a logical device lets it pass, so that the interpreters run it.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 4, B = 4");
  b.move(b.hbm("in", ScalarType::i4, "A, B", 0, ir::Role::argument), b.hbm("out", ScalarType::i4, "B, A", 64, ir::Role::result));
  return lower::lower(b.module, logical).refusal();
}
