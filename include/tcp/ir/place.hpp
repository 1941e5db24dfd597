// Places for tensors that have no address: an author may leave addresses out, and a compiler author need not have any.
//
// Leaves: an address in every tensor of HBM, DM, SPM and VRF; those that were given stay, and views move with their
// tensors. Which half of the TRF a tensor takes is the author's alone. Refuses: ir-memory-full.
#pragma once

#include <vector>

#include "tcp/ir/verify.hpp"
#include "tcp/support/interval.hpp"

namespace tcp::ir {

/// Bytes of HBM, or of the DM of every slice.
struct Taken {
  Memory memory = Memory::Hbm;
  Interval bytes;

  bool operator==(const Taken&) const = default;
};

/// The module with an address for every tensor. `taken` hold tensors of other kernels, which are needed after the
/// module has run.
///
/// Equal modules get equal places on every machine.
///
/// Law: afterwards no two tensors share a byte of one memory while both are alive, and none ends beyond its memory.
Expected<Verified> placed(Verified module, const std::vector<Taken>& taken = {});

}  // namespace tcp::ir
