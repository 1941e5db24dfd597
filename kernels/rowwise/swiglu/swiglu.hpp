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
#pragma once

#include "kernels/rowwise/spread/spread.hpp"

namespace tcp::kernels {

class SwiGlu : public RowKernel {
 public:
  /// Refused, by throwing: sizes that spread_rows refuses.
  SwiGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const;
  Work work() const { return work_on_rows(spread(), 3); }
};

class GeGlu : public RowKernel {
 public:
  GeGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at = std::source_location::current());

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const;
  Work work() const { return work_on_rows(spread(), 3); }
};

}  // namespace tcp::kernels
