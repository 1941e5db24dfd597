// A logical device does not count its slices, so that the book's bare listings run. A program is for a chip, which has as many as it has.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 512, B = 8");
  b.cluster = "1";
  b.move(b.hbm("in", ScalarType::i8, "A, B", 0, ir::Role::argument), b.dm("out", ScalarType::i8, "A", "B", 0));
  return lower::lower(b.module, logical).refusal();
}
