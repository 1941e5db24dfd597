// The model of DM's banks, which the timing model `detailed` asks access by access.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/dm_banks.hpp"

using namespace tcp;

// # dm-access-size
// An engine reaches each bank of a slice at most once a cycle: 128 bytes, less if they do not begin at a row of 8 bytes. DMA sends requests of at most
// 256 bytes.
// run time only: accesses are made while a program is simulated
namespace dm_access_size {
// error[dm-access-size]: main fetch of command 3 accesses 256 bytes at 0: an access has from 1 to 128 bytes; help: split it into accesses of at most 128 bytes that begin at a row
REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  return banks.issue({.slice = 0, .address = Bytes{0}, .size = Bytes{256}, .client = sim::DmClient::main_fetch, .command = 3}).refusal();
}
}  // namespace dm_access_size

// # dm-access-slice
// The model of DM's banks serves one PE: the 64 slices of a pair of DMNs. A chip has eight of them, and a slice of a cluster belongs to the PE of its
// number divided by 64.
// run time only: accesses are made while a program is simulated
namespace dm_access_slice {
// error[dm-access-slice]: command 3 accesses slice 64: a PE has the slices 0 to 63; help: give the access to the model of its PE, with a slice below 64
REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  return banks.issue({.slice = 64, .address = Bytes{0}, .size = Bytes{8}, .command = 3}).refusal();
}
}  // namespace dm_access_slice

// # dm-response-timeout
// DMA has the lowest priority in a bank of DM. A request of DMA that gets no answer for 4,096 cycles is an error of the network between them; a chip resets
// the cluster, and all that it has computed is lost.
//
// It happens when fetches and commits access one bank again and again while DMA wants it: 64 accesses in a row can be enough, and those of commands that
// run at the same time add up. A schedule that keeps the rule lets such commands wait for each other; this is what happens without.
// run time only: who waits for whom is known when a program is simulated
namespace dm_response_timeout {
// error[dm-response-timeout]: DMA command 9 has no answer from slice 5 after 4096 cycles: main fetch of command 4 holds bank 0; help: let command 9 run before or after command 4, or give command 4 fewer than 64 accesses in a row to one bank
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
}  // namespace dm_response_timeout
