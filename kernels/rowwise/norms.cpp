// RMSNorm and layer normalisation.
#include "kernels/rowwise/norms.hpp"

namespace tcp::kernels {
namespace {

constexpr RowNeeds rms_norm_needs{.matrices = 2, .passes = 2, .reduces = true, .vrf_column_bytes = 4, .vrf_row_bytes = 32};

}  // namespace

RmsNorm::RmsNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at)
    : RowKernel(device, rows, columns, rms_norm_needs, at), epsilon_(epsilon) {}

dyn::Tensor RmsNorm::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight) const {
  RowStep const all = step();
  dyn::Tensor weights;
  return for_each_step(ctx, all, {x}, [&](const std::vector<dyn::Tensor>& rows) {
    auto const squares = all.reduce(squared(all.begin_reduce(ctx, rows[0])), ReduceOp::Add);
    if (!weights) weights = all.keep_columns(ctx, weight);  // after the first rows, which are waited for
    auto const scale = all.keep_numbers(ctx, one_over_root_of_mean(ctx, all, squares, epsilon_));
    return all.finish(all.widen(all.begin(ctx, rows[0])
                                    .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), scale)
                                    .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), weights)));
  });
}

// Layer normalisation: two sums over each row (mean, variance), then one pass that scales and shifts.

namespace {

constexpr RowNeeds layer_norm_needs{.matrices = 2, .passes = 3, .reduces = true, .vrf_column_bytes = 8, .vrf_row_bytes = 64};

dyn::Tensor mean_of(Context& ctx, const RowStep& all, const dyn::Tensor& sums) {
  float const share = 1.0f / static_cast<float>(all.spread().columns);
  return all.finish_numbers(all.begin_numbers(ctx, sums).vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), share));
}

}  // namespace

LayerNorm::LayerNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at)
    : RowKernel(device, rows, columns, layer_norm_needs, at), epsilon_(epsilon) {}

dyn::Tensor LayerNorm::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight, const dyn::Tensor& bias) const {
  RowStep const all = step();
  dyn::Tensor weights, biases;
  return for_each_step(ctx, all, {x}, [&](const std::vector<dyn::Tensor>& rows) {
    auto const less_mean = [&](dyn::Stream stream, const dyn::Tensor& mean) {
      return std::move(stream).vector_fp_binary(FpBinaryOp::SubF, mean);
    };
    auto const mean = all.keep_numbers(ctx, mean_of(ctx, all, all.reduce(all.begin_reduce(ctx, rows[0]), ReduceOp::Add)));
    auto const squares = all.reduce(squared(less_mean(all.begin_reduce(ctx, rows[0]), mean)), ReduceOp::Add);
    if (!weights) {  // after the first rows, which are waited for
      weights = all.keep_columns(ctx, weight);
      biases = all.keep_columns(ctx, bias);
    }
    auto const scale = all.keep_numbers(ctx, one_over_root_of_mean(ctx, all, squares, epsilon_));
    auto y = less_mean(all.begin(ctx, rows[0]), mean)
                 .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), scale)
                 .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), weights);
    return all.finish(all.widen(std::move(y)).vector_clip(ClipBinaryOpF32::Add, biases));
  });
}

}  // namespace tcp::kernels
