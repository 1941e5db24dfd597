// Tensors without an address are placed where nothing else lives at the same time. If all that is alive at one command does not fit into the memory together, the kernel has to
// keep less at once: use a tensor for the last time before the next is written, work on tiles, or spread the tensors over more slices. The note lists
// who lives there meanwhile, with sizes, addresses and the commands of their lives.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
#include "tcp/ir/place.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("B = 65536, C = 98304");
  auto const in = b.hbm("in", ScalarType::i32, "B", 0, ir::Role::argument),
             in2 = b.hbm("in2", ScalarType::i32, "C", 1 << 20, ir::Role::argument);
  auto const out = b.hbm("out", ScalarType::i32, "B", 1 << 28, ir::Role::result);
  auto const kept = b.dm("kept", ScalarType::i32, "1 # 256", "B", 0), other = b.dm("other", ScalarType::i32, "1 # 256", "C", 0);
  for (ir::TensorId id : {kept, other}) b.module.tensors[static_cast<std::size_t>(id)].address.reset();
  b.move(in, kept);
  b.move(in2, other);
  b.move(kept, out);
  return ir::place(b.module, rngd).refusal();
}
