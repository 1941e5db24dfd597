// SiLU and GELU as operations of the Vector Engine.
#include "kernels/rowwise/activation/activation.hpp"

namespace tcp::kernels {

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
    : RowKernel(device, rows, columns, {.matrices = 2, .passes = 1}, at), function_(function) {}

dyn::Tensor Activation::operator()(Context& ctx, const dyn::Tensor& x) const {
  RowStep const all = step();
  return for_each_step(ctx, all, {x}, [&](const std::vector<dyn::Tensor>& rows) {
    return all.finish(all.widen(activated(all.begin(ctx, rows[0]), function_)));
  });
}

}  // namespace tcp::kernels
