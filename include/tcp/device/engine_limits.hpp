// What an engine of a device offers for elements of a type: sizes of an access, depths, shifts, shapes.
//
// The numbers themselves are in fields.hpp. Here are the choices among them that depend on the type of the elements,
// for the rules of the engines (rules) and for the check of a lowered program (program), so that both ask the same
// question.
#pragma once

#include <cstdint>

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp {

/// Output of one fetch must fit into one flit: fetch_size · (bits after the adapter / bits before it).
constexpr Bytes fetch_size_limit(const Device& device, bool dual, ScalarType from, ScalarType to) {
  Bytes const flit = dual ? device.flit.dual_bytes : device.flit.bytes;
  return Bytes{flit.value * scalar_info(from).packet_bits / scalar_info(to).packet_bits};
}

/// The usual size of a fetch in the sub context, and the largest.
constexpr Bytes sub_fetch_size(const Device& device, ScalarType from, ScalarType to) {
  bool const narrow = from == ScalarType::i4 && to == ScalarType::i32;
  return narrow ? device.fetch.sub_size_i4_to_i32 : device.fetch.sub_size;
}

/// The sizes of a fetch in the sub context, largest first: the usual one, and less of it where the cast widens that to
/// whole words of the size that packets have.
constexpr OneOf<Bytes> sub_fetch_sizes(const Device& device, ScalarType from, ScalarType to) {
  OneOf<Bytes> sizes{sub_fetch_size(device, from, to).value};
  std::int64_t const wide = scalar_info(to).packet_bits, narrow = scalar_info(from).packet_bits;
  for (std::int64_t half = sizes.item[0].value / 2; half >= 1; half /= 2)
    if (half * wide % (narrow * device.fetch.packet_multiple.value) == 0) sizes.item[sizes.count++] = Bytes{half};
  return sizes;
}

/// The sizes of a fetch in the main context.
constexpr OneOf<Bytes> main_fetch_sizes(const Device& device, bool dual, ScalarType from, ScalarType to) {
  OneOf<Bytes> sizes;
  for (Bytes each : device.fetch.main_sizes)
    if (each <= fetch_size_limit(device, dual, from, to)) sizes.item[sizes.count++] = each;
  return sizes;
}

/// The sizes of a commit's access.
constexpr OneOf<Bytes> commit_sizes(const Device& device, bool sub) {
  return sub ? OneOf<Bytes>{device.commit.sub_size.value} : device.commit.main_sizes;
}

/// A flit seen as rows of columns, and given out column by column. 1 and 1: as it comes.
struct FlitTranspose {
  std::int64_t rows = 1, columns = 1;

  constexpr bool operator==(const FlitTranspose&) const = default;
};

/// The transpositions of a flit that the stream adapter has, for a type.
constexpr int flit_transposes(ScalarType type, FlitTranspose (&t)[2]) {
  switch (scalar_info(type).packet_bits) {
    case 4: t[0] = {4, 16}; return 1;
    case 8:
      t[0] = {2, 16};
      t[1] = {4, 8};
      return 2;
    case 16: t[0] = {2, 8}; return 1;
    default: return 0;
  }
}

/// How far the stream adapter's shifter goes, in elements of a type.
struct ShiftLimits {
  std::int64_t least_initial = 0, most_initial = 0, most_stride = 0;
};
constexpr ShiftLimits shift_limits(ScalarType type) {
  std::int64_t const in_8_bytes = 64 / scalar_info(type).packet_bits;
  return {1 - in_8_bytes, in_8_bytes, 2 * in_8_bytes - 1};
}

/// The deepest tree for operands of a type.
constexpr std::int64_t tree_depth(const Device& d, ScalarType type) {
  switch (scalar_info(type).packet_bits) {
    case 4: return d.contraction.tree_depth_i4;
    case 8: return is_integer(type) ? d.contraction.tree_depth_i8 : d.contraction.tree_depth_f8;
    default: return d.contraction.tree_depth_bf16;
  }
}

/// The Transpose Engine's limits for one width of elements.
struct TransposeLimits {
  std::int64_t elements_per_packet = 0;
  std::int64_t rows = 0;  // at most
  OneOf<std::int64_t> columns{};
  std::int64_t output_alignment = 0;
  std::int64_t packed_elements = 0;  // that a packet may have instead of elements_per_packet
};

constexpr TransposeLimits transpose_limits(const Device& device, ScalarType type) {
  chip::Transpose const& t = device.transpose;
  std::int64_t const bits = scalar_info(type).packet_bits;
  std::int64_t const flit = device.flit.bytes.value * 8 / bits;
  if (bits == 4) return {t.packet_elements_4bit, t.rows_4bit, t.columns_4bit, flit, t.packet_elements_4bit};
  if (bits == 8) return {t.packet_elements_8bit, t.rows_8bit, t.columns_8bit, flit, t.packed_elements_8bit};
  if (bits == 16) return {t.packet_elements_16bit, t.rows_16bit, t.columns_16bit, flit, t.packed_elements_16bit};
  return {t.packet_elements_32bit, t.rows_32bit, t.columns_32bit, flit, t.packet_elements_32bit};
}

}  // namespace tcp
