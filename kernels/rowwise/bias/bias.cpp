// One pass, with the bias of each column in the VRF.
#include "kernels/rowwise/bias/bias.hpp"

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

}  // namespace tcp::kernels
