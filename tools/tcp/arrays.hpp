// Between arrays in files and the tensors of a program: an array's axes are those of the tensor's mapping, in the order
// in which it names them.
#pragma once

#include <string>
#include <vector>

#include "tcp/exec/reference/value.hpp"
#include "tcp/io/array.hpp"
#include "tcp/ir/module.hpp"

namespace tcp::tool {

/// What an array for a tensor must be.
struct Wanted {
  std::string name;
  ScalarType type = ScalarType::i32;
  std::vector<reference::Value::Axis> axes;  // outermost level first

  io::Extents shape() const;
};
Wanted wanted_for(const ir::Module& module, ir::TensorId id);

/// `x: i32 (8, 512), A = 8, B = 512`
std::string in_words(const Wanted& wanted);

/// Refused: another shape.
Expected<reference::Value> to_value(const Wanted& wanted, const io::Array& array, const std::string& file);

/// Whole numbers from -8 to 7, of floating-point types their eighths: every type but f4e2m1 holds them exactly, and
/// sums of them do not depend on the order. Random elements; those of f4e2m1 are any of its values.
reference::Value random_value(const Wanted& wanted, std::uint64_t seed);

/// The elements as they lie in memory, ready to be written.
std::vector<std::byte> to_memory(const reference::Value& value);

/// `A = 3, B = 0`: the coordinates of the i-th element.
std::string place_in_words(const reference::Value& value, std::int64_t i);

/// The first few elements; `?` for those that are undefined.
std::string first_elements(const reference::Value& value);

}  // namespace tcp::tool
