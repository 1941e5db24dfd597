// The default interpreter: runs a module fast, and equals the reference interpreter in every bit.
//
// Tensors are strided views of shared storage, so that every stage that only moves data costs nothing; what computes is
// collected from fetch to commit and done in one sweep; sums are taken in the chip's order by kernels that compute many
// outputs at a time. Undefined values are tracked as by the reference interpreter, at no cost as long as there are
// none.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tcp/ir/verify.hpp"
#include "tcp/support/image.hpp"

namespace tcp::vector {

/// An element of a result that an undefined value decides, and where that came from.
struct UndefinedElement {
  std::size_t result;  // in the order of Module::results
  const Index& element;
  const std::string& what;
  Where at;
};

struct Options {
  bool check = true;      // refuse results that undefined values decide; without it those are zero
  int threads = 1;        // the bits do not depend on it
  bool portable = false;  // only instructions that every processor has: the same bits, slower; for all runs of this process while it lasts
  std::function<void(std::size_t done, std::size_t of)> on_progress;
  /// What is done, a line for each command and for each sweep of a pass; at the end one for each result, which belongs
  /// to no command.
  std::function<void(std::size_t command, const std::string& line)> on_plan;
  /// Without the check: every element of a result that an undefined value decides.
  std::function<void(const UndefinedElement&)> on_undefined;
};

/// Arguments and results come in the order of Module::arguments and Module::results.
/// Refused, if `options.check`: a result that holds an element decided by an undefined value.
Expected<Images> run(const ir::Verified& module, const Images& arguments, const Options& options = {});

}  // namespace tcp::vector
