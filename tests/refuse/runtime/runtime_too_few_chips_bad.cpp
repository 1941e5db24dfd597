// The number of chips belongs to the kernel: launch<4>(kernel, ctx, ...). All of them run at the same time, so the machine needs as many.
//
// run time only: how many chips a machine has shows when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.chips = 2;
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch<4>(tcp_refuse::copies, ctx, in).get(); });
}
