// RMSNorm: y = x / sqrt(mean of the row's x^2 + epsilon) * weight, row by row.
//
//   kernels::RmsNorm const norm(rngd, tokens, 8192, 1e-5f);
//   auto const y = norm(ctx, x, weight);                      // x and y: [rows, columns], weight: [columns], all bf16
//
// Computed in f32 and rounded once, at the end: (x * r) * weight, where r = 1 / sqrt(fma(sum, 1 / columns, epsilon)).
#pragma once

#include "kernels/rowwise/spread/spread.hpp"

namespace tcp::kernels {

class RmsNorm : public RowKernel {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  RmsNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight) const;
  Work work() const { return work_on_rows(spread(), 2); }

 private:
  float epsilon_;
};

}  // namespace tcp::kernels
