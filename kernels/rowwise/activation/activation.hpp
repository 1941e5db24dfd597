// Functions of single elements: SiLU and GELU.
//
//   kernels::Activation const gelu(rngd, ActivationFunction::gelu, tokens, 4096);
//   auto const y = gelu(ctx, x);                              // both [rows, columns] of bf16
//
// Computed in f32 and rounded once, at the end. Minus infinity gives NaN in both, as its product with 0 does.
#pragma once

#include "kernels/rowwise/spread/spread.hpp"

namespace tcp::kernels {

enum class ActivationFunction : std::uint8_t {
  silu,  // x * sigmoid(x)
  gelu,  // x * fma(erf(x * sqrt(1/2)), 1/2, 1/2), with the error function itself
};

/// The function of a stream, four columns at a time. It takes the stash and, for GELU, the float stage's adder and both
/// of its multipliers.
dyn::Stream activated(dyn::Stream stream, ActivationFunction function);

class Activation : public RowKernel {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Activation(const Device& device, ActivationFunction function, std::int64_t rows, std::int64_t columns,
             Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x) const;
  Work work() const { return work_on_rows(spread(), 2); }

  ActivationFunction function() const { return function_; }

 private:
  ActivationFunction function_;
};

}  // namespace tcp::kernels
