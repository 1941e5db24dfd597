// What the memories accept: the size of each level, capacity, alignment of addresses.
//
// Like every rule file: constexpr, the device as an argument, one refusal for each way to be wrong, and no look at
// single positions. The front end calls these while a kernel compiles, with tcp::target; the verifier of the IR calls
// them again with the device that the program is for.
#pragma once

#include "tcp/device/derived.hpp"
#include "tcp/device/memory.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/interval.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace detail {

constexpr Refusal level_size(Refusal r, Level level, const Mapping& m, std::int64_t wanted, const char* of) {
  r.what(name_of(level), " must have ", wanted, " positions, one for each ", of, "; ", m, " has ", m.size);
  r.why("all units of a level work in step, those that hold nothing as well");
  if (m.size < wanted) {
    r.help("pad it: ", ShownOperand{m}, " # ", wanted);
  } else {
    r.help("move ", m.size / wanted > 1 && m.size % wanted == 0 ? "the outer part" : "a part", " of it to another level");
  }
  return r;
}

}  // namespace detail

/// Chip has one position for each chip of the machine, Cluster and Slice one for each of the device's.
constexpr Verdict check_chip_size(const Device& device, std::int64_t chips, const Mapping& chip, Where at = {}) {
  if (!chip.ok()) return refusal_of(chip, at);
  if (!device.checks.geometry || chip.size == chips) return accept();
  return detail::level_size(refuse("memory-chip-size", at), Level::chip, chip, chips, "chip");
}
constexpr Verdict check_cluster_size(const Device& device, const Mapping& cluster, Where at = {}) {
  if (!cluster.ok()) return refusal_of(cluster, at);
  if (!device.checks.geometry || cluster.size == device.levels.clusters_per_chip) return accept();
  return detail::level_size(refuse("memory-cluster-size", at), Level::cluster, cluster, device.levels.clusters_per_chip, "cluster");
}
constexpr Verdict check_slice_size(const Device& device, const Mapping& slice, Where at = {}) {
  if (!slice.ok()) return refusal_of(slice, at);
  if (!device.checks.geometry || slice.size == device.levels.slices_per_cluster) return accept();
  return detail::level_size(refuse("memory-slice-size", at), Level::slice, slice, device.levels.slices_per_cluster, "slice");
}

/// The sizes of the levels, and that no two of them count the same steps of an axis.
constexpr Verdict check_geometry(const Device& device, std::int64_t chips, const Levels& levels, Where at = {}) {
  if (auto v = check_chip_size(device, chips, levels[Level::chip], at); !v) return v;
  if (auto v = check_cluster_size(device, levels[Level::cluster], at); !v) return v;
  if (auto v = check_slice_size(device, levels[Level::slice], at); !v) return v;
  return check_levels(levels, at);
}

/// i5 and i9 exist in streams only.
constexpr Verdict check_type_in_memory(ScalarType type, Where at = {}) {
  if (scalar_info(type).in_memory) return accept();
  return refuse("commit-type-not-in-memory", at)
      .what("a stream of ", type, " cannot be written to DM")
      .why("i5 and i9 exist only between the fetch adapter and the contraction")
      .help("fetch as i32, or contract first");
}

/// The bytes of one unit: Element of a slice (DM, VRF) or of a chip (HBM).
constexpr Expected<Bytes> element_bytes(ScalarType type, const Mapping& element, Where at = {}) {
  if (!element.ok()) return refusal_of(element, at);
  return packed_size(type, Elements{element.size}, at);
}

/// What a tensor at an address takes of its memory.
constexpr Expected<Interval> extent_at(ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  if (!(Checked(address.value) + bytes->value).fits)
    return refuse("memory-address-overflow", at)
        .what("a tensor at ", address.value, " ends beyond 64 bits")
        .why("addresses are 64-bit numbers")
        .help("use an address inside the memory");
  return Interval{address, address + *bytes};
}

/// Elements are at multiples of their size (a byte at least); a memory that is written, at multiples of its write
/// alignment too.
constexpr Verdict check_alignment(ScalarType type, Bytes address, Bytes write_alignment, Where at = {}) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  std::int64_t const each = bits < 8 ? 1 : bits / 8;
  if (address.value < 0)
    return refuse("memory-address-negative", at)
        .what("the address ", address.value, " is before the memory")
        .why("addresses count the bytes of a memory from its begin")
        .help("use an address from 0 on");
  if (address.value % each != 0)
    return refuse("memory-address-misaligned", at)
        .what("elements of ", type, " are stored at multiples of ", Bytes{each}, "; the address is ", address.value)
        .why("an element must not straddle the unit that a memory reads at once")
        .help("use ", round_up(address.value, each));
  if (write_alignment.value > 0 && address.value % write_alignment.value != 0)
    return refuse("memory-write-misaligned", at)
        .what("writes begin at multiples of ", write_alignment, "; the address is ", address.value)
        .why("a row of a DM bank is written as a whole")
        .help("use ", round_up(address.value, write_alignment.value));
  return accept();
}

