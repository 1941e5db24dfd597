// Tensors, tables, regions and axes are declared before they are used, so that a misspelt name is noticed where it stands.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(axes Heads = 8
dm weights: i32 Element[Heads]
memset wieghts = 0)",
                   "bad.tcp")
      .refusal();
}
