// A device that was written in C++ has a number that no chip can have, or two numbers that contradict each other: a capacity that is
// not the product of its banks, rows and bytes, a list of sizes that does not ascend, a tree that sums more elements than a cycle
// brings. Rules and timing models trust the device that they are given, so such a device is refused before anything is judged by it.
//
// Start from one of the chips we ship (`tcp::rngd`, `tcp::rngd_s`, `tcp::logical`) and change parts and whole together.
#include "refuse_test.hpp"
#include "tcp/device/check.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

static constexpr Device with_half_the_rows() {
  Device d = rngd;
  d.name = "half";
  d.dm.rows_per_bank = 2048;
  return d;
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(check_device(with_half_the_rows())); }
#else
REFUSED_AT_RUN_TIME { return check_device(with_half_the_rows()).refusal(); }
#endif
