// What flows between two engines of a slice, packet after packet, and what the engines share to walk memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tcp/program/program.hpp"
#include "tcp/support/odometer.hpp"

namespace tcp::sim {

/// Whether any of these marks is set.
inline bool any_undefined(const std::vector<std::uint8_t>& marks) {
  return !marks.empty() && std::memchr(marks.data(), 1, marks.size()) != nullptr;
}

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
  bool any_undefined() const { return tcp::sim::any_undefined(undefined); }
  std::int64_t count_undefined() const { return any_undefined() ? std::count(undefined.begin(), undefined.end(), std::uint8_t{1}) : 0; }
  std::size_t at(std::int64_t packet, std::int64_t lane) const { return static_cast<std::size_t>(packet * lanes + lane); }
};

/// The addresses of nested loops, outermost first, from the first on.
inline Odometer<> odometer_of(const std::vector<program::Loop>& loops) {
  std::vector<OdometerLoop<1>> all;
  all.reserve(loops.size());
  for (const program::Loop& l : loops) all.push_back({l.size, {l.stride}});
  return Odometer<>(all);
}

}  // namespace tcp::sim
