// A reshape without a copy: the same storage under other axes, wherever these walk it evenly.
#pragma once

#include <optional>

#include "exec/vector/tensor.hpp"

namespace tcp::vector {

/// The tensor whose element at a place of `to` is that of `in` at the same place of `from`. None: no strides say so
/// (windows, skewed factors, an axis of `to` that is spread unevenly), and elements have to be copied.
/// Needs: levels of the same live places, or none of them ragged at its end; `in` as long as `from` says along each
/// axis, or lacking it.
std::optional<Tensor> renamed(const Tensor& in, const Levels& from, const Levels& to);

}  // namespace tcp::vector
