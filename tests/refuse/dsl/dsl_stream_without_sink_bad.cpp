// Every pass ends in a commit, to_trf or to_vrf: what flows out of the last stage must be taken up.
//
// run time only: a stream that nobody goes on with is found at the next begin, or when the kernel returns
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::leaves_a_stream, ctx, in).get(); });
}
