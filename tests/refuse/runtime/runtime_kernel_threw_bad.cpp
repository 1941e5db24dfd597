// A kernel that throws is not run. Its exception comes out of get(); tensors that it had made and that somebody still holds have no contents.
//
// run time only: exceptions are thrown when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  tcp_refuse::InHbm kept;
  launch(tcp_refuse::throws, ctx, in, kept).wait();
  return tcp_refuse::refused([&] { (void)kept.to_host<m<tcp_refuse::A>>(ctx.pdma); });
}
