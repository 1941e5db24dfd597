// What the scratchpad accepts. Each PE has one, so a tensor in it has Pe where one in DM has Slice: SpmTensor<D, Chip,
// Cluster, Pe, Element>.
//
// In `Levels` the Pe stands in the place of Slice. The book gives a bandwidth and says that scratchpads are for
// transfers within a chip.
#pragma once

#include "tcp/rules/memory.hpp"

namespace tcp {

constexpr Verdict check_pe_size(const Device& device, const Mapping& pe, Where at = {}) {
  if (!pe.ok()) return refusal_of(pe, at);
  std::int64_t const all = device.levels.pes_per_cluster;
  if (!device.checks.geometry || pe.size == all) return accept();
  Refusal r = refuse("spm-pe-size", at);
  r.what("Pe must have ", all, " positions, one for each PE of a cluster; ", pe, " has ", pe.size)
      .why("all PEs share one mapping, and each holds one position of it");
  if (pe.size < all) r.help("pad it: ", detail::ShownOperand{pe}, " # ", all);
  else r.help("move a part of it to Element");
  return r;
}

/// The sizes of the levels, and that no two of them count the same steps of an axis.
constexpr Verdict check_spm_geometry(const Device& device, std::int64_t chips, const Levels& levels, Where at = {}) {
  if (auto v = check_chip_size(device, chips, levels[Level::chip], at); !v) return v;
  if (auto v = check_cluster_size(device, levels[Level::cluster], at); !v) return v;
  if (auto v = check_pe_size(device, levels[Level::slice], at); !v) return v;
  return check_levels(levels, at);
}

constexpr Verdict check_spm(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  if (auto v = check_alignment(type, address, Bytes{0}, at); !v) return v;
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  Bytes const holds = device.spm.pe_capacity;
  Refusal const too_large = refuse("spm-too-large", at)
                                .what("the scratchpad of a PE holds ", holds, "; Element ", element, " of ", type, " takes ", *bytes)
                                .why("it is a small memory beside the DM of its ", slices_per_pe(device), " slices")
                                .help("spread more of the tensor over Pe, or keep it in DM");
  if (device.checks.geometry && *bytes > holds) return too_large;
  return detail::fits(device, too_large, "the scratchpad of a PE", type, element, address, holds, at);
}

}  // namespace tcp
