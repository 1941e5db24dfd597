// What a kernel cannot do without, counted from its sizes alone, and the cycles that the chip needs for that at its
// full rates: the bound that docs/kernels.md compares with what a kernel takes. It knows nothing of tiles, programs or
// schedules.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp::kernels {

/// Counted for one chip; where several take part, for the one with the most.
struct Work {
  ScalarType type = ScalarType::bf16;  // of what is multiplied
  std::int64_t multiply_adds = 0;
  std::int64_t hbm_bytes = 0;   // inputs that must be read once, results that must be written once
  std::int64_t dm_bytes = 0;    // the same through the slices, all of them together
  std::int64_t pcie_bytes = 0;  // in, or out, whichever is more

  Work& operator+=(const Work& other);
};

struct WorkCycles {
  Cycles multiplies{}, hbm{}, dm{}, pcie{};

  Cycles bound() const;
  /// "multiply-adds", "HBM", "DM" or "PCIe": which of them the bound is.
  const char* bound_by() const;
};

WorkCycles cycles_of(const Work& work, const Device& device);

}  // namespace tcp::kernels
