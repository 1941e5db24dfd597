// Ordered reduces: up to four lanes of a step are folded as op(op(a, b), op(c, d)), then the steps one after the other.
#pragma once

#include <cstdint>

#include "exec/vector/kernels/elementwise.hpp"

namespace tcp::vector::kernels {

/// Output i folds in[i * stride + step * step_stride + lane * lane_stride]. The operation is one of two arguments. An
/// f32 that is folded with nothing becomes canonical. Needs: at least one step, one to four lanes.
struct Reduction {
  Op op = Op::add;
  NumericModel model = NumericModel::rngd;
  const std::uint32_t* in = nullptr;
  std::int64_t outputs = 0, stride = 1;
  std::int64_t steps = 1, step_stride = 0;
  int lanes = 1;
  std::int64_t lane_stride = 0;
  std::uint32_t* out = nullptr;
  std::int64_t out_stride = 1;
  bool continues = false;  // fold into what `out` holds, as steps that come later
};

void reduce(const Reduction& reduction);

}  // namespace tcp::vector::kernels
