// The model of DM's banks serves one PE: the 64 slices of a pair of DMNs. A chip has eight of them, and a slice of a cluster belongs to the PE of its
// number divided by 64.
// run time only: accesses are made while a program is simulated
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/dm_banks.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  return banks.issue({.slice = 64, .address = Bytes{0}, .size = Bytes{8}, .command = 3}).refusal();
}
