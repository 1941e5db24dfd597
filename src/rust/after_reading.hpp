// What is done to a kernel's commands once all of them are known.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/ir/module.hpp"

namespace tcp::rust {

/// A tensor that was made with new, and how many commands there were before it.
struct NewTensor {
  ir::TensorId id = ir::none;
  std::size_t commands = 0;
};

/// Tensors made with new hold zeros there, and nothing here: those of which something is read before all of it is
/// written are filled. Gives the first tensor that cannot be; none: all are.
ir::TensorId fill_new_tensors(ir::Module& module, const Device& device, const std::vector<NewTensor>& made);

/// TRF tensors whose place is not said take all of it, or halves where two are needed at a time.
void halve_trf(ir::Module& module, const std::vector<ir::TensorId>& free);

}  // namespace tcp::rust
