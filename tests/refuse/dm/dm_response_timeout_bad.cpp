// DMA has the lowest priority in a bank of DM. A request of DMA that gets no answer for 4,096 cycles is an error of the network between them; a chip resets
// the cluster, and all that it has computed is lost.
//
// It happens when fetches and commits access one bank again and again while DMA wants it: 64 accesses in a row can be enough, and those of commands that
// run at the same time add up. A schedule that keeps the rule lets such commands wait for each other; this is what happens without.
// run time only: who waits for whom is known when a program is simulated
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/dm_banks.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  if (auto r = banks.issue({.slice = 5, .address = Bytes{0}, .size = Bytes{256}, .client = sim::DmClient::dma, .command = 9}); !r)
    return r.refusal();
  while (true) {
    if (auto r = banks.issue({.slice = 5, .address = Bytes{0}, .size = Bytes{8}, .client = sim::DmClient::main_fetch, .command = 4}); !r)
      return r.refusal();
    if (Verdict v = banks.step(); !v) return v.refusal();
  }
}
