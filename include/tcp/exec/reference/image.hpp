// Tensors as bytes: chip after chip, each as its HBM holds them, padding zero.
#pragma once

#include <cstddef>
#include <vector>

#include "tcp/exec/reference/value.hpp"

namespace tcp::reference {

/// `levels`: Chip and Element. Needs: as many bytes as they take.
Value from_image(const std::vector<std::byte>& bytes, ScalarType type, const Levels& levels);
/// Law: from_image(to_image(v, levels), v.type, levels) is v, as far as `levels` hold it; undefined elements are zero.
std::vector<std::byte> to_image(const Value& value, const Levels& levels);

}  // namespace tcp::reference
