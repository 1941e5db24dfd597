// The operations on numbers, by the tables of the numeric model: integers in 64 bits, f32 by scalar/.
#pragma once

#include "tcp/rules/contraction.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/rules/vector_state.hpp"

namespace tcp::agree {

/// An operation of the vector engine on its arguments, in order.
std::uint32_t computed(const VectorStep& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model);

/// What a reduce makes of two elements, and of one that has no other.
std::uint32_t folded(ReduceOp op, ScalarType type, std::uint32_t a, std::uint32_t b, NumericModel model);
std::uint32_t folded_alone(ScalarType type, std::uint32_t a, NumericModel model);

/// A product in the wide type, and what the tree and the accumulator make of two sums (or maxima).
std::uint32_t product(ScalarType a_type, std::uint32_t a, ScalarType b_type, std::uint32_t b, NumericModel model);
std::uint32_t joined(ContractOp op, ScalarType wide, std::uint32_t a, std::uint32_t b, NumericModel model);

}  // namespace tcp::agree
