// Whether a mapping fits its product and the chip. What passes here is a program of the chip: the generator never
// finds a rule in its way, which tests check over many products.
#include <bit>
#include <numeric>

#include "mapper/windows.hpp"
#include "tcp/rules/register_files.hpp"

namespace tcp::mapper {
namespace {

bool power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

class Check {
 public:
  Check(const Device& device, const KernelMapping& m, Where at)
      : device_(device), p_(m.product), d_(m.decisions), z_(device, p_, d_), at_(at) {}

  Verdict all() {
    if (auto v = whole_mapping(); !v) return v;
    std::int64_t stored = 0;
    for (std::size_t i = 0; i < d_.bands.size(); ++i) {
      if (auto v = band(i); !v) return v;
      stored += d_.bands[i].length;
    }
    if (stored != z_.kept_stored())
      return illegal(
          text("the bands have ", stored, " steps, and ", axis(true), " has ", z_.kept_stored(), z_.keeps_a() ? "" : ", padding included"),
          "bands follow each other until the axis ends");
    return dm();
  }

 private:
  Refusal illegal(const Text& what, const char* why) const {
    return refuse("mapper-illegal", at_).what(what).why(why).help("change that decision, or leave it to the search: tcp map");
  }
  std::string axis(bool kept) const {
    int const a = kept == z_.keeps_a() ? p_.row_axis : p_.column_axis;
    return a < 0 ? "the axis of one step" : p_.formula.axes[static_cast<std::size_t>(a)].name;
  }

  Verdict whole_mapping() {
    if (!power_of_two(d_.batches) || d_.batches > z_.slices || z_.batch_room() >= 2 * p_.batches)
      return illegal(text("batches: ", d_.batches, ", of ", p_.batches),
                     "as many batches as a power of two divide the slices of a cluster, and there are more than half as many");
    if (d_.clusters == OverClusters::batches && p_.batch_axis < 0) return illegal("clusters that divide the batches", "the product is one");
    if (!device_.contraction.row_counts.contains(d_.row)) return illegal(text("row: ", d_.row), "1, 2, 4 or 8 Rows work together");
    if (p_.maximum && (d_.row != 1 || d_.parts.size() != 1))
      return illegal(text("row: ", d_.row, ", and ", d_.parts.size(), " parts"), "one Row finds a maximum, over one part");
    std::int64_t sum = 0;
    for (std::int64_t k : d_.parts) {
      if (k < 1) return illegal(text("a part of ", k), "a part has at least one step");
      sum += k;
    }
    if (sum != p_.depth)
      return illegal(text("the parts have ", sum, " steps, and the summed axis has ", p_.depth),
                     "parts follow each other until the axis ends");
    for (std::size_t i = 0; i + 1 < d_.parts.size(); ++i)
      if (d_.parts[i] % z_.packet != 0)
        return illegal(text("a part of ", d_.parts[i]), "all parts but the last one are whole packets of 64 bytes");
    if (d_.block != 0) {
      bool const free = p_.tensor(p_.b).stored.kind == formula::StoredAs::Kind::any;
      if (!free) return illegal(text("stored: blocks ", d_.block), "the formula says how the operand is stored; {any} leaves it open");
      if (d_.block < 0 || d_.block * z_.element != 512) return illegal(text("stored: blocks ", d_.block), "a block has 512 bytes");
      for (std::int64_t k : d_.parts)
        if (k % d_.block != 0) return illegal(text("a part of ", k, " in blocks of ", d_.block), "parts are whole blocks");
      if (d_.fill == TrfFill::round && !z_.keeps_a())
        return illegal("blocks of an operand that is handed round", "shares of the summed axis are cut from rows");
    }
    if (d_.ahead < 0 || d_.ahead > 64) return illegal(text("ahead: ", d_.ahead), "0 to 64 tiles are loaded ahead");
    if (d_.kept_at_once && d_.fill == TrfFill::round)
      return illegal("shares that are handed round, loaded all at once", "shares of a part are loaded part by part");
    if (d_.fill == TrfFill::round)
      for (const Band& b : d_.bands)
        if (b.ring != d_.bands[0].ring || b.groups != d_.bands[0].groups)
          return illegal("bands of different rings, and shares that are handed round", "all rows add in the same order");
    if (d_.bands.empty()) return illegal("there is no band", "a band has the steps of the kept axis");
    return accept();
  }