namespace detail {

constexpr Verdict fits(const Device& device, Refusal too_large, const char* memory, ScalarType type, const Mapping& element, Bytes address,
                       Bytes holds, Where at) {
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  if (!device.checks.geometry) return accept();
  if (*bytes > holds)
    return too_large.what(memory, " holds ", holds, "; Element ", element, " of ", type, " takes ", *bytes)
        .why("padding takes room as elements do")
        .help(device.hbm.capacity == holds ? "work on a part of it, or spread it over more chips"
                                           : "spread more of the tensor over Slice, or work on a tile of it");
  if (address.value > holds.value - bytes->value)
    return refuse("memory-beyond-end", at)
        .what("a tensor of ", *bytes, " at ", address.value, " ends beyond the ", holds, " of ", memory)
        .why("the whole tensor, padding included, must fit into the memory")
        .help("use an address up to ", holds.value - bytes->value);
  return accept();
}

}  // namespace detail

constexpr Verdict check_dm(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  if (auto v = check_alignment(type, address, Bytes{0}, at); !v) return v;
  return detail::fits(device, refuse("memory-dm-too-large", at), "a slice of DM", type, element, address, device.dm.slice_capacity, at);
}
/// DM as the destination of a commit or a DMA.
constexpr Verdict check_dm_write(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  if (auto v = check_dm(device, type, element, address, at); !v) return v;
  return check_alignment(type, address, device.checks.dma_alignment ? device.dm.write_alignment : Bytes{0}, at);
}
constexpr Verdict check_hbm(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  if (auto v = check_alignment(type, address, Bytes{0}, at); !v) return v;
  return detail::fits(device, refuse("memory-hbm-too-large", at), "the HBM of a chip", type, element, address, device.hbm.capacity, at);
}
constexpr Verdict check_vrf(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  if (auto v = check_alignment(type, address, Bytes{0}, at); !v) return v;
  return detail::fits(device, refuse("memory-vrf-too-large", at), "the VRF of a slice", type, element, address, device.vrf.slice_capacity,
                      at);
}

/// Row is a number of MAC rows the chip can pair; Row · Element must fit into the TRF, or its half.
constexpr Verdict check_trf(const Device& device, ScalarType type, const Mapping& row, const Mapping& element, TrfAddress where,
                            Where at = {}) {
  if (!row.ok()) return refusal_of(row, at);
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  if (!device.checks.geometry) return accept();
  if (!device.contraction.row_counts.contains(row.size)) {
    Refusal r = refuse("memory-trf-rows", at);
    r.what("Row ", row, " has ", row.size, " positions; the TRF is read by ");
    int n = 0;
    for (std::int64_t each : device.contraction.row_counts) r.what(n++ > 0 ? ", " : "", each);
    return r.what(" rows")
        .why("the rows of a slice share the register file evenly")
        .help("pad Row to the next of these, or move a part of it to Element");
  }
  Bytes const holds = where == TrfAddress::Full ? device.trf.slice_capacity : trf_half_capacity(device);
  Checked const all = Checked(bytes->value) * row.size;
  if (!all.fits || all.value > holds.value)
    return refuse("memory-trf-too-large", at)
        .what(where == TrfAddress::Full ? "the TRF of a slice" : "half of the TRF of a slice", " holds ", holds, "; ", row.size,
              " rows of Element ", element, " of ", type, " take ", Bytes{all.value})
        .why("all rows of a slice share its register file")
        .help("spread more of the tensor over Slice, or work on a tile of it");
  return accept();
}

/// A view of the bits of one type as another.
constexpr Verdict check_reinterpret(ScalarType from, ScalarType to, Where at = {}) {
  int const had = scalar_info(from).packet_bits, wanted = scalar_info(to).packet_bits;
  if (had == wanted && scalar_info(to).in_memory) return accept();
  return refuse("view-other-width", at)
      .what("elements of ", from, ", ", had, " bits each, are to be seen as ", to, ", ",
            scalar_info(to).in_memory ? "" : "which has no form in memory and ", wanted, " bits")
      .why("a view shows each element where it is stored")
      .help("name a type of ", had, " bits, or convert in a pass");
}

// What the scratchpad accepts. Each PE has one, so a tensor in it has Pe where one in DM has Slice: SpmTensor<D, Chip,
// Cluster, Pe, Element>.
//
// In `Levels` the Pe takes the place of Slice. The book gives a bandwidth and says that scratchpads are for
// transfers within a chip.

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
