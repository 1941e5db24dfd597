// Two tensors at the same bytes of HBM: the later one takes the place of the first, which cannot be read any more.
//
// run time only: addresses are values
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const first = tcp_refuse::uploaded(ctx, 0);
  auto const second = tcp_refuse::uploaded(ctx, 4096);
  return tcp_refuse::refused([&] { (void)first.to_host<m<tcp_refuse::A>>(ctx.pdma); });
}
