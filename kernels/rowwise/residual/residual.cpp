// Two matrices in one stream, zipped by an addition.
#include "kernels/rowwise/residual/residual.hpp"

namespace tcp::kernels {

Residual::Residual(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowKernel(device, rows, columns, {.matrices = 3, .passes = 2, .dm_column_bytes = 12}, at) {}

dyn::Tensor Residual::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y) const {
  RowStep const all = step();
  return for_each_step(ctx, all, {x, y}, [&](const std::vector<dyn::Tensor>& rows) {
    return all.finish(all.widen(all.begin_both(ctx, rows[0], rows[1]).vector_fp_zip(FpBinaryOp::AddF)));
  });
}

}  // namespace tcp::kernels
