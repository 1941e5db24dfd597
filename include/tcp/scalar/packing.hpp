// How elements lie in bytes: little-endian, densely, two 4-bit values to a byte with the earlier one in the low nibble.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tcp/scalar/format.hpp"
#include "tcp/support/checked.hpp"
#include "tcp/support/units.hpp"

namespace tcp {

/// The room of n elements in memory, packets, flits or TRF. Sizes are counted in bits; what is no whole number of bytes
/// is refused.
/// Law: if accepted, 8 * value == n * packet_bits.
constexpr Expected<Bytes> packed_size(ScalarType type, Elements n, Where at = {}) {
  TCP_BUG_UNLESS(n.value >= 0, "a negative number of elements");
  int const each = scalar_info(type).packet_bits;
  Checked const bits = Checked(n.value) * Checked(each);
  if (!bits.fits)
    return refuse("scalar-size-overflow", at)
        .what(n, " of ", type, " take more bits than 64-bit sizes can count")
        .why("sizes are 64-bit numbers, counted in bits")
        .help("use at most ", INT64_MAX / each, " elements");
  if (bits.value % 8 != 0)
    return refuse("scalar-not-whole-bytes", at)
        .what(n, " of ", type, " are ", bits.value, " bits, which is no whole number of bytes")
        .why("two 4-bit values share a byte, and the smallest thing that can be moved is a byte")
        .help("pad to ", n.value + 1, " elements");
  return Bytes{bits.value / 8};
}

/// The raw bits of element `index`.
constexpr std::uint32_t load_scalar_bits(const std::byte* memory, ScalarType type, std::int64_t index) {
  TCP_BUG_UNLESS(scalar_info(type).in_memory, "i5 and i9 have no form in memory");
  int const bits = scalar_info(type).packet_bits;
  if (bits == 4) return (std::to_integer<std::uint32_t>(memory[index / 2]) >> (index % 2 == 0 ? 0 : 4)) & 0xf;
  std::uint32_t word = 0;
  for (int byte = 0; byte < bits / 8; ++byte) word |= std::to_integer<std::uint32_t>(memory[index * (bits / 8) + byte]) << (8 * byte);
  return word;
}

/// Law: load_scalar_bits gives back what was stored, and every other element is unchanged.
constexpr void store_scalar_bits(std::byte* memory, ScalarType type, std::int64_t index, std::uint32_t value) {
  TCP_BUG_UNLESS(scalar_info(type).in_memory, "i5 and i9 have no form in memory");
  int const bits = scalar_info(type).packet_bits;
  if (bits == 4) {
    std::byte& both = memory[index / 2];
    int const shift = index % 2 == 0 ? 0 : 4;
    both = (both & ~(std::byte{0xf} << shift)) | (static_cast<std::byte>(value & 0xf) << shift);
    return;
  }
  for (int byte = 0; byte < bits / 8; ++byte) memory[index * (bits / 8) + byte] = static_cast<std::byte>((value >> (8 * byte)) & 0xff);
}

/// A 32-bit word full of one element: 0x3f803f80 for 1.0 of bf16.
constexpr std::uint32_t word_full_of(ScalarType type, std::uint32_t bits) {
  std::uint32_t word = 0;
  for (int at = 0; at < 32; at += scalar_info(type).packet_bits) word |= (bits & scalar_mask(type)) << at;
  return word;
}

template <Scalar T>
constexpr T load_scalar(const std::byte* memory, std::int64_t index) {
  static_assert(scalar_info(T::type).in_memory, "i5 and i9 have no form in memory");
  return T::from_bits(load_scalar_bits(memory, T::type, index));
}

template <Scalar T>
constexpr void store_scalar(std::byte* memory, std::int64_t index, T value) {
  static_assert(scalar_info(T::type).in_memory, "i5 and i9 have no form in memory");
  store_scalar_bits(memory, T::type, index, value.bits);
}

}  // namespace tcp
