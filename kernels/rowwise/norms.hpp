// RMSNorm and layer normalisation, row by row.
#pragma once

#include "kernels/rowwise/formula/row_formula.hpp"

namespace tcp::kernels {

class RmsNorm : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  RmsNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight) const;
};

// Layer normalisation: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, row by row.
//
//   kernels::LayerNorm const norm(rngd, tokens, 8192, 1e-5f);
//   auto const y = norm(ctx, x, weight, bias);                // x and y: [rows, columns], weight and bias: [columns], all bf16
//
// The variance is the mean of (x - mean)^2, not a difference of squares, which would lose everything where the mean is
// large. Computed in f32 and rounded once, at the end: ((x - mean) * r) * weight + bias, where r = 1 / sqrt(fma(sum of
// squares, 1 / columns, epsilon)) and mean = sum * (1 / columns).

class LayerNorm : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  LayerNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight, const dyn::Tensor& bias) const;
};

}  // namespace tcp::kernels
