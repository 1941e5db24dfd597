// What an executor says when an undefined value decides a result: one sentence for all executors.
#pragma once

#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::ir {

/// A coordinate of the element that was found.
struct CoordinateOf {
  Name axis{};
  std::int64_t at = 0;
};

/// `origin` says where the undefined value came from, `at` which line made it; without one, the result's own.
Refusal undefined_result(const Module& module, TensorId result, const std::vector<CoordinateOf>& element, std::string_view origin,
                         Where at);

}  // namespace tcp::ir
