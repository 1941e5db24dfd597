// A kernel made of a mapping: the one generator. It records through the dynamic front end; the typed C++ of the same
// kernel is what ir::print_cpp prints of its module.
//
//   Expected<ProductKernel> const kernel = make_kernel(rngd, mapping);
//   auto const c = launch(*kernel, ctx, {a, b}).get();       // a dyn::Tensor
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tcp/dsl/dynamic.hpp"
#include "tcp/formula/evaluate.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/mapper/mapping.hpp"

namespace tcp::mapper {

class ProductKernel {
 public:
  const KernelMapping& mapping() const { return mapping_; }
  /// The tensors that the formula reads, by their numbers in it, in the order in which the kernel takes them.
  std::vector<int> inputs() const { return mapping_.product.formula.inputs(); }
  /// How an input is stored in HBM; `tensor` is its number in the formula.
  Mapping layout_of(int tensor) const;
  Mapping result_layout() const;
  /// An input and the result as plain elements, row after row as the formula's indices are written.
  Mapping plain_of(int tensor) const;
  Mapping plain_result() const;
  /// An input for `to_hbm` with its layout, from plain elements: with the zeros that are stored around an image, too.
  /// Refused, by throwing: another number of elements than the input has.
  dyn::HostTensor host_of(int tensor, const formula::Elements& plain, Where at = std::source_location::current()) const;
  /// How sums are added: formula::evaluate with this order gives the kernel's bits.
  formula::SumOrder order() const;

  dyn::Tensor operator()(Context& ctx, const std::vector<dyn::Tensor>& inputs) const;

 private:
  friend Expected<ProductKernel> make_kernel(const Device& device, KernelMapping mapping, Where at);
  ProductKernel(const Device& device, KernelMapping mapping) : device_(device), mapping_(std::move(mapping)) {}

  Device device_;
  KernelMapping mapping_;
};

/// Refused: what check_mapping refuses.
Expected<ProductKernel> make_kernel(const Device& device, KernelMapping mapping, Where at = {});

/// The kernel as it would be launched, its inputs one after the other in HBM: verified and placed. Refused: what the
/// rules of the chip refuse.
Expected<ir::Verified> record(const Device& device, const ProductKernel& kernel);

/// What a kernel takes.
struct KernelInput {
  std::string name;
  ScalarType type = ScalarType::bf16;
  Mapping layout;
};
/// Any kernel of one result, which comes first in HBM.
Expected<ir::Verified> record(const Device& device, const std::vector<KernelInput>& inputs, std::int64_t result_bytes,
                              const std::function<dyn::Tensor(Context&, const std::vector<dyn::Tensor>&)>& kernel);

}  // namespace tcp::mapper