  Verdict band(std::size_t which) {
    const Band& b = d_.bands[which];
    AxisStretch const s = z_.band(which);
    if (b.length < 1 || s.stored < b.length)
      return illegal(text("a band of ", b.length, " steps of ", axis(true)), "bands follow each other until the axis ends");
    if (!power_of_two(b.ring) || !power_of_two(b.groups) || b.ring * b.groups * d_.batches > z_.slices)
      return illegal(d_.batches == 1 ? text("ring ", b.ring, ", groups ", b.groups)
                                     : text("ring ", b.ring, ", groups ", b.groups, ", batches ", d_.batches),
                     "rings and groups are powers of two, and divide the slices of a cluster");
    if (b.reuse < 1 || b.reuse * device_.vector.lanes > device_.contraction.accumulator_slots)
      return illegal(text("reuse ", b.reuse), "the accumulator has 1,024 slots");
    if ((!z_.keeps_a() && z_.alone(b) ? s.live : b.length) > z_.band_room(b))
      return illegal(text("a band of ", b.length, " steps, for which ring, row and reuse have room for ", z_.band_room(b)),
                     "a slice keeps row x reuse steps");
    if (which + 1 < d_.bands.size() && !z_.keeps_a() && b.length % z_.unit_out != 0)
      return illegal(text("a band of ", b.length, " columns"), "but for the last, bands of columns are whole units of HBM");
    if (s.live < 1) return illegal(text("a band of ", b.length, " steps of padding"), "a band has something to compute");
    if (z_.keeps_a() && b.reuse != 1 && b.reuse != 2 && b.reuse != 4)
      return illegal(text("reuse ", b.reuse, " of rows"), "the Transpose Engine takes 8, 16 or 32 columns");
    if (z_.keeps_a() && d_.row * b.reuse > 32) return illegal(text("reuse ", b.reuse), "the Transpose Engine takes 8, 16 or 32 columns");
    if (d_.row < device_.vector.lanes && b.reuse != 1)
      return illegal(text("row ", d_.row, ", reuse ", b.reuse), "fewer Rows are not reused");
    if (d_.fill == TrfFill::round && z_.idle(b) != 1)
      return illegal(text("idle slices, and shares that are handed round"), "shares are handed round all slices");
    if (d_.fill == TrfFill::round && b.ring > 1 && b.groups > 1)
      for (std::int64_t k : d_.parts) {
        if (z_.kept_depth(b, k) != k)
          return illegal(text("a part of ", k, " in shares of ", z_.share(b, k)),
                         "shares that are handed round rings are whole, and all alike");
        if (d_.block > 0 && d_.block % z_.share(b, k) != 0 && z_.share(b, k) % d_.block != 0)
          return illegal(text("shares of ", z_.share(b, k), " in blocks of ", d_.block), "shares are whole blocks, or parts of one");
      }
    for (std::int64_t k : d_.parts)
      if (z_.trf_bytes(b, k) > device_.trf.slice_capacity.value)
        return illegal(text("a part of ", k, " for ", z_.own(b), " steps in the TRF: ", z_.trf_bytes(b, k), " bytes"),
                       "a slice has 64 KB of TRF");
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < b.tiles.size(); ++i) {
      if (auto v = tile(b, i); !v) return v;
      covered += z_.tile_room(b, b.tiles[i]);
    }
    std::int64_t const needed = z_.keeps_a() && z_.alone(b) ? z_.streamed() : z_.streamed_stored();
    if (covered < needed)
      return illegal(text("tiles for ", covered, " steps of ", axis(false), ", which has ", needed),
                     "tiles follow each other until the axis ends");
    return accept();
  }

  Verdict tile(const Band& b, std::size_t which) {
    std::int64_t const tile = b.tiles[which];
    if (tile < 1 || tile % b.ring != 0)
      return illegal(text("a tile of ", tile, " on a ring of ", b.ring), "each slice of a ring loads as many steps of the tile");
    AxisStretch const s = z_.tile(b, which);
    if (s.live < 1) return illegal(text("a tile of ", tile, " steps of padding"), "a tile has something to compute");
    if (auto v = numbers(b, tile); !v) return v;
    std::int64_t const neighbours = z_.neighbours(b, tile), at_once = p_.result == ScalarType::bf16 ? 4 : 2;
    if (z_.keeps_a()) {
      if (tile % at_once != 0) return illegal(text("a tile of ", tile), "the Transpose Engine takes so many columns at once");
      bool const last = which + 1 == b.tiles.size();
      bool const whole = z_.alone(b)       ? last || tile % z_.unit_out == 0
                         : neighbours == 1 ? tile % z_.unit_out == 0
                                           : z_.unit_out % tile == 0 && b.groups % neighbours == 0;
      if (!whole) return illegal(text("a tile of ", tile, " columns"), "a slice, or neighbours together, write whole units of HBM");
    } else {
      std::int64_t const own = z_.own(b);
      bool const whole = z_.alone(b) || (neighbours == 1 ? own % z_.unit_out == 0
                                                         : z_.unit_out % own == 0 && b.ring % neighbours == 0 && tile % neighbours == 0);
      if (!whole) return illegal(text(own, " columns of a slice"), "a slice, or neighbours together, write whole units of HBM");
      std::int64_t const share = tile / neighbours;
      if (neighbours > 1 && share % b.ring != 0 && b.ring % share != 0)
        return illegal(text("a tile of ", tile, " rows for ", neighbours, " neighbours"),
                       "the rows of a neighbour are whole rounds of the ring, or a part of one");
      if (own * z_.of_result % device_.dm.write_alignment.value != 0 && !z_.alone(b))
        return illegal(text(own, " columns of a slice"), "DM is written in rows of 8 bytes");
    }
    return accept();
  }

