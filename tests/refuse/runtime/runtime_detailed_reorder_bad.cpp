// Reordering asks for every command how long it takes, and looks for an order in which they wait less. The model `detailed` knows that only when they have run.
//
// run time only: models are chosen when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.model = "detailed";
  options.reorder = true;
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
