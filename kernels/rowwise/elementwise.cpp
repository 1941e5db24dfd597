// Kernels that work element by element.
#include "kernels/rowwise/elementwise.hpp"

namespace tcp::kernels {

Bias::Bias(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowFormula(device, "y[m,n] = x[m,n] + b[n]", rows, columns, at) {}

dyn::Tensor Bias::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& bias) const {
  return RowFormula::operator()(ctx, {x, bias});
}

Residual::Residual(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowFormula(device, "z[m,n] = x[m,n] + y[m,n]", rows, columns, at) {}

dyn::Tensor Residual::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y) const {
  return RowFormula::operator()(ctx, {x, y});
}

// SiLU and GELU as operations of the Vector Engine.

dyn::Stream activated(dyn::Stream stream, ActivationFunction function) {
  stream = std::move(stream).vector_stash();
  if (function == ActivationFunction::silu) {
    stream = std::move(stream).vector_fp_unary(FpUnaryOp::Sigmoid);
  } else {
    constexpr float root_of_half = 0.70710678f;
    stream = std::move(stream)
                 .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), root_of_half)
                 .vector_fp_unary(FpUnaryOp::Erf)
                 .vector_fp_ternary(FpTernaryOp::FmaF, 0.5f, 0.5f);
  }
  return std::move(stream).vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash);
}

Activation::Activation(const Device& device, ActivationFunction function, std::int64_t rows, std::int64_t columns, Where at)
    : RowFormula(device, function == ActivationFunction::silu ? "y[m,n] = silu(x[m,n])" : "y[m,n] = gelu(x[m,n])", rows, columns, at),
      function_(function) {}

dyn::Tensor Activation::operator()(Context& ctx, const dyn::Tensor& x) const { return RowFormula::operator()(ctx, {x}); }

// SiLU of the gate first, kept in f32, then its product with the other matrix.

SwiGlu::SwiGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowFormula(device, "y[m,n] = silu(gate[m,n]) * up[m,n]", rows, columns, at) {}

dyn::Tensor SwiGlu::operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const {
  return RowFormula::operator()(ctx, {gate, up});
}

// The hyperbolic tangent's GELU keeps its argument aside, which no formula can say.

GeGlu::GeGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowKernel(device, rows, columns, {.matrices = 3, .passes = 5, .dm_column_bytes = 32}, at) {}

dyn::Tensor GeGlu::operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const {
  constexpr float b = 1.59576912f, c = 0.0713548162f;  // 2 sqrt(2 / pi), and 0.044715 times that
  RowStep const all = step();
  return for_each_step(ctx, all, {gate, up}, [&](const std::vector<dyn::Tensor>& rows) {
    auto const wide_gate = all.as_f32(ctx, rows[0]), wide_up = all.as_f32(ctx, rows[1]);
    auto const share = all.finish(all.widen(squared(all.begin(ctx, rows[0]).vector_stash())
                                                .vector_fp_ternary(FpTernaryOp::FmaF, c, b)
                                                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), Stash)
                                                .vector_fp_unary(FpUnaryOp::Sigmoid)),
                                  ScalarType::f32);
    auto const product =
        all.finish(all.widen(all.begin_both(ctx, wide_gate, wide_up).vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))), ScalarType::f32);
    return all.finish(all.widen(all.begin_both(ctx, share, product).vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))));
  });
}

}  // namespace tcp::kernels
