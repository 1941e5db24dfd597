// Cycles from counts, at the full rates of the chip.
#include "kernels/work/work.hpp"

#include <algorithm>
#include <cmath>

#include "tcp/device/derived.hpp"

namespace tcp::kernels {
namespace {

Cycles whole(double cycles) { return Cycles{static_cast<std::int64_t>(std::ceil(cycles))}; }

}  // namespace

Work& Work::operator+=(const Work& other) {
  multiply_adds += other.multiply_adds;
  hbm_bytes += other.hbm_bytes;
  dm_bytes += other.dm_bytes;
  pcie_bytes += other.pcie_bytes;
  return *this;
}

Cycles WorkCycles::bound() const { return std::max({multiplies, hbm, dm, pcie}); }
const char* WorkCycles::bound_by() const {
  Cycles const most = bound();
  return most == multiplies ? "multiply-adds" : most == hbm ? "HBM" : most == dm ? "DM" : "PCIe";
}

WorkCycles cycles_of(const Work& work, const Device& device) {
  double const slices = static_cast<double>(device.levels.slices_per_cluster * device.levels.clusters_per_chip);
  double const in_a_row =
      static_cast<double>(device.contraction.mac_bytes.value * 8) / static_cast<double>(scalar_info(work.type).packet_bits);
  double const multiplies_per_cycle = slices * static_cast<double>(device.levels.rows_per_slice) * in_a_row;
  double const hbm_bytes_per_cycle = static_cast<double>(hbm_mb_per_s(device)) / static_cast<double>(device.clocks.core_mhz);
  return {.multiplies = whole(static_cast<double>(work.multiply_adds) / multiplies_per_cycle),
          .hbm = whole(static_cast<double>(work.hbm_bytes) / hbm_bytes_per_cycle),
          .dm = whole(static_cast<double>(work.dm_bytes) / (slices * static_cast<double>(dm_slice_bytes_per_cycle(device).value))),
          .pcie = whole(static_cast<double>(work.pcie_bytes) / static_cast<double>(device.dma.pcie_bytes_per_cycle.value))};
}

}  // namespace tcp::kernels
