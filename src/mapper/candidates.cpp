// The enumeration of placements, and of the tiles and orders of one. Everything is a nested loop over few choices, in
// a fixed order, so that the search is deterministic.
#include "mapper/candidates.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "mapper/windows.hpp"

namespace tcp::mapper {
namespace {

std::int64_t power_from(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

class Space {
 public:
  Space(const Device& device, const Product& p, bool dual) : device_(device), p_(p), dual_(dual) {}

  std::vector<Decisions> all() {
    std::int64_t const element = bytes_of(p_.type), packet = device_.contraction.mac_bytes.value / element;
    for (KeptOperand keep : {KeptOperand::a, KeptOperand::b})
      for (OverClusters clusters : {OverClusters::kept, OverClusters::streamed, OverClusters::batches})
        for (bool dual : {true, false}) {
          if ((dual && !dual_) || (clusters == OverClusters::batches && p_.batches == 1)) continue;
          Decisions d;
          d.keep = keep;
          d.clusters = clusters;
          d.dual = dual;
          std::int64_t const live = keep == KeptOperand::a ? p_.rows : p_.columns;
          d.row = p_.maximum ? 1 : std::min<std::int64_t>(power_from(live), device_.levels.rows_per_slice);
          for (; d.batches <= device_.levels.slices_per_cluster && Sizes(device_, p_, d).batch_room() < 2 * p_.batches; d.batches *= 2)
            for (const std::vector<Band>& bands : bands_of(d)) {
              d.bands = bands;
              with_parts(d, packet);
            }
        }
    return std::move(made_);
  }

 private:
  std::vector<std::int64_t> reuses(const Decisions& d) const {
    if (d.row < device_.levels.rows_per_slice) return {1};
    return d.keep == KeptOperand::a ? std::vector<std::int64_t>{1, 2, 4} : std::vector<std::int64_t>{1, 2, 4, 8, 16};
  }

  /// Full bands of a size that fills the ring, and a rest that is cut again.
  std::vector<std::vector<Band>> bands_of(const Decisions& d) const {
    Sizes const z(device_, p_, d);
    std::int64_t const stored = z.kept_stored(), all = z.slices / d.batches;
    std::vector<std::vector<Band>> found;
    for (std::int64_t ring = 1; ring <= all; ring *= 2)
      for (std::int64_t reuse : reuses(d))
        for (std::int64_t groups = all / ring; groups >= 1 && groups >= all / ring / 16; groups /= 2) {
          Band b{0, ring, groups, reuse, {}};
          if (!groups_fit(z, b)) continue;
          std::int64_t const room = z.band_room(b);
          if (!z.keeps_a() && z.alone(b)) {
            if (z.kept() > room || (reuse > 1 && room >= 2 * z.kept())) continue;
            b.length = stored;
            found.push_back({b});
            continue;
          }
          if (room >= 2 * stored && (ring > 1 || reuse > 1) && room > d.row * z.clusters_kept) continue;
          std::int64_t const full = stored / room, rest = stored % room;
          if (full > 24) continue;
          std::vector<Band> whole(static_cast<std::size_t>(full), b);
          for (Band& each : whole) each.length = room;
          if (rest == 0) {
            found.push_back(whole);
            continue;
          }
          if (full == 0) {
            b.length = rest;
            found.push_back({b});
            continue;
          }
          if (groups != all / ring) continue;
          for (const std::vector<Band>& more : rests(z, d, rest, b)) {
            std::vector<Band> bands = whole;
            bands.insert(bands.end(), more.begin(), more.end());
            found.push_back(std::move(bands));
          }
        }
    return found;
  }
  /// Slices without a step of the streamed axis wait; more of them than work are no use.
  bool groups_fit(const Sizes& z, const Band& b) const {
    std::int64_t const steps = z.streamed(), share = ceil_div(steps, z.clusters_streamed * b.groups);
    return b.groups == 1 || share * b.groups * z.clusters_streamed < steps + b.groups * z.clusters_streamed;
  }
  /// A rest in one band, or in a full one of a power of two and what is left.
  std::vector<std::vector<Band>> rests(const Sizes& z, const Decisions& d, std::int64_t rest, const Band& like) const {
    std::vector<std::vector<Band>> found;
    auto const one = [&](std::int64_t length) {
      std::vector<Band> bands;
      for (std::int64_t reuse : reuses(d)) {
        std::int64_t const each = z.clusters_kept * d.row * reuse, ring = power_from(ceil_div(length, each));
        if (ring * each > z.clusters_kept * like.ring * d.row * like.reuse || ring > z.slices / d.batches) continue;
        Band b{length, ring, z.slices / d.batches / ring, reuse, {}};
        if (reuse > 1 && z.band_room(b) > power_from(length)) continue;
        bands.push_back(b);
      }
      return bands;
    };
    for (const Band& b : one(rest)) found.push_back({b});
    std::int64_t const half = power_from(rest) / 2, unit = z.keeps_a() ? 1 : z.unit_out;
    if (half < rest && half >= d.row * z.clusters_kept && half % unit == 0 && rest - half > 0)
      for (const Band& first : one(half))
        for (const Band& second : one(rest - half)) found.push_back({first, second});
    return found;
  }

  void with_parts(Decisions& d, std::int64_t packet) {
    std::int64_t const k = p_.depth;
    bool const free = p_.tensor(p_.b).stored.kind == formula::StoredAs::Kind::any;
    std::int64_t const block = 512 / bytes_of(p_.type);
    for (std::int64_t stored : {std::int64_t{0}, block}) {
      if (stored > 0 && (!free || k % stored != 0)) continue;
      d.block = stored;
      for (TrfFill fill : {TrfFill::main, TrfFill::sub, TrfFill::round}) {
        d.fill = fill;
        if (fill == TrfFill::sub && d.dual) continue;  // both wait for each other
        Sizes const z(device_, p_, d);
        if (fill == TrfFill::round) {
          bool whole = true, several = true;
          for (const Band& b : d.bands) {
            whole &= z.idle(b) == 1;
            several &= b.groups > 1;
          }
          if (!whole || !several || (stored > 0 && d.keep == KeptOperand::b)) continue;
        }
        std::int64_t const trf = device_.trf.slice_capacity.value;
        std::int64_t own = 0;
        for (const Band& b : d.bands) own = std::max(own, z.own(b));
        std::int64_t const most = trf / (own * bytes_of(p_.type)) / packet * packet, half = most / 2 / packet * packet;
        std::set<std::vector<std::int64_t>> seen;
        auto const add = [&](std::vector<std::int64_t> parts) {
          if (parts.empty() || parts.size() > 24 || !seen.insert(parts).second) return;
          for (std::size_t i = 0; i < parts.size(); ++i)
            if (parts[i] < 1 || parts[i] > most || (i + 1 < parts.size() && parts[i] % packet != 0) ||
                (stored > 0 && parts[i] % stored != 0))
              return;
          d.parts = std::move(parts);
          for (const Band& b : d.bands)
            for (std::int64_t part : d.parts)
              if (z.trf_bytes(b, part) > trf) return;
          made_.push_back(d);
        };
        add({k});
        if (half < packet || p_.maximum) continue;
        std::int64_t const fewest = std::max<std::int64_t>(2, ceil_div(k, half));
        for (std::int64_t n = fewest; n <= fewest + 2; ++n)
          for (std::int64_t unit : {packet, block}) add(equal(k, n, unit));
        // A short first part is loaded sooner, a short last one stored sooner.
        if (fewest == 2)
          for (std::int64_t eighths : {2, 3, 5, 6}) {
            std::int64_t const first = round_up(k * eighths / 8, stored > 0 ? stored : packet);
            if (first < k && first <= most) add({first, k - first});
          }
        if (most < k) add(equal(k, ceil_div(k, most), stored > 0 ? stored : packet));
      }
    }
  }
  static std::vector<std::int64_t> equal(std::int64_t k, std::int64_t n, std::int64_t unit) {
    std::int64_t const each = round_up(ceil_div(k, n), unit);
    std::vector<std::int64_t> parts;
    for (std::int64_t left = k; left > 0; left -= each) parts.push_back(std::min(each, left));
    return parts;
  }

  const Device& device_;
  const Product& p_;
  bool dual_;
  std::vector<Decisions> made_{};
};

/// The least that tiles are multiples of, and what a slice has of the streamed axis in all.
struct TileUnit {
  std::int64_t unit, total;
};
TileUnit cut_of(const Sizes& z, const Decisions& d, const Band& b) {
  std::int64_t const share = z.clusters_streamed * b.groups, at_once = z.of_result == 2 ? 4 : 2;
  if (d.keep == KeptOperand::b) {
    // Neighbours that exchange what they have divide a tile in whole rounds of the ring, or in powers of two.
    std::int64_t const neighbours = z.neighbours(b, 0), least = std::max(b.ring, neighbours), each = ceil_div(z.streamed(), share);
    std::int64_t const unit = neighbours == 1 ? b.ring : std::min(b.ring * neighbours, std::max(least, power_from(each)));
    return {unit, round_up(each, unit)};
  }
  std::int64_t const least = std::max(b.ring, at_once);
  if (z.alone(b)) return {std::max(least, z.unit_out), round_up(z.streamed(), least)};
  std::int64_t const each = ceil_div(z.streamed_stored(), share);
  if (each >= z.unit_out || least >= z.unit_out) {
    std::int64_t const unit = std::max(least, z.unit_out);
    return {unit, round_up(each, unit)};
  }
  std::int64_t const together = std::max(power_from(each), std::max(least, z.unit_out / b.groups));
  return {together, together};
}

}  // namespace

std::vector<Decisions> placements_of(const Device& device, const Product& product, bool dual) {
  if (product.windows) return placements_of_windows(device, product, dual);
  std::vector<Decisions> all = Space(device, product, dual).all();
  std::vector<Decisions> kept;
  for (Decisions& d : all) {
    Sizes const z(device, product, d);
    for (Band& b : d.bands) b.tiles = {cut_of(z, d, b).total};
    kept.push_back(std::move(d));
  }
  return kept;
}

std::vector<std::vector<std::int64_t>> tilings_of(const Device& device, const Product& product, const Decisions& d, const Band& b) {
  if (product.windows) return {b.tiles};
  Sizes const z(device, product, d);
  TileUnit const cut = cut_of(z, d, b);
  std::int64_t const units = ceil_div(cut.total, cut.unit), short_by = units * cut.unit - cut.total;
  std::vector<std::vector<std::int64_t>> found;
  std::set<std::vector<std::int64_t>> seen;
  auto const add = [&](std::vector<std::int64_t> tiles) {
    for (std::int64_t& t : tiles) t *= cut.unit;
    tiles.back() -= short_by;
    if (tiles.back() > 0 && seen.insert(tiles).second) found.push_back(std::move(tiles));
  };
  for (std::int64_t n : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64}) {
    if (n > units) break;
    std::int64_t const each = units / n, more = units % n;
    std::vector<std::int64_t> tiles;
    for (std::int64_t i = 0; i < n; ++i) tiles.push_back(each + (i < more ? 1 : 0));
    add(tiles);
    if (n < 2 || tiles.back() < 2) continue;
    // The last tile is computed and stored when nothing else is left to do, the first one loaded.
    std::vector<std::int64_t> small_last = tiles, small_first = tiles, both = tiles;
    std::int64_t const moved = tiles.back() / 2;
    small_last.back() -= moved;
    small_last.front() += moved;
    small_first.front() -= moved;
    small_first[1] += moved;
    add(small_last);
    add(small_first);
    if (n > 2) {
      both.front() -= moved;
      both.back() -= moved;
      both[1] += 2 * moved;
      add(both);
    }
  }
  // Where neighbours exchange what they have, narrower tiles of powers of two: alike, and becoming smaller.
  if (d.keep == KeptOperand::a && units == 1 && !z.alone(b) && cut.total < z.unit_out) {
    std::int64_t const least = std::max({b.ring, std::int64_t{4}, z.unit_out / b.groups});
    for (std::int64_t tile = cut.total / 2; tile >= least; tile /= 2) found.emplace_back(static_cast<std::size_t>(cut.total / tile), tile);
    for (std::int64_t last = cut.total / 4; last >= least; last /= 2) {
      std::vector<std::int64_t> tiles;
      for (std::int64_t tile = cut.total / 2; tile >= last; tile /= 2) tiles.push_back(tile);
      tiles.push_back(last);
      found.push_back(std::move(tiles));
    }
  }
  return found;
}

void refine(const Device& device, const Product& product, const Decisions& placement,
            const std::function<void(const Decisions&, const Estimate&)>& each) {
  KernelMapping tried{product, placement};
  std::optional<Decisions> best;
  std::int64_t least = 0;
  auto const consider = [&](const Decisions& d) {
    tried.decisions = d;
    if (!check_mapping(device, tried)) return false;
    Estimate const e = estimate_of(device, product, d);
    each(d, e);
    if (best && e.cycles >= least) return false;
    best = d;
    least = e.cycles;
    return true;
  };
  bool const several = placement.parts.size() > 1;
  for (OuterLoop outer : {OuterLoop::parts, OuterLoop::tiles}) {
    if (outer == OuterLoop::tiles && !several) continue;
    Decisions d = placement;
    d.outer = outer;
    // Bands are cut alike: into about as many tiles of the same share.
    std::vector<std::vector<std::vector<std::int64_t>>> ways;
    std::size_t most = 0;
    for (const Band& b : d.bands) {
      ways.push_back(tilings_of(device, product, d, b));
      most = std::max(most, ways.back().size());
    }
    for (std::size_t i = 0; i < most; ++i) {
      for (std::size_t b = 0; b < d.bands.size(); ++b) d.bands[b].tiles = ways[b][std::min(i, ways[b].size() - 1)];
      // One tile has no order.
      bool const one = std::all_of(d.bands.begin(), d.bands.end(), [](const Band& b) { return b.tiles.size() == 1; });
      if (one && outer == OuterLoop::tiles) continue;
      for (std::int64_t ahead : {1, 2}) {
        d.ahead = ahead;
        consider(d);
      }
    }
  }
  if (!best) return;
  for (bool again = true; again;) {
    again = false;
    Decisions now = *best, d = now;  // `best` becomes another meanwhile
    d.kept_first = !d.kept_first;
    again |= consider(d);
    if (several) {
      d = now;
      d.kept_at_once = !d.kept_at_once;
      again |= consider(d);
      d = now;
      d.streamed_at_once = !d.streamed_at_once;
      again |= consider(d);
    }
    for (std::int64_t ahead : {1, 2, 3, 4, 6, 8}) {
      d = now;
      d.ahead = ahead;
      if (ahead != now.ahead) again |= consider(d);
    }
    // Bands by themselves.
    if (now.bands.size() > 1)
      for (std::size_t b = 0; b < now.bands.size(); ++b) {
        if (b > 0 && now.bands[b] == now.bands[b - 1]) continue;
        for (const std::vector<std::int64_t>& tiles : tilings_of(device, product, now, now.bands[b])) {
          d = now;
          d.bands[b].tiles = tiles;
          again |= consider(d);
        }
      }
  }
}

}  // namespace tcp::mapper
