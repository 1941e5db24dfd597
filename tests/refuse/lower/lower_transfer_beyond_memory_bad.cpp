// The second slice gets 7 of 15 elements, in a row of 8 bytes: the packet reads one byte more than the source has. Here there is no such byte, for the source lies
// at the very end of a slice.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 15");
  auto const in = b.dm("in", ScalarType::i8, "1 # 256", "A", 512 * 1024 - 15);
  b.module.tensors[static_cast<std::size_t>(in)].role = ir::Role::from_addr;
  b.move(in, b.dm("out", ScalarType::i8, "A # 16 / 8 # 256", "A # 16 % 8", 0));
  return lower::lower(b.module, rngd).refusal();
}
