// A tensor lies in the memory of the device that it was uploaded to, and that memory is given up with the context.
//
// run time only: which context made a tensor is no part of its type
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::InHbm in;
  {
    auto first = Context::acquire(ContextOptions{});
    in = tcp_refuse::uploaded(first);
  }
  auto second = Context::acquire(ContextOptions{});
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, second, in).get(); });
}
