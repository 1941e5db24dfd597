// A kernel runs on the device and sees the memory of the device. Host tensors are uploaded before the launch, and results downloaded after it.
//
// run time only: one function may be called by the host and by a kernel
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::uploads, ctx).get(); });
}
