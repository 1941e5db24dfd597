// Tensors as bytes: chip after chip as its HBM holds them, or slice after slice as its DM does; padding is zero.
#pragma once

#include "tcp/exec/reference/value.hpp"
#include "tcp/support/image.hpp"

namespace tcp::reference {

/// `levels`: Chip, Cluster, Slice and Element; the two in the middle count 1 in HBM. Needs: as many bytes as they take.
Value from_image(const Image& bytes, ScalarType type, const Levels& levels);
/// Law: from_image(to_image(v, levels), v.type, levels) is v, as far as `levels` hold it; undefined elements are zero.
Image to_image(const Value& value, const Levels& levels);

}  // namespace tcp::reference
