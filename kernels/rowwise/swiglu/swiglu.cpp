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

}  // namespace tcp::kernels
