// The model of HBM, which the timing model `detailed` asks request by request.
#include "tcp/sim/hbm.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

// # hbm-request-size
// HBM transfers units of 256 bytes. The model of its channels takes one request at a time: at least one byte, and no more than a unit, though it may
// extend across two of them. DMA cuts longer packets into such requests itself.
// run time only: requests are made while a program is simulated
namespace hbm_request_size {
// error[hbm-request-size]: a request for 512 bytes of HBM at 4096: a request has from 1 to 256 bytes; help: split the transfer into requests of at most 256 bytes
REFUSED_AT_RUN_TIME {
  sim::Hbm hbm(rngd);
  return hbm.submit({.address = Bytes{4096}, .size = Bytes{512}}).refusal();
}
}  // namespace hbm_request_size

// # hbm-request-time
// What a channel of HBM does is worked out up to the latest arrival and not taken back: a request can not arrive before one that was submitted
// earlier. Where several requesters send, submit their requests merged by arrival.
// run time only: requests are made while a program is simulated
namespace hbm_request_time {
// error[hbm-request-time]: a request arrives at cycle 99: the one before it arrived at 100, and the last cycle is 1125899906842624; help: submit requests in the order of their arrival
REFUSED_AT_RUN_TIME {
  sim::Hbm hbm(rngd);
  if (auto first = hbm.submit({.address = Bytes{0}, .size = Bytes{256}, .arrival = Cycles{100}}); !first) return first.refusal();
  return hbm.submit({.address = Bytes{256}, .size = Bytes{256}, .arrival = Cycles{99}}).refusal();
}
}  // namespace hbm_request_time
