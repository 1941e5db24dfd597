// A stream is consumed by its next stage. The types see to it as long as a stream is a temporary; a copy that was kept is found when it is used.
//
// run time only: C++ cannot tell that a moved value is used again
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::goes_back, ctx, in).get(); });
}
