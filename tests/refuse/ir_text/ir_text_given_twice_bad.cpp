// Each level, each attribute and each named argument is given once; the second could only contradict the first.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(axes A = 8
dm x: i32 Slice[A] Slice[A / 2])",
                   "bad.tcp")
      .refusal();
}
