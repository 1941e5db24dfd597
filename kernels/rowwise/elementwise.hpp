// Kernels that work element by element: a bias, the residual connection, functions of single elements, and the gated
// activation of a feed-forward layer.
#pragma once

#include "kernels/rowwise/formula/row_formula.hpp"

namespace tcp::kernels {

class Bias : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Bias(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& bias) const;
};

// The residual connection: x + y, element by element, added in f32 and rounded to bf16.
//
//   kernels::Residual const add(rngd, tokens, 8192);
//   auto const sum = add(ctx, x, y);                          // all [rows, columns] of bf16

class Residual : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Residual(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y) const;
};

// Functions of single elements: SiLU and GELU.
//
//   kernels::Activation const gelu(rngd, ActivationFunction::gelu, tokens, 4096);
//   auto const y = gelu(ctx, x);                              // both [rows, columns] of bf16
//
// Computed in f32 and rounded once, at the end. Minus infinity gives NaN in both, as its product with 0 does.

enum class ActivationFunction : std::uint8_t {
  silu,  // x * sigmoid(x)
  gelu,  // x * fma(erf(x * sqrt(1/2)), 1/2, 1/2), with the error function itself
};

/// The function of a stream, four columns at a time. It takes the stash and, for GELU, the float stage's adder and both
/// of its multipliers.
dyn::Stream activated(dyn::Stream stream, ActivationFunction function);

class Activation : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  Activation(const Device& device, ActivationFunction function, std::int64_t rows, std::int64_t columns,
             Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x) const;

  ActivationFunction function() const { return function_; }

 private:
  ActivationFunction function_;
};

// The gated activation of a feed-forward layer: silu(gate) * up, element by element, where silu(x) = x * sigmoid(x).
//
//   kernels::SwiGlu const swiglu(rngd, tokens, 28672);
//   auto const y = swiglu(ctx, gate, up);                     // all [rows, columns] of bf16
//
// Computed in f32 and rounded once, at the end: (gate * sigmoid(gate)) * up. A gate of minus infinity gives NaN, as its
// product with 0 does.
//
// GeGlu is the same with GELU in the form of the hyperbolic tangent, which Gemma has: gelu(x) = x (1 + tanh(a)) / 2
// with a = sqrt(2 / pi) (x + 0.044715 x^3). Since (1 + tanh(a)) / 2 is sigmoid(2 a), it is computed as
// sigmoid(gate * fma(gate^2, c, b)) * (gate * up).

class SwiGlu : public RowFormula {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  SwiGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const;
};

class GeGlu : public RowKernel {
 public:
  GeGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const;
  Work work() const { return work_on_rows(spread(), 3); }
};

}  // namespace tcp::kernels
