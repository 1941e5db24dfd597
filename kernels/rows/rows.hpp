// How matrices lie in HBM between kernels: row after row, each padded to whole units of HBM (256 bytes), so that a row
// is never written in part and any kernel can read what another wrote. Weights lie as the kernel that reads them likes
// best; it says how.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

/// Columns after padding: the next multiple of an HBM unit.
inline std::int64_t padded_columns(const Device& device, ScalarType type, std::int64_t columns) {
  std::int64_t const unit = device.hbm.access_bytes.value * 8 / scalar_info(type).packet_bits;
  return round_up(columns, unit);
}

/// [rows, columns # padded]. `rows` may be a group: rows_layout(rngd, bf16, dyn::map(batch, token), hidden).
inline Mapping rows_layout(const Device& device, ScalarType type, const Mapping& rows, const Mapping& columns) {
  return dyn::map(rows, columns.pad(padded_columns(device, type, columns.size)));
}

/// What chips have as copies, counted by the axis over them that another tensor has.
inline dyn::Tensor over_chips_of(const dyn::Tensor& other, const dyn::Tensor& same) {
  Mapping const chip = other.levels()[Level::chip];
  return chip == same.levels()[Level::chip] ? same : same.relabel(chip, same.levels()[Level::element]);
}

}  // namespace tcp::kernels
