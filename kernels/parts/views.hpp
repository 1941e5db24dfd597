// Axes and views that every kernel for sizes known at run time needs: an axis that may have a single step, and a tile
// that may be the whole tensor.
#pragma once

#include <string_view>

#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

/// An axis, or `one` if it has a single step: mappings and text forms then name only what is counted.
inline Mapping axis_of(std::string_view name, std::int64_t size) { return size == 1 ? dyn::one : dyn::axis(name, size); }

/// `length` steps of an axis from `start` on. All of its steps are the tensor itself, which then needs no view.
inline dyn::Tensor some_of(const dyn::Tensor& t, const Mapping& axis, std::int64_t length, std::int64_t start) {
  return length == axis.size ? t : t.tile(axis, length, start);
}

}  // namespace tcp::kernels
