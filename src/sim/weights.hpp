// The weights of a contraction as they come out of the TRF of a slice, in the wide type of the Contraction Engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/plain_steps.hpp"

namespace tcp::sim {

/// Whether the chip may treat a float in a way of its own: subnormal, infinite or no number.
constexpr bool is_special(std::uint32_t bits) {
  std::uint32_t const magnitude = bits & 0x7fffffff;
  return (magnitude - 0x00800000 >= 0x7f000000) & (magnitude != 0);
}

/// As far as the sequencer reaches: element by element, and of each the Rows beside one another. One object serves all
/// slices of a pass, one after the other.
class Weights {
 public:
  Weights(const PassContext& context, const program::Contraction& c);

  void load(const TensorRegisterFile& trf);

  std::size_t read_elements() const { return read_elements_; }
  /// The values of one element for all Rows.
  const std::uint32_t* values(std::size_t element) const { return value_.data() + element * rows_; }
  std::uint8_t undefined(std::size_t element, std::int64_t row) const {
    return any_undefined_ ? undefined_[element * rows_ + static_cast<std::size_t>(row)] : std::uint8_t{0};
  }
  bool any_undefined() const { return any_undefined_; }
  /// What is undefined, as the values are; null if nothing is.
  const std::uint8_t* marks() const { return any_undefined_ ? undefined_.data() : nullptr; }
  bool any_special() const { return !moderate_ && std::any_of(value_.begin(), value_.end(), is_special); }
  bool all_moderate() const { return moderate_; }

 private:
  /// bf16 for eight Rows, line by line. False: it is something else, or not moderate, and nothing of this counts.
  bool load_plain(const TensorRegisterFile& trf);
  void mark(const std::uint8_t* const (&rows)[plain_rows], std::int64_t first, std::int64_t count);

  const program::Contraction& c_;
  WideCast wide_;
  std::size_t rows_, read_elements_;
  std::int64_t slots_, begin_ = 0, each_ = 0;  // half bytes of an element and in front of the first, elements of a Row
  std::vector<std::uint32_t> value_;
  std::vector<std::uint8_t> undefined_;
  bool moderate_ = false, any_undefined_ = false;
};

}  // namespace tcp::sim
