// The sum of the squares of each row, then one pass that scales.
#include "kernels/rowwise/rmsnorm/rmsnorm.hpp"

namespace tcp::kernels {
namespace {

constexpr RowNeeds needs{.matrices = 2, .passes = 2, .reduces = true, .vrf_column_bytes = 4, .vrf_row_bytes = 32};

}  // namespace

RmsNorm::RmsNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at)
    : RowKernel(device, rows, columns, needs, at), epsilon_(epsilon) {}

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

}  // namespace tcp::kernels
