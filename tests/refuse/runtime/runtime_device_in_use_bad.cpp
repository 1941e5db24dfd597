// A context has the device for itself from acquire to its end. Another one waits for it, or is refused if it does not want to wait; a thread that has the device
// would wait for itself.
//
// run time only: who has the device shows when it is asked for
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto first = Context::acquire(ContextOptions{});
  ContextOptions options;
  options.wait = false;
  return tcp_refuse::refused([&] { (void)Context::acquire(options); });
}
