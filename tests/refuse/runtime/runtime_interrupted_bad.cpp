// A kernel on the simulated chip was stopped: by ContextOptions::stop, or, where the environment asked for a trace, by Ctrl-C. Its results hold nothing; the trace, if one
// was asked for, has what was done, and says that it is not complete.
//
// run time only: it is a matter of patience
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.stop = [](void*) { return true; };
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