  /// Tensors with a number for each row or column go to VRF, and to DM before, in rows of 8 bytes.
  Verdict numbers(const Band& b, std::int64_t tile) const {
    std::int64_t bytes = 0;
    for (const EpilogueStep& s : p_.after) {
      if (s.tensor < 0) continue;
      if (!s.of_columns && z_.keeps_a())
        return illegal(text(p_.tensor(s.tensor).name, " has a number for each row"),
                       "rows that are kept are dealt one by one: keep the columns");
      std::int64_t const mine = s.of_columns != z_.keeps_a() ? z_.own(b) : tile;
      if (mine % 4 != 0)
        return illegal(text(mine, " numbers of ", p_.tensor(s.tensor).name, " in a slice"), "DM is written in rows of 8 bytes");
      bytes += round_up(mine, device_.vector.lanes) * 4;
    }
    if (bytes > device_.vrf.slice_capacity.value) return illegal(text("numbers of ", bytes, " bytes"), "a slice has 8 KB of VRF");
    return accept();
  }

  /// An estimate from above of what is in DM at one time.
  Verdict dm() {
    for (std::size_t i = 0; i < d_.bands.size(); ++i) {
      std::int64_t const need = dm_bytes(device_, p_, d_, i);
      if (need > device_.dm.slice_capacity.value)
        return illegal(text("band ", i + 1, " takes ", need, " bytes of DM"), "a slice has 512 KB of DM");
    }
    return accept();
  }

  const Device& device_;
  const Product& p_;
  const Decisions& d_;
  Sizes z_;
  Where at_;
};

}  // namespace

std::int64_t dm_bytes(const Device& device, const Product& p, const Decisions& d, std::size_t which) {
  Sizes const z(device, p, d);
  const Band& b = d.bands[which];
  std::int64_t const own = z.own(b), lanes = device.vector.lanes;
  std::int64_t kept = 0, most_tile = 0, all_tiles = 0, most_part = 0, depth = 0;
  for (std::int64_t t : b.tiles) {
    most_tile = std::max(most_tile, t);
    all_tiles += t;
  }
  for (std::int64_t k : d.parts) {
    most_part = std::max(most_part, z.kept_depth(b, k));
    depth += z.kept_depth(b, k);
  }
  auto const in_slice = [&](std::int64_t k) { return d.fill == TrfFill::round ? own * k / b.groups : own * k; };
  bool const parts_outside = d.outer == OuterLoop::parts && d.parts.size() > 1;
  auto const parts = static_cast<std::int64_t>(d.parts.size()), tiles = static_cast<std::int64_t>(b.tiles.size());
  // Kept: all parts, unless parts are outside and come one by one.
  bool const rounds = z.rounds() > 1;
  std::int64_t const kept_parts = parts_outside && !d.kept_at_once ? std::min<std::int64_t>(parts, 1 + ceil_div(d.ahead, tiles)) : parts;
  kept = kept_parts == parts ? in_slice(depth) : kept_parts * in_slice(most_part);
  // What the next batches keep is loaded while these are computed.
  if (rounds && d.ahead > 0) kept *= 1 + ceil_div(d.ahead, parts * tiles);
  std::int64_t const loaded = std::min<std::int64_t>(1 + d.ahead, parts * tiles * z.rounds());
  std::int64_t streamed = 0;
  if (d.streamed_at_once && parts > 1) {
    std::int64_t const tiles_loaded = parts_outside ? tiles : std::min<std::int64_t>(tiles, 1 + ceil_div(d.ahead, parts));
    streamed = (tiles_loaded == tiles ? all_tiles : tiles_loaded * most_tile) / b.ring * depth;
    if (rounds && d.ahead > 0) streamed *= 1 + ceil_div(d.ahead, parts * tiles);
  } else {
    streamed = !rounds && loaded == parts * tiles ? all_tiles / b.ring * depth : loaded * (most_tile / b.ring) * most_part;
  }
  std::int64_t const lanes_of_sum = b.reuse * lanes;
  std::int64_t const sums = parts == 1 ? 0 : std::int64_t{3} * 4 * lanes_of_sum * (parts_outside ? all_tiles : most_tile);
  std::int64_t const neighbours = z.neighbours(b, most_tile);
  std::int64_t const rows = z.keeps_a() ? round_up(own, neighbours) : most_tile,
                     columns = z.keeps_a() ? z.written(b, most_tile) : z.written(b, 0);
  std::int64_t const results = (neighbours > 1 ? 4 : 2) * rows * columns * z.of_result;
  std::int64_t const in_between = p.after.empty() ? 0 : 4 * lanes_of_sum * most_tile;
  return (kept + streamed) * z.element + sums + results + in_between;
}

Verdict check_mapping(const Device& device, const KernelMapping& mapping, Where at) {
  if (mapping.product.windows) return check_windows(device, mapping, at);
  return Check(device, mapping, at).all();
}

}  // namespace tcp::mapper
