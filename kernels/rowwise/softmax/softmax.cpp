// The maximum of each row, the sum of the exponentials, and the division. The exponentials are computed twice: cheaper
// than to write them out and read them again.
#include "kernels/rowwise/softmax/softmax.hpp"

namespace tcp::kernels {

Softmax::Softmax(const Device& device, std::int64_t rows, std::int64_t columns, Where at)
    : RowFormula(device, "c[m] = max[n] x[m,n]; s[m] = sum[n] exp(x[m,n] - c[m]); y[m,n] = exp(x[m,n] - c[m]) / s[m]", rows, columns, at) {}

dyn::Tensor Softmax::operator()(Context& ctx, const dyn::Tensor& x) const { return RowFormula::operator()(ctx, {x}); }

}  // namespace tcp::kernels
