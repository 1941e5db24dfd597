// The commands of a kernel of the library, to be compared with one in Rust.
#pragma once

#include <string>
#include <tcp/dyn.hpp>
#include <utility>
#include <vector>

#include "tcp/runtime/record.hpp"

namespace tcp::rust {

struct Given {
  ScalarType type;
  Mapping element;
  Mapping chip = dyn::one;
};

/// The commands of a kernel of the library, over tensors that are named by their numbers.
template <std::int64_t Chips = 1, class Kernel, class... Tensor>
ir::Module recorded(const Kernel& kernel, const Tensor&... given) {
  auto ctx = Context::acquire();
  int number = 0;
  auto const declared = [&](const Given& g) {
    auto t = dyn::Tensor::declared(ctx, g.type, g.chip, g.element);
    t.named(("argument " + std::to_string(number++)).c_str());
    return t;
  };
  std::vector<dyn::Tensor> tensors;
  (tensors.push_back(declared(given)), ...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return record<Chips>(kernel, ctx, tensors[I]...).module();
  }(std::index_sequence_for<Tensor...>());
}

}  // namespace tcp::rust
