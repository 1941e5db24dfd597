// Errors about tensors that are used where they cannot be: outside a kernel, empty, or on another device.
#include "dsl/parts.hpp"

namespace tcp::detail {

Refusal outside_kernel(Where at) {
  return refuse("dsl-outside-kernel", at)
      .what("the device is told to do something outside of a kernel")
      .why("transfers by tdma, passes and views of device tensors are recorded while a kernel runs")
      .help("put it into a function and launch it: launch(kernel, ctx, tensors...)");
}
Refusal empty_tensor(Where at) {
  return refuse("dsl-tensor-empty", at)
      .what("a tensor is used that has not been made yet")
      .why("a tensor that is declared without a value names nothing")
      .help("give it the result of a transfer, a commit, to_trf, to_vrf or a branch log first");
}
Refusal foreign_tensor(const Node& node, const Session* device, Where at) {
  if (node.session != device)
    return refuse("dsl-tensor-of-another-context", at)
        .what("a tensor in ", node.memory, " of one context is used in another")
        .why("when a context ends, the device's memory belongs to the next one")
        .help("download it with to_host before its context ends, and upload it again");
  return refuse("dsl-tensor-of-another-kernel", at)
      .what("a kernel uses a tensor in ", node.memory, " of another kernel")
      .why("what a kernel does not return is gone when it ends")
      .help("return it from its kernel, as a tensor in HBM");
}

}  // namespace tcp::detail
