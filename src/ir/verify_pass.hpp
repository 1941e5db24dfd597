// The part of the verifier that follows a stream from its fetch to its sink.
#pragma once

#include "tcp/ir/verify.hpp"

namespace tcp::ir {

Expected<PassFacts> verify_pass(const Module& module, const Device& device, const Pass& pass, Where at);

/// One side of a transfer.
DmaTensor dma_tensor(const Module& module, TensorId id);

}  // namespace tcp::ir
