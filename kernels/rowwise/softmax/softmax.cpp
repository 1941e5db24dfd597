// The maximum of each row, the sum of the exponentials, and the division.
#include "kernels/rowwise/softmax/softmax.hpp"

namespace tcp::kernels {
namespace {

constexpr RowNeeds needs{.matrices = 2, .passes = 3, .reduces = true, .vrf_row_bytes = 64};

/// exp(x - greatest), which is never above 1.
dyn::Stream exponential(dyn::Stream x, const dyn::Tensor& greatest) {
  return std::move(x).vector_fp_binary(FpBinaryOp::SubF, greatest).vector_fp_unary(FpUnaryOp::Exp);
}

}  // namespace

Softmax::Softmax(const Device& device, std::int64_t rows, std::int64_t columns, Where at) : RowKernel(device, rows, columns, needs, at) {}

dyn::Tensor Softmax::operator()(Context& ctx, const dyn::Tensor& x) const {
  RowStep const all = step();
  return for_each_step(ctx, all, {x}, [&](const std::vector<dyn::Tensor>& rows) {
    auto const greatest = all.keep_numbers(ctx, all.reduce(all.begin_reduce(ctx, rows[0]), ReduceOp::Max));
    auto const sum = all.keep_numbers(ctx, all.reduce(exponential(all.begin_reduce(ctx, rows[0]), greatest), ReduceOp::Add));
    // The exponentials once more, now divided: cheaper than to write them out and read them again.
    return all.finish(all.widen(exponential(all.begin(ctx, rows[0]), greatest).vector_fp_div(FpDivBinaryOp::DivF, sum)));
  });
}

}  // namespace tcp::kernels
