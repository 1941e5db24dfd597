// A trace says when each command ran. The interpreters compute values and know no time; the simulated chip does.
//
// run time only: options are met when the device is acquired
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.trace = "copies.json";
  return tcp_refuse::refused([&] { auto const ctx = Context::acquire(options); });
}
