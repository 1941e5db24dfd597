// RMSNorm and layer normalisation, as formulas.
#include "kernels/rowwise/norms.hpp"

#include <charconv>
#include <string>

namespace tcp::kernels {
namespace {

/// In digits that are read as the same number.
std::string digits_of(float number) {
  char digits[40];
  auto const end = std::to_chars(digits, digits + sizeof digits, static_cast<double>(number));
  return {digits, end.ptr};
}
std::string share_of(std::int64_t columns) { return digits_of(1.0f / static_cast<float>(columns)); }
/// 1 / root of the mean of squares, of their sum.
std::string scale_of(std::int64_t columns, float epsilon) {
  return "(1 / sqrt(fma(s[m], " + share_of(columns) + ", " + digits_of(epsilon) + ")))";
}

}  // namespace

RmsNorm::RmsNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at)
    : RowFormula(device, "s[m] = sum[n] x[m,n] * x[m,n]; y[m,n] = x[m,n] * " + scale_of(columns, epsilon) + " * w[n]", rows, columns, at) {}

dyn::Tensor RmsNorm::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight) const {
  return RowFormula::operator()(ctx, {x, weight});
}

// Layer normalisation: two sums over each row (mean, variance), then one pass that scales and shifts.

LayerNorm::LayerNorm(const Device& device, std::int64_t rows, std::int64_t columns, float epsilon, Where at)
    : RowFormula(device,
                 "a[m] = (sum[n] x[m,n]) * " + share_of(columns) +
                     "; s[m] = sum[n] (x[m,n] - a[m]) * (x[m,n] - a[m]); y[m,n] = (x[m,n] - a[m]) * " + scale_of(columns, epsilon) +
                     " * w[n] + b[n]",
                 rows, columns, at) {}

dyn::Tensor LayerNorm::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weight, const dyn::Tensor& bias) const {
  return RowFormula::operator()(ctx, {x, weight, bias});
}

}  // namespace tcp::kernels
