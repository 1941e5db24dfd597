// Records a product: which command of which tile comes when, so that transfers, the sub context and the main context
// work at the same time.
#pragma once

#include "kernels/gemm/gemm.hpp"

namespace tcp::kernels::gemm {

/// What a product is made of, in HBM.
struct Operands {
  dyn::Tensor a, b, c;
  Mapping columns_of_b, columns_of_c;  // copies and padding included
  Mapping matrices{};                  // counts the matrices of B, of which `choice` names one for each product
  dyn::Tensor choice{};                // none: B has one matrix for each product
};

void record(Context& ctx, const Device& device, const Gemm& gemm, const Operands& operands);

}  // namespace tcp::kernels::gemm
