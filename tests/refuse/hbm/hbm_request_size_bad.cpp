// HBM transfers units of 256 bytes. The model of its channels takes one request at a time: at least one byte, and no more than a unit, though it may
// lie across two of them. DMA cuts longer packets into such requests itself.
// run time only: requests are made while a program is simulated
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/hbm.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  sim::Hbm hbm(rngd);
  return hbm.submit({.address = Bytes{4096}, .size = Bytes{512}}).refusal();
}
