// ContextOptions::trace, and TCP_TRACE, name a file that takes the trace of a launch; the next launches go to files beside it. One that cannot be written is said when
// the kernel has run.
//
// run time only: files are met when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace = "/nowhere/copies.json";
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
