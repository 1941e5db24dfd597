// The part of the verifier that follows a stream from its fetch to its sink.
#pragma once

#include "tcp/ir/verify.hpp"

namespace tcp::ir {

/// `module` takes the mappings that stages make and that the author has not written.
Expected<PassFacts> verify_pass(Module& module, const Device& device, const Pass& pass, Where at);
/// What depends on where the tensors of an accepted pass are.
Verdict check_pass_addresses(const Module& module, const Device& device, const Pass& pass, const PassFacts& facts, Where at);

/// One side of a transfer.
DmaTensor dma_tensor(const Module& module, TensorId id);

}  // namespace tcp::ir
