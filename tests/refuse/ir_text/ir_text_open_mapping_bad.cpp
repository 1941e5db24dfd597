// A mapping stands between brackets, and so do the groups inside it. One bracket too few makes the rest of the text part of the mapping.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(axes A = 8, B = 4
dm x: i32 Element[[A, B # 8]
memset x = 0)",
                   "bad.tcp")
      .refusal();
}
