// The residual connection: x + y, element by element, added in f32 and rounded to bf16.
//
//   kernels::Residual const add(rngd, tokens, 8192);
//   auto const sum = add(ctx, x, y);                          // all [rows, columns] of bf16
#pragma once

#include "kernels/rowwise/spread/spread.hpp"

namespace tcp::kernels {

class Residual : public RowKernel {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Residual(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y) const;
  Work work() const { return work_on_rows(spread(), 3); }
};

}  // namespace tcp::kernels
