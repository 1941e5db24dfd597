// Kernels made of a formula about the rows of matrices: functions of elements, and reductions over rows in sequence.
//
//   auto const f = formula::parse("c[m] = max[n] x[m,n]; s[m] = sum[n] exp(x[m,n] - c[m]); "
//                                 "y[m,n] = exp(x[m,n] - c[m]) / s[m] where m = 64, n = 4096");
//   kernels::RowFormula const softmax(rngd, *f);
//   auto const y = softmax(ctx, {x});                         // x and y: [rows, columns] of bf16
//
// An input has an index for the row and one for the column, or one for the column: a number that all rows share. What
// is made in between is f32, as evaluate() has it, and `order()` is the order of its sums: the kernel has the bits that
// formula::evaluate gives with it. Reductions may stand within a statement as well; what comes twice is computed once.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/rowwise/spread/spread.hpp"
#include "tcp/formula/evaluate.hpp"

namespace tcp::kernels {

struct RowProgram;

class RowFormula : public RowKernel {
 public:
  /// Refused, by throwing: kernel-row-formula, what formula::check_sizes refuses, and sizes that spread_rows refuses.
  RowFormula(const Device& device, const formula::Formula& formula, Where at = std::source_location::current());

  /// With a formula whose axis `m` counts rows, and all others columns. Refused also: sizes that spread_rows refuses.
  RowFormula(const Device& device, std::string_view text, std::int64_t rows, std::int64_t columns,
             Where at = std::source_location::current());

  const formula::Formula& formula() const;
  /// The tensors that it reads, by their numbers in the formula, in the order in which the kernel takes them.
  std::vector<int> inputs() const { return formula().inputs(); }
  Mapping layout_of(int tensor) const;
  /// How sums are added: formula::evaluate with this order gives the kernel's bits.
  formula::SumOrder order() const;
  /// Passes of matrices through the Vector Engine, for each step of rows.
  std::int64_t passes() const;

  dyn::Tensor operator()(Context& ctx, const std::vector<dyn::Tensor>& inputs) const;
  Work work() const;

 private:
  RowFormula(const Device& device, std::shared_ptr<const RowProgram> program, Where at);

  std::shared_ptr<const RowProgram> program_;
};

}  // namespace tcp::kernels
