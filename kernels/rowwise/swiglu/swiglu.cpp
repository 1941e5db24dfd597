// SiLU of the gate first, kept in f32, then its product with the other matrix.
#include "kernels/rowwise/swiglu/swiglu.hpp"

#include "kernels/rowwise/activation/activation.hpp"

namespace tcp::kernels {

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
