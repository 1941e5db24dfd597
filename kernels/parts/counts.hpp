// How many elements of a type the units of the chip hold, and the rounding that kernels do with such counts. All
// hardware numbers come from the Device.
#pragma once

#include <bit>
#include <cstdint>

#include "tcp/device/chips.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/checked.hpp"

namespace tcp::kernels {

/// Law: for n >= 1, the least power of two that is not below n.
constexpr std::int64_t power_of_two_from(std::int64_t n) { return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))); }
/// Law: for n >= 1, the largest power of two that is not above n.
constexpr std::int64_t power_of_two_up_to(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

/// For types that fill whole bytes.
constexpr std::int64_t element_bytes(ScalarType type) { return scalar_info(type).packet_bits / 8; }
/// Elements that travel between engines at once.
constexpr std::int64_t elements_of_flit(const Device& device, ScalarType type) { return device.flit.bytes.value / element_bytes(type); }
/// Elements that a Row of the Contraction Engine multiplies at once.
constexpr std::int64_t elements_of_packet(const Device& device, ScalarType type) {
  return device.contraction.mac_bytes.value / element_bytes(type);
}
/// Elements of a unit of HBM: to write less than that is far slower, as the rest is read first.
constexpr std::int64_t elements_of_unit(const Device& device, ScalarType type) {
  return device.hbm.access_bytes.value / element_bytes(type);
}
/// The library's kernels are written for streams of so many lanes and for flits and packets of so many bf16. On a chip
/// with others the rules refuse what they record.
inline constexpr std::int64_t vector_lanes = rngd.vector.lanes, narrow_vector_lanes = rngd.vector.narrow_lanes;
inline constexpr std::int64_t bf16_flit = elements_of_flit(rngd, ScalarType::bf16),
                              bf16_packet = elements_of_packet(rngd, ScalarType::bf16);
/// Elements of a row of DM: passes and transfers begin and end there.
constexpr std::int64_t elements_of_dm_row(const Device& device, ScalarType type) { return device.dm.row_bytes.value / element_bytes(type); }

}  // namespace tcp::kernels
