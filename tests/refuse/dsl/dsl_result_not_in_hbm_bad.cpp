// DM, SPM and the register files belong to the kernel that runs. What is to outlive it lies in HBM.
//
// run time only: what a kernel still holds when it returns is seen then
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::keeps_dm, ctx, in).get(); });
}
