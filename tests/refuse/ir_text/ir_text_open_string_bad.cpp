// A quoted name ends in the line in which it begins. Otherwise a forgotten quote would swallow the text up to the next one, and the refusal would point there.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(module "add one
axes A = 8)",
                   "bad.tcp")
      .refusal();
}
