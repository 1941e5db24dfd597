// What follows from the decisions of a mapping: counts that the check, the generator and the estimate share.
#pragma once

#include <algorithm>
#include <vector>

#include "tcp/device/derived.hpp"
#include "tcp/device/device.hpp"
#include "tcp/mapper/mapping.hpp"
#include "tcp/support/round.hpp"

namespace tcp::mapper {

/// For types that fill whole bytes.
constexpr std::int64_t bytes_of(ScalarType type) { return scalar_info(type).packet_bits / 8; }
inline std::int64_t hbm_bytes_per_cycle(const Device& device) { return hbm_mb_per_s(device) / device.clocks.core_mhz; }

/// A stretch of an axis: the steps that there are, and those that are stored, padding of the last row included.
struct AxisStretch {
  std::int64_t start = 0, live = 0, stored = 0;
};

/// Counts of a product under some decisions.
class Sizes {
 public:
  Sizes(const Device& device, const Product& p, const Decisions& d)
      : device_(device),
        p_(p),
        d_(d),
        element(bytes_of(p.type)),
        of_result(bytes_of(p.result)),
        packet(device.contraction.mac_bytes.value / element),
        flit(device.flit.bytes.value / element),
        unit_in(device.hbm.access_bytes.value / element),
        unit_out(device.hbm.access_bytes.value / of_result),
        slices(device.levels.slices_per_cluster),
        slices_per_dmn(device.levels.slices_per_dmn),
        clusters_kept(d.clusters == OverClusters::kept ? device.levels.clusters_per_chip : 1),
        clusters_streamed(d.clusters == OverClusters::streamed ? device.levels.clusters_per_chip : 1),
        clusters_batches(d.clusters == OverClusters::batches ? device.levels.clusters_per_chip : 1),
        padded_columns(p.windows ? columns_of_pixels() : round_up(p.columns, unit_out)),
        columns_of_b(!p.windows && p.tensor(p.b).stored.kind == formula::StoredAs::Kind::any && p.columns > unit_out ? padded_columns
                                                                                                                     : p.columns),
        padded_depth(round_up(p.depth, unit_in)) {}

  bool keeps_a() const { return d_.keep == KeptOperand::a; }
  std::int64_t kept() const { return keeps_a() ? p_.rows : columns_of_b; }
  std::int64_t kept_stored() const { return keeps_a() ? p_.rows : padded_columns; }
  std::int64_t streamed() const { return keeps_a() ? columns_of_b : p_.rows; }
  std::int64_t streamed_stored() const { return keeps_a() ? padded_columns : p_.rows; }

  std::int64_t own(const Band& b) const { return d_.row * b.reuse; }
  std::int64_t idle(const Band& b) const { return slices / (b.ring * b.groups * d_.batches); }
  /// Batches that are computed at one time, the times that takes, and the batches of one of them.
  std::int64_t batch_room() const { return clusters_batches * d_.batches; }
  std::int64_t rounds() const { return ceil_div(p_.batches, batch_room()); }
  std::int64_t batches_of(std::size_t round) const {
    return std::min(batch_room(), p_.batches - static_cast<std::int64_t>(round) * batch_room());
  }
  std::int64_t band_room(const Band& b) const { return clusters_kept * b.ring * own(b); }
  /// Slices of a ring that have rows: as many of each DMN.
  std::int64_t used(const Band& b, std::int64_t live) const {
    std::int64_t const dmns = b.ring < 2 * slices_per_dmn ? 1 : b.ring / slices_per_dmn;
    return round_up(ceil_div(live, clusters_kept * own(b)), dmns);
  }
  std::int64_t tile_room(const Band& b, std::int64_t tile) const { return clusters_streamed * b.groups * tile; }
  /// A part of the summed axis in whole packets.
  std::int64_t packets(std::int64_t part) const { return ceil_div(part, packet); }
  /// Elements of a share of a part that are handed round, in whole flits or packets.
  std::int64_t share(const Band& b, std::int64_t part) const { return round_up(ceil_div(part, b.groups), b.ring == 1 ? flit : packet); }
  /// Whether the TRF is filled by both channels.
  bool fills_wide(const Band& b, std::int64_t part) const {
    return d_.dual && d_.fill != TrfFill::sub && (d_.fill == TrfFill::main || share(b, part) % packet == 0);
  }
  std::int64_t kept_depth(const Band& b, std::int64_t part) const {
    return d_.fill == TrfFill::round ? b.groups * share(b, part) : packets(part) * packet;
  }
  std::int64_t trf_bytes(const Band& b, std::int64_t part) const { return own(b) * kept_depth(b, part) * element; }

  AxisStretch band(std::size_t which) const {
    AxisStretch s;
    for (std::size_t i = 0; i < which; ++i) s.start += d_.bands[i].length;
    s.stored = std::min(d_.bands[which].length, kept_stored() - s.start);
    s.live = std::min(d_.bands[which].length, kept() - s.start);
    return s;
  }
  AxisStretch tile(const Band& b, std::size_t which) const {
    AxisStretch s;
    for (std::size_t i = 0; i < which; ++i) s.start += tile_room(b, b.tiles[i]);
    std::int64_t const room = tile_room(b, b.tiles[which]);
    std::int64_t const rest = streamed_stored() - s.start;
    s.stored = std::min(keeps_a() && alone(b) ? round_up(room, unit_out) : room, rest);
    s.live = std::min(room, streamed() - s.start);
    return s;
  }

  /// Neighbouring slices that exchange what they computed, so that each has whole units of HBM; 1: none have to.
  std::int64_t neighbours(const Band& b, std::int64_t tile) const {
    if (alone(b)) return 1;
    std::int64_t const columns = keeps_a() ? tile : own(b);
    return columns >= unit_out ? 1 : unit_out / std::max<std::int64_t>(columns, 1);
  }
  /// One slice has all the columns there are of its rows.
  bool alone(const Band& b) const { return keeps_a() ? clusters_streamed * b.groups == 1 : clusters_kept * b.ring == 1; }
  /// Columns that a slice writes of each of its rows.
  std::int64_t written(const Band& b, std::int64_t tile) const {
    std::int64_t const columns = keeps_a() ? tile : own(b);
    return alone(b) ? round_up(columns, unit_out) : columns;
  }

 private:
  /// The pixels of a slice fill whole units of HBM together, or each does.
  std::int64_t columns_of_pixels() const {
    bool const together = p_.windows->across.pixels % d_.pixel_columns == 0 && p_.columns * d_.pixel_columns % unit_out == 0 &&
                          d_.bands[0].tiles.size() == 1 && p_.columns % 4 == 0;
    return together ? p_.columns : round_up(p_.columns, unit_out);
  }

  const Device& device_;
  const Product& p_;
  const Decisions& d_;

 public:
  std::int64_t element, of_result;  // bytes
  std::int64_t packet, flit;        // elements of an operand
  std::int64_t unit_in, unit_out;   // elements of a unit of HBM, of an operand and of the result
  std::int64_t slices, slices_per_dmn, clusters_kept, clusters_streamed, clusters_batches;
  std::int64_t padded_columns;
  std::int64_t columns_of_b;  // with rows of padding, if the formula leaves it open how B is stored
  std::int64_t padded_depth;
};

/// Passes that the steps after the sum need beyond the one that makes it.
std::size_t extra_passes(const Product& p, const Decisions& d);

/// What a slice holds in DM at one time while a band is computed, at most.
std::int64_t dm_bytes(const Device& device, const Product& p, const Decisions& d, std::size_t which);

}  // namespace tcp::mapper
