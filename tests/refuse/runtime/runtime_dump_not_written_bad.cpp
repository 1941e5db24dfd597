// ContextOptions::dump, and TCP_DUMP, name a file that takes the text of every kernel that is launched. A file that cannot be written is said at the first launch.
//
// run time only: files are met when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.dump = "/nowhere/kernels.tcp";
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
