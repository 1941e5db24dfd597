// An engine reaches each bank of a slice at most once a cycle: 128 bytes, less if they do not begin at a row of 8 bytes. DMA sends requests of at most
// 256 bytes.
// run time only: accesses are made while a program is simulated
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/dm_banks.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  return banks.issue({.slice = 0, .address = Bytes{0}, .size = Bytes{256}, .client = sim::DmClient::main_fetch, .command = 3}).refusal();
}
