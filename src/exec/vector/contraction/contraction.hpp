// The contraction engine: an ordered sum (or maximum) of products, laid out as a matrix product for the kernels.
//
// Chips, clusters, slices, rows and time steps that are kept are only places: an output is named by its coordinates. So
// the axes that a contraction keeps fall into those that the stream alone has (rows of a matrix product), those that
// the weights alone have (columns), and those that both have (one product each); what is summed is a list of k, in
// order of arrival, with an offset into either operand and the kind of its padding. The machine's geometry is gone.
//
// Where an axis is shared out between what is kept and what is summed in such a way that the list differs from output
// to output, or where undefined elements take part, outputs are computed one by one.
#pragma once

#include <string>

#include "exec/vector/chain.hpp"
#include "tcp/rules/contraction.hpp"

namespace tcp::vector {

struct ContractionFacts {
  Levels stream{};            // of the stream that is aligned
  Mapping weights_element{};  // of the TRF tensor: an axis that it does not count, Time and Packet do not step along
  const Aligned* pair = nullptr;
  const Contracted* contracted = nullptr;
  const Accumulated* accumulated = nullptr;
  ContractOp op = ContractOp::Add;

  /// Whether Time and Packet find other weights along an axis. If not, each unit has its own, or all have the same.
  bool steps_weights(Name axis) const {
    int const a = find_axis(weights_element, axis);
    return a >= 0 && coarsest_digit(weights_element, a) >= 0;
  }
};

/// `out`: the levels of the result.
Tensor contract(const Tensor& data, const Tensor& weights, const ContractionFacts& facts, const Levels& out, const How& how);

/// How it would be done: "16 x (512 x 512) x 64, tree of 32".
std::string words_of_contraction(const Tensor& data, const Tensor& weights, const ContractionFacts& facts, const Levels& out);

}  // namespace tcp::vector
