// A number is kept exactly as it is written, so one that does not fit is refused and not cut: addresses and sizes have 64 bits, execution ids run from 0 to 15, slices from
// 0 to 255, the bits of a value are 32. Values of the small float types are written by their bits.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return ir::parse(R"(dm x: i32 at 0
memset x = 4294967296)",
                   "bad.tcp")
      .refusal();
}
