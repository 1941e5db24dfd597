// A name stands for one tensor, one table, one region or one axis. Tensors that share a name in C++ are told apart by a number behind a percent sign, which is no
// part of the name. An axis that has another size in one mapping says so there: `[A / 2 where A = 8]`.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(axes A = 8
dm x: i32 Element[A]
dm x: f32 Element[A])",
                   "bad.tcp")
      .refusal();
}
