// Places for tensors that have no address: an author may leave addresses out, and a compiler author need not have any.
//
// Needs: a module that verify accepts. Leaves: an address in every tensor of HBM, DM, SPM and VRF; those that were given stay, and views move with their
// tensors. Which half of the TRF a tensor takes is the author's alone. Refuses: ir-memory-full.
#pragma once

#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::ir {

/// `taken`: bytes of HBM that hold what others will want when the module has run.
///
/// The same module gets the same places, whatever the machine. `taken` are bytes of HBM that tensors of others take.
///
/// Law: afterwards no two tensors share a byte of one memory while both are alive, and none ends beyond its memory.
/// A module that is refused is left as it was.
Verdict place(Module& module, const Device& device, const std::vector<Extent>& taken = {});

}  // namespace tcp::ir
