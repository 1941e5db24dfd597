// Kernels that work element by element.
#include "kernels/rowwise/elementwise.hpp"

namespace tcp::kernels {

Bias::Bias(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowKernel(device, rows, columns, {.matrices = 2, .passes = 1, .vrf_column_bytes = 4}, at) {}

dyn::Tensor Bias::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& bias) const {
  RowStep const all = step();
  dyn::Tensor numbers;
  return for_each_step(ctx, all, {x}, [&](const std::vector<dyn::Tensor>& rows) {
    if (!numbers) numbers = all.keep_columns(ctx, bias);
    return all.finish(all.widen(all.begin(ctx, rows[0]).vector_fp_binary(FpBinaryOp::AddF, numbers)));
  });
}

// Two matrices in one stream, zipped by an addition.

Residual::Residual(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowKernel(device, rows, columns, {.matrices = 3, .passes = 2, .dm_column_bytes = 12}, at) {}

dyn::Tensor Residual::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y) const {
  RowStep const all = step();
  return for_each_step(ctx, all, {x, y}, [&](const std::vector<dyn::Tensor>& rows) {
    return all.finish(all.widen(all.begin_both(ctx, rows[0], rows[1]).vector_fp_zip(FpBinaryOp::AddF)));
  });
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
    : RowKernel(device, rows, columns, {.matrices = 2, .passes = 1}, at), function_(function) {}

dyn::Tensor Activation::operator()(Context& ctx, const dyn::Tensor& x) const {
  RowStep const all = step();
  return for_each_step(ctx, all, {x}, [&](const std::vector<dyn::Tensor>& rows) {
    return all.finish(all.widen(activated(all.begin(ctx, rows[0]), function_)));
  });
}

// SiLU of the gate first, kept in f32, then its product with the other matrix.

SwiGlu::SwiGlu(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowKernel(device, rows, columns, {.matrices = 3, .passes = 3, .dm_column_bytes = 20}, at) {}

dyn::Tensor SwiGlu::operator()(Context& ctx, const dyn::Tensor& gate, const dyn::Tensor& up) const {
  RowStep const all = step();
  return for_each_step(ctx, all, {gate, up}, [&](const std::vector<dyn::Tensor>& rows) {
    // Two tensors that take turns have one type. The sub context makes f32 of one while the main context computes the
    // other.
    auto const wide = all.as_f32(ctx, rows[1]);
    auto const silu = all.finish(all.widen(activated(all.begin(ctx, rows[0]), ActivationFunction::silu)), ScalarType::f32);
    return all.finish(all.widen(all.begin_both(ctx, silu, wide).vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))));
  });
}

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
