// What a formula's result is, computed directly: the known answer for every kernel that is made of it.
//
// The arithmetic is the chip's: inputs are widened to f32 (or i32, which wraps), each operation rounds once, the result
// is cast to its type. gelu(x) is x * fma(erf(x * 0.70710678), 0.5, 0.5), silu(x) is x * sigmoid(x), relu(x) is
// max(x, 0): as the Vector Engine computes them. Sums of floating-point numbers depend on their order, which is
// therefore an argument.
#pragma once

#include "tcp/formula/formula.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::formula {

/// The order in which the terms of a sum are added. Terms are counted as the axes of the sum are written, the last axis
/// the fastest. Each part is cut into packets, the last one filled up with zeros; the terms of a packet are added by a
/// tree of neighbours, packets one after the other, parts one after the other. Of a part that is cut into shares, the
/// first packet of each share comes first, then the second of each, and so on. Where terms come in runs, no packet has
/// terms of two.
struct SumOrder {
  std::int64_t packet = 1;          // 1: one term after the other
  std::vector<std::int64_t> parts;  // terms; empty: one part with all. What they leave over is a last part
  std::int64_t shares = 1;          // of a part; they have whole packets, as many each
  std::int64_t run = 0;             // terms; 0: a part is one run
  bool operator==(const SumOrder&) const = default;
};

/// The elements of a tensor, row after row, each in the low bits of its entry.
struct Elements {
  ScalarType type = ScalarType::f32;
  std::vector<std::int64_t> extent;
  std::vector<std::uint32_t> bits;
  bool operator==(const Elements&) const = default;
};

/// Refused: arrays that are not those of the inputs, sizes that are missing.
Expected<Elements> evaluate(const Formula& formula, const std::vector<Elements>& inputs, const SumOrder& order = {},
                            NumericModel model = NumericModel::rngd);

/// Some elements of the result only, by their positions row after row: for results that are too large to compute whole.
/// Refused: also a position that there is not.
Expected<std::vector<std::uint32_t>> evaluate_at(const Formula& formula, const std::vector<Elements>& inputs,
                                                 const std::vector<std::int64_t>& positions, const SumOrder& order = {},
                                                 NumericModel model = NumericModel::rngd);

}  // namespace tcp::formula
