// Softmax: y = exp(x - greatest of the row) / sum of the row's exp(x - greatest), row by row.
//
//   kernels::Softmax const softmax(rngd, rows, columns);
//   auto const y = softmax(ctx, x);                           // both [rows, columns] of bf16
//
// Computed in f32 and rounded once, at the end. An element of minus infinity becomes 0. A row that holds NaN or plus
// infinity, or nothing but minus infinity, becomes NaN.
#pragma once

#include "kernels/rowwise/formula/row_formula.hpp"

namespace tcp::kernels {

class Softmax : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Softmax(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x) const;
};

}  // namespace tcp::kernels
