// Memories, stages, operations and the names of arguments are words of the text form, and each place knows only its own.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(axes A = 8
dm x: i32 Element[A]
main.begin(x)
  .fetch i32 Time[1] Packet[A]
  .colect)",
                   "bad.tcp")
      .refusal();
}
