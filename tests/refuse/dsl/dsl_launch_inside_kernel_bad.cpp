// A kernel is recorded while its function runs, and only the host launches. A kernel that needs another one calls it as a function, with the same context.
//
// run time only: who calls a function shows when it is called
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::launches, ctx, in).get(); });
}
