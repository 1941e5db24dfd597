// Transfers by the tensor DMA, passes and views are commands of a kernel: they are written down while the kernel is recorded, and run as one.
//
// run time only: one function may be called by the host and by a kernel
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)tcp_refuse::keeps_dm(ctx, in); });
}
