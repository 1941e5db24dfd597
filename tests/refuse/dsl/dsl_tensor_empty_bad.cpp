// A tensor that is declared and not filled names nothing: it becomes one when the result of a transfer, a commit or a store is assigned to it.
//
// run time only: a variable may be filled on one way and not on another
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::takes_nothing, ctx).get(); });
}
