// What a channel of HBM does is worked out up to the latest arrival and not taken back: a request can not arrive before one that was submitted
// earlier. Where several requesters send, submit their requests merged by arrival.
// run time only: requests are made while a program is simulated
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/hbm.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  sim::Hbm hbm(rngd);
  if (auto first = hbm.submit({.address = Bytes{0}, .size = Bytes{256}, .arrival = Cycles{100}}); !first) return first.refusal();
  return hbm.submit({.address = Bytes{256}, .size = Bytes{256}, .arrival = Cycles{99}}).refusal();
}
