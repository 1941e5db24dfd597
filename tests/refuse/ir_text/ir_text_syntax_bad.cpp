// The text form has few rules, and this place follows none of them. The sentence says what is needed and what stands there instead;
// [the grammar](../text-form.md) shows the whole.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(axes A = 8
dm x i32 Element[A])",
                   "bad.tcp")
      .refusal();
}
