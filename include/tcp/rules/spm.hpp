// What the scratchpad accepts. Each DMN has one, so a tensor in it has Dmn where one in DM has Slice: SpmTensor<D,
// Chip, Cluster, Dmn, Element>.
//
// In `Levels` the Dmn stands in the place of Slice. The book gives a bandwidth and says that scratchpads are for
// transfers within a chip; the capacity is an assumption in the chip's data.
#pragma once

#include "tcp/rules/memory.hpp"

namespace tcp {

constexpr Verdict check_dmn_size(const Device& device, const Mapping& dmn, Where at = {}) {
  if (!dmn.ok()) return refusal_of(dmn, at);
  std::int64_t const all = device.levels.dmns_per_cluster;
  if (!device.checks.geometry || dmn.size == all) return accept();
  Refusal r = refuse("spm-dmn-size", at);
  r.what("Dmn must have ", all, " positions, one for each DMN of a cluster; ", dmn, " has ", dmn.size)
      .why("all DMNs share one mapping, and each holds one position of it");
  if (dmn.size < all) r.help("pad it: ", detail::ShownOperand{dmn}, " # ", all);
  else r.help("move a part of it to Element");
  return r;
}

/// The sizes of the levels, and that no two of them count the same steps of an axis.
constexpr Verdict check_spm_geometry(const Device& device, std::int64_t chips, const Levels& levels, Where at = {}) {
  if (auto v = check_chip_size(device, chips, levels[Level::chip], at); !v) return v;
  if (auto v = check_cluster_size(device, levels[Level::cluster], at); !v) return v;
  if (auto v = check_dmn_size(device, levels[Level::slice], at); !v) return v;
  return check_levels(levels, at);
}

constexpr Verdict check_spm(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  if (auto v = check_alignment(type, address, Bytes{0}, at); !v) return v;
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  Bytes const holds = device.spm.dmn_capacity;
  Refusal const too_large = refuse("spm-too-large", at)
                                .what("the scratchpad of a DMN holds ", holds, "; Element ", element, " of ", type, " takes ", *bytes)
                                .why("it is a small memory beside DM; its size is not published, and an assumption in the chip's data")
                                .help("spread more of the tensor over Dmn, or keep it in DM");
  if (device.checks.geometry && *bytes > holds) return too_large;
  return detail::fits(device, too_large, "the scratchpad of a DMN", type, element, address, holds, at);
}

}  // namespace tcp
