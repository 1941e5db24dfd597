// What the contraction engine computes, in the chip's order: products, then pairs of neighbours up the tree, then
// packet after packet.
#pragma once

#include "tcp/exec/reference/value.hpp"
#include "tcp/rules/contraction.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::reference {

/// `contracted` and `accumulated` are what the rules found of contract and accumulate; `pair` is the aligned pair,
/// whose zero padding makes products of +0. `out` has the levels of the result.
Value contract(const Value& data, const Value& weights, ContractOp op, const Aligned& pair, const Contracted& contracted,
               const Accumulated& accumulated, const Levels& out, NumericModel model);

}  // namespace tcp::reference
