// What flows between two engines of a slice, packet after packet, and what the engines share to walk memory.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::sim {

/// `packets` packets of `lanes` elements each. An element is bits of its type, and may be undefined: it hangs on
/// something that nothing has written.
struct Stream {
  ScalarType type = ScalarType::i32;
  std::int64_t packets = 0, lanes = 0;
  std::vector<std::uint32_t> bits;
  std::vector<std::uint8_t> undefined;

  void shape(ScalarType of, std::int64_t packet_count, std::int64_t lane_count) {
    type = of;
    packets = packet_count;
    lanes = lane_count;
    std::size_t const n = static_cast<std::size_t>(packet_count * lane_count);
    bits.assign(n, 0);
    undefined.assign(n, 0);
  }
  std::size_t at(std::int64_t packet, std::int64_t lane) const { return static_cast<std::size_t>(packet * lanes + lane); }
};

/// Nested loops, outermost first, that turn without a division: `offset` is the sum of rounds times strides.
class Odometer {
 public:
  explicit Odometer(const std::vector<program::Loop>& loops) : loops_(&loops), round_(loops.size(), 0) {}

  std::int64_t offset() const { return offset_; }
  std::int64_t round(std::size_t loop) const { return round_[loop]; }
  void next() {
    for (std::size_t k = loops_->size(); k-- > 0;) {
      const program::Loop& loop = (*loops_)[k];
      offset_ += loop.stride;
      if (++round_[k] < loop.size) return;
      offset_ -= loop.stride * loop.size;
      round_[k] = 0;
    }
  }

 private:
  const std::vector<program::Loop>* loops_;
  std::vector<std::int64_t> round_;
  std::int64_t offset_ = 0;
};

}  // namespace tcp::sim
