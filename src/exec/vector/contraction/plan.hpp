// A contraction as a matrix product: what contraction.cpp hands to the kernels.
#pragma once

#include <optional>

#include "exec/vector/contraction/contraction.hpp"
#include "exec/vector/contraction/products.hpp"

namespace tcp::vector {

/// Kept coordinates of one axis, or some digits of it.
struct KeptLoop {
  std::int64_t size = 1, data = 0, weights = 0, out = 0;  // strides
};

struct ContractionPlan {
  std::vector<KeptLoop> both, rows, columns;
  std::int64_t data_offset = 0, weights_offset = 0;  // of coordinates that stand still
  std::vector<std::int64_t> data_k, weights_k;
  std::vector<kernels::Leaf> leaves;
  std::int64_t steps = 0;
  int depth = 0;
  Tensor out;

  bool plain() const;  // no padding among what is summed
};

/// None: the list of k is not the same for all outputs, or undefined elements take part.
std::optional<ContractionPlan> plan_contraction(const Tensor& data, const Tensor& weights, const ContractionFacts& facts,
                                                const Levels& out);

}  // namespace tcp::vector
