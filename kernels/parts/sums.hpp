// Sums of tensors in DM, element by element, by the Vector Engine: how kernels that add up parts of a product put them
// together.
#pragma once

#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

/// first + second, or first * factor + second if there is a factor (f32, in VRF). Both are f32 or i32 and have the same
/// layout in the same slices; `lanes` is what the Vector Engine takes at once, `time` the rest of a slice's elements.
/// The result is ready to be cast or committed.
dyn::Stream added(Context& ctx, const Device& device, const dyn::Tensor& first, const dyn::Tensor& second, const Mapping& time,
                  const Mapping& lanes, const dyn::Tensor& factor = {});

}  // namespace tcp::kernels
