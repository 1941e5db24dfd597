// Whether a device is possible at all: every number in its range, and numbers that describe one thing from two sides in
// agreement.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/device/fields.hpp"
#include "tcp/support/checked.hpp"
#include "tcp/support/expected.hpp"

namespace tcp {

/// The first impossible value of a device; `group` is empty where there is none. A chip file's reader adds the line.
struct DeviceFault {
  std::string_view group{};
  std::string_view key{};
  Text problem{};
  Text fix{};

  constexpr explicit operator bool() const { return !group.empty(); }
};

namespace detail {

constexpr bool is_power_of_two(std::int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/// No limits of hardware: with these no product of a few fields leaves 64 bits.
constexpr std::int64_t count_limit = std::int64_t{1} << 32;
constexpr std::int64_t byte_limit = std::int64_t{1} << 50;

constexpr std::int64_t plain(std::int64_t v) { return v; }
template <class Unit>
constexpr std::int64_t plain(Count<Unit> v) {
  return v.value;
}

struct FaultFinder : FieldCursor {
  DeviceFault fault{};

  template <class T>
  constexpr void judge(const DeviceField& row, T v, T published) {
    std::int64_t const limit = std::is_same_v<T, Bytes> ? byte_limit : count_limit;
    std::int64_t const n = plain(v);
    std::int64_t const least = row.range == FieldRange::not_negative ? 0 : 1;
    if (n >= least && n <= limit && (row.range != FieldRange::power_of_two || is_power_of_two(n))) return;
    fault.group = group_name;
    fault.key = row.key;
    fault.problem << "has " << v << ", but it must be ";
    if (n < least) fault.problem << "at least " << least;
    else if (n > limit) fault.problem << "at most " << limit;
    else fault.problem << "a power of two";
    fault.fix << "write what RNGD has: " << published;
  }

  constexpr void field(const DeviceField&, const bool&, const bool&) { next(); }
  template <class T>
  constexpr void field(const DeviceField& row, const T& v, const std::type_identity_t<T>& published) {
    next();
    if (!fault) judge(row, v, published);
  }
  template <class T>
  constexpr void field(const DeviceField& row, const OneOf<T>& list, const std::type_identity_t<OneOf<T>>& published) {
    next();
    if (fault) return;
    if (list.count < 1 || list.count > OneOf<T>::room) {
      fault.problem << "lists " << list.count << " values, but must list 1 to " << OneOf<T>::room;
      fault.fix << "write what RNGD has, from " << published.item[0] << " to " << published.largest();
    }
    for (int i = 0; fault.problem.empty() && i < list.count; ++i) {
      judge(row, list.item[i], published.item[0]);
      if (i == 0 || fault || list.item[i] > list.item[i - 1]) continue;
      fault.problem << "has " << list.item[i] << " after " << list.item[i - 1];
      fault.fix << "list the values in ascending order, each once";
    }
    if (fault.problem.empty()) return;
    fault.group = group_name;
    fault.key = row.key;
  }
};

/// `group.key` is `has`, but `parts` make it something else.
template <class T, class... Parts>
constexpr DeviceFault unless_equal(const char* group, const char* key, T has, Checked wanted, const Parts&... parts) {
  DeviceFault f;
  if (wanted.fits && wanted.value == plain(has)) return f;
  f.group = group;
  f.key = key;
  f.problem << "is " << has << ", but ";
  ((f.problem << parts), ...);
  f.problem << " make ";
  if (wanted.fits) f.problem << T(wanted.value);
  else f.problem << "more than 64 bits hold";
  f.fix << "change the parts or the whole, so that they agree";
  return f;
}

constexpr DeviceFault fault_of(const char* group, const char* key, const Text& problem, const Text& fix) {
  DeviceFault f;
  f.group = group;
  f.key = key;
  f.problem = problem;
  f.fix = fix;
  return f;
}

constexpr DeviceFault name_fault(const Device& d) {
  bool plain = !d.name.view().empty();
  for (char c : d.name.view()) {
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    plain = plain && (letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
  }
  if (plain) return {};
  return fault_of("name", "", "must have 1 to 31 letters, digits, _, - or .", "write a name such as my_chip");
}

/// What the records of a program can name: bitmaps and arrays of a fixed size.
constexpr DeviceFault record_fault(const Device& d) {
  struct Limit {
    const char *group, *key;
    std::int64_t has, most;
    const char* why;
  };
  const Limit limits[] = {
      {"levels", "clusters_per_chip", d.levels.clusters_per_chip, 32, "a command names clusters by a bitmap"},
      {"levels", "slices_per_cluster", d.levels.slices_per_cluster, 256, "a command names slices by a bitmap"},
      {"contraction", "mac_bytes", d.contraction.mac_bytes.value, 64, "a mask of lanes has 128 bits, two for each byte"},
      {"vector", "narrow_lanes", d.vector.narrow_lanes, 4, "a narrow packet has as many values"}};
  for (const Limit& l : limits)
    if (l.has > l.most)
      return fault_of(l.group, l.key, text("is ", l.has, ", but programs are made for at most ", l.most, ": ", l.why),
                      text("make it at most ", l.most));
  return {};
}

constexpr DeviceFault level_fault(const Device& d) {
  const chip::Levels& n = d.levels;
  if (auto f = unless_equal("levels", "slices_per_cluster", n.slices_per_cluster, Checked(n.dmns_per_cluster) * n.slices_per_dmn,
                            n.dmns_per_cluster, " DMNs of ", n.slices_per_dmn, " slices"))
    return f;
  if (n.dmns_per_cluster % n.pes_per_cluster == 0) return {};
  return fault_of("levels", "pes_per_cluster",
                  text("is ", n.pes_per_cluster, ", but ", n.dmns_per_cluster, " DMNs cannot be dealt out to that many PEs"),
                  "make it a divisor of dmns_per_cluster");
}

constexpr DeviceFault hbm_fault(const Device& d) {
  const chip::Hbm& h = d.hbm;
  // The bits of an HBM address are published for one geometry; address_map.hpp has no other.
  struct Part {
    const char* key;
    std::int64_t has, mapped;
  };
  const Part parts[] = {{"stacks_per_chip", h.stacks_per_chip, 2},       {"channels_per_stack", h.channels_per_stack, 16},
                        {"slices_per_channel", h.slices_per_channel, 3}, {"bank_groups_per_slice", h.bank_groups_per_slice, 4},
                        {"banks_per_group", h.banks_per_group, 4},       {"rows_per_bank", h.rows_per_bank, 16384},
                        {"row_bytes", h.row_bytes.value, 2048},          {"access_bytes", h.access_bytes.value, 256}};
  Checked product = 1;
  for (const Part& p : parts) {
    if (p.has != p.mapped)
      return fault_of("hbm", p.key, text("is ", p.has, ", but the one HBM address map that we have is for ", p.mapped),
                      text("keep ", p.mapped, "; another geometry needs another map in tcp/device/address_map.hpp"));
    if (std::string_view(p.key) != "access_bytes") product = product * p.has;
  }
  if (auto f = unless_equal("hbm", "capacity", h.capacity, product, "its stacks, channels, slices, banks and rows")) return f;
  if (h.channel_bytes_per_cycle <= h.access_bytes) return {};
  return fault_of("hbm", "channel_bytes_per_cycle", text("is ", h.channel_bytes_per_cycle, ", but an access has ", h.access_bytes),
                  "make it a divisor of access_bytes");
}

constexpr DeviceFault memory_fault(const Device& d) {
  const chip::Dm& dm = d.dm;
  if (auto f = unless_equal("dm", "slice_capacity", dm.slice_capacity, Checked(dm.banks_per_slice) * dm.rows_per_bank * dm.row_bytes.value,
                            dm.banks_per_slice, " banks of ", dm.rows_per_bank, " rows of ", dm.row_bytes))
    return f;
  if (dm.dma_slice_stride < dm.slice_capacity)
    return fault_of("dm", "dma_slice_stride", text("is ", dm.dma_slice_stride, ", but a slice has ", dm.slice_capacity),
                    "make it at least slice_capacity");
  const chip::Trf& trf = d.trf;
  if (auto f = unless_equal("trf", "slice_capacity", trf.slice_capacity,
                            Checked(d.levels.rows_per_slice) * trf.bank_columns * trf.lines_per_bank * trf.line_bytes.value,
                            d.levels.rows_per_slice, " Rows of ", trf.bank_columns, " banks of ", trf.lines_per_bank, " lines of ",
                            trf.line_bytes))
    return f;
  if (trf.lines_per_bank % trf.halves == 0) return {};
  return fault_of("trf", "halves", text("is ", trf.halves, ", but a bank has ", trf.lines_per_bank, " lines"),
                  "make it a divisor of lines_per_bank");
}

constexpr DeviceFault size_beyond_flit(const Device& d, const char* group, const char* key, Bytes size) {
  if (size <= d.flit.bytes) return {};
  return fault_of(group, key, text("has ", size, ", but a flit has ", d.flit.bytes), "make it at most flit.bytes");
}

constexpr DeviceFault stream_fault(const Device& d) {
  if (auto f = unless_equal("flit", "dual_bytes", d.flit.dual_bytes, Checked(2) * d.flit.bytes.value, "two flits of ", d.flit.bytes))
    return f;
  for (Bytes size : d.fetch.main_sizes)
    if (!d.sequencer.base_packets.contains(size))
      return fault_of("fetch", "main_sizes", text("has ", size, ", which is not in sequencer.base_packets"),
                      "add it there, or drop it here");
  if (auto f = size_beyond_flit(d, "fetch", "main_sizes", d.fetch.main_sizes.largest())) return f;
  if (auto f = size_beyond_flit(d, "fetch", "sub_size", d.fetch.sub_size)) return f;
  if (auto f = size_beyond_flit(d, "fetch", "sub_size_i4_to_i32", d.fetch.sub_size_i4_to_i32)) return f;
  if (auto f = size_beyond_flit(d, "commit", "packet_sizes", d.commit.packet_sizes.largest())) return f;
  if (auto f = size_beyond_flit(d, "commit", "main_sizes", d.commit.main_sizes.largest())) return f;
  return size_beyond_flit(d, "commit", "sub_size", d.commit.sub_size);
}

/// A tree of depth n sums 2^n elements, which the reducer must be given in one cycle.
constexpr DeviceFault tree_fault(const Device& d, const char* key, std::int64_t depth, std::int64_t bits) {
  bool const fits = depth < 40 && (bits << depth) <= d.contraction.mac_bytes.value * 8;
  if (fits) return {};
  return fault_of("contraction", key,
                  text("is ", depth, ", but 2^", depth, " elements of ", bits, " bits exceed the ", d.contraction.mac_bytes, " of a cycle"),
                  "make the tree shallower, or mac_bytes larger");
}

constexpr DeviceFault engine_fault(const Device& d) {
  const chip::Contraction& c = d.contraction;
  if (auto f = tree_fault(d, "tree_depth_i4", c.tree_depth_i4, 4)) return f;
  if (auto f = tree_fault(d, "tree_depth_i8", c.tree_depth_i8, 8)) return f;
  if (auto f = tree_fault(d, "tree_depth_f8", c.tree_depth_f8, 8)) return f;
  if (auto f = tree_fault(d, "tree_depth_bf16", c.tree_depth_bf16, 16)) return f;
  if (c.row_counts.largest() > d.levels.rows_per_slice)
    return fault_of("contraction", "row_counts",
                    text("has ", c.row_counts.largest(), ", but a slice has ", d.levels.rows_per_slice, " Rows"),
                    "make it at most levels.rows_per_slice");
  if (auto f = unless_equal("contraction", "accumulator_slots", c.accumulator_slots,
                            Checked(d.levels.rows_per_slice) * c.columns * c.registers_per_column, d.levels.rows_per_slice, " Rows of ",
                            c.columns, " columns of ", c.registers_per_column, " registers"))
    return f;
  if (auto f = unless_equal("vector", "lanes", d.vector.lanes, d.flit.bytes.value / 4, "the 32-bit elements of a flit")) return f;
  if (d.vector.narrow_lanes <= d.vector.lanes) return {};
  return fault_of("vector", "narrow_lanes", text("is ", d.vector.narrow_lanes, ", but there are ", d.vector.lanes, " lanes"),
                  "make it at most lanes");
}

}  // namespace detail

constexpr DeviceFault find_fault(const Device& d) {
  if (auto f = detail::name_fault(d)) return f;
  detail::FaultFinder ranges;
  each_field(d, ranges);
  if (ranges.fault) return ranges.fault;
  if (auto f = detail::record_fault(d)) return f;
  if (auto f = detail::level_fault(d)) return f;
  if (auto f = detail::hbm_fault(d)) return f;
  if (auto f = detail::memory_fault(d)) return f;
  if (auto f = detail::stream_fault(d)) return f;
  return detail::engine_fault(d);
}

/// For a device that was written in C++; the reader of chip files has asked find_fault already.
constexpr Verdict check_device(const Device& d, Where at = {}) {
  DeviceFault const f = find_fault(d);
  if (!f) return accept();
  std::string_view const name = f.key.empty() ? std::string_view("without a name") : d.name.view();
  return refuse("device-impossible", at)
      .what("device ", name, ": ", f.group, f.key.empty() ? "" : ".", f.key, " ", f.problem)
      .why("a rule that trusts such a number would judge a chip that cannot be built")
      .help(f.fix);
}

}  // namespace tcp
