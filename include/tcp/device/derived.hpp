// What follows from the numbers of a device, so that it is computed in one place.
#pragma once

#include <cstdint>
#include <numeric>

#include "tcp/device/device.hpp"

namespace tcp {

/// A fraction in lowest terms, for rates that are no whole number of core cycles.
struct Ratio {
  std::int64_t num = 0;
  std::int64_t den = 1;

  constexpr Ratio(std::int64_t n, std::int64_t d) : num(n / std::gcd(n, d)), den(d / std::gcd(n, d)) {}

  constexpr bool operator==(const Ratio&) const = default;
};

constexpr std::int64_t slices_per_pe(const Device& d) { return d.levels.slices_per_cluster / d.levels.pes_per_cluster; }
constexpr std::int64_t dmns_per_pe(const Device& d) { return d.levels.dmns_per_cluster / d.levels.pes_per_cluster; }

constexpr Bytes dm_bytes_per_memory(const Device& d) {
  return d.dm.slice_capacity * d.levels.slices_per_cluster * d.levels.clusters_per_chip;
}
/// All banks of a slice at once.
constexpr Bytes dm_slice_bytes_per_cycle(const Device& d) { return d.dm.row_bytes * d.dm.banks_per_slice; }
/// Between two DMNs in the addresses that DMA sees.
constexpr Bytes dma_dmn_stride(const Device& d) { return d.dm.dma_slice_stride * d.levels.slices_per_dmn; }
/// Between two PEs: those of DM, and of SPM, of which each PE has one.
constexpr Bytes dma_pe_stride(const Device& d) { return d.dm.dma_slice_stride * slices_per_pe(d); }

/// What each Row has when all are in use; fewer Rows have more each, the slice's capacity stays the limit.
constexpr Bytes trf_bytes_per_row(const Device& d) { return d.trf.slice_capacity / d.levels.rows_per_slice; }
constexpr Bytes trf_half_capacity(const Device& d) { return d.trf.slice_capacity / d.trf.halves; }

constexpr std::int64_t hbm_channels_per_chip(const Device& d) { return d.hbm.stacks_per_chip * d.hbm.channels_per_stack; }
/// Core cycles that one channel takes for one unit of transfer, row open: 16/3 on RNGD.
constexpr Ratio hbm_access_cycles(const Device& d) {
  return {(d.hbm.access_bytes / d.hbm.channel_bytes_per_cycle) * d.clocks.core_mhz, d.clocks.hbm_channel_mhz};
}
constexpr Ratio in_core_cycles(const Device& d, HbmCycles c) { return {c.value * d.clocks.core_mhz, d.clocks.hbm_command_mhz}; }
/// Decimal, over all channels.
constexpr std::int64_t hbm_mb_per_s(const Device& d) {
  return d.hbm.channel_bytes_per_cycle.value * d.clocks.hbm_channel_mhz * hbm_channels_per_chip(d);
}

}  // namespace tcp
