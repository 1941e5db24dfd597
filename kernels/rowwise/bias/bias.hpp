// A bias: the same number added to a column in every row, in f32, and rounded to bf16.
//
//   kernels::Bias const add(rngd, tokens, 8192);
//   auto const y = add(ctx, x, bias);                         // x and y: [rows, columns], bias: [columns], all bf16
#pragma once

#include "kernels/rowwise/spread/spread.hpp"

namespace tcp::kernels {

class Bias : public RowKernel {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Bias(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& bias) const;
  Work work() const { return work_on_rows(spread(), 2); }
};

}  // namespace tcp::kernels
