#include "kernels/tiling/tiling.hpp"

#include <algorithm>
#include <bit>

#include "tcp/device/derived.hpp"

namespace tcp::kernels {
namespace {

constexpr std::int64_t most_rows = 16384, longest = 131072;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return quotient_up(a, b) * b; }
std::int64_t power_of_two_from(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}
std::int64_t power_of_two_up_to(std::int64_t n) { return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n))); }

std::int64_t element_bytes(ScalarType type) { return scalar_info(type).packet_bits / 8; }
std::int64_t sum_bytes(ScalarType type) { return is_integer(type) ? 4 : 2; }
/// Columns of C in a unit of HBM.
std::int64_t columns_of_unit(const Device& device, ScalarType type) { return device.hbm.access_bytes.value / sum_bytes(type); }

/// Rows of C in a slice when they are finished: those that divided K have divided rows among them.
std::int64_t finished_rows(const Device& device, const GemmTiling& t) {
  return rounded_up(t.rows_of_group(), t.split * neighbours_of(device, t)) / t.split;
}

/// Buffers for A and for B, two for sums and one for what they add up to, and the finished rows twice.
std::int64_t dm_bytes(const Device& device, const GemmTiling& t) {
  std::int64_t const element = element_bytes(t.type), finished = finished_rows(device, t) * t.columns;
  std::int64_t const sums = 4 * (t.split > 1 ? finished * t.split : t.rows_of_group() * t.columns), exchanged = t.split > 1 ? 3 * sums : 0;
  std::int64_t const a = t.rows * t.k / t.shares * element, everywhere = t.spreads_a ? t.parts * t.rows_of_group() * t.k * element : 0;
  return everywhere + (t.keeps_a ? 2 * t.parts : 1 + t.ahead) * a + (1 + t.ahead) * t.together * t.columns * t.k * element + 3 * sums +
         exchanged + 2 * finished * sum_bytes(t.type);
}

bool fits(const Device& device, const GemmTiling& t) { return 2 * t.dm_bytes <= device.dm.slice_capacity.value; }
/// The narrow tiles at the end of N, too: a slice may need more of A there.
bool all_fit(const Device& device, const GemmTiling& t) {
  for (std::int64_t left = t.width, n = 0; left > 0; left -= n) {
    n = columns_at_once(device, t, left);
    if (!fits(device, tile_of(device, t, t.m, n))) return false;
    left -= n == t.n ? (left / n - 1) * n : 0;
  }
  return true;
}

/// What commands of one tile and part of K take, each by itself; transfers without their start-up.
struct StepCycles {
  std::int64_t main = 0, sub = 0, a = 0, b = 0, exchange = 0, finish = 0, store = 0;
};

StepCycles step_cycles(const Device& device, const GemmTiling& t) {
  std::int64_t const element = element_bytes(t.type), flits = device.contraction.mac_bytes.value / device.flit.bytes.value;
  std::int64_t const copies_of_a = t.across_n / t.ring * t.clusters_along_n(device), groups = t.across_m * t.clusters_along_m(device);
  std::int64_t const clusters = device.levels.clusters_per_chip, dmns_of_cluster = device.levels.dmns_per_cluster;
  std::int64_t const spread = t.idle == 1 ? dmns_of_cluster : std::min(dmns_of_cluster, t.across_m * t.split * rings_of(device, t));
  std::int64_t const dmns = spread * (t.few_rows && !t.clusters_share_rows ? 1 : clusters);
  std::int64_t const rate = std::min(hbm_mb_per_s(device) / device.clocks.core_mhz, dmns * device.dm.dmn_bytes_per_cycle.value);
  StepCycles c;
  c.main = t.rows_of_group() * (quotient_up(t.k, t.packet) * std::max(t.reuse, flits) + 2 * t.reuse);
  c.sub = t.columns * t.k * element / device.fetch.sub_size.value;
  // A request moves a unit of HBM, or less.
  std::int64_t const unit = device.hbm.access_bytes.value, pieces = t.spreads_a ? quotient_up(t.shares, t.parts) : t.shares;
  std::int64_t const share = rounded_up(t.k * element / pieces, unit) * pieces;
  c.a = quotient_up(t.m * share * t.split * copies_of_a, rate);
  c.b = quotient_up(t.n * rounded_up(t.k * element, unit) * t.split * groups, rate);
  // What DMA reads of DM and writes there takes turns.
  std::int64_t const rows = finished_rows(device, t), adding_up = t.split == 1 ? 0 : 2 * rows * t.split * t.reuse;
  std::int64_t const engines = device.dma.engines_per_chip * device.dma.engine_bytes_per_cycle.value;
  c.exchange = t.split == 1 ? 0 : device.dma.startup.value + quotient_up(2 * t.m * t.n * t.split * 4, engines);
  c.finish = adding_up + rows * neighbours_of(device, t) * quotient_up(t.columns * sum_bytes(t.type), device.flit.bytes.value);
  c.store = quotient_up(t.m * t.n * sum_bytes(t.type), rate);
  return c;
}

/// Of the pass that hands A round.
std::int64_t spreading_cycles(const Device& device, const GemmTiling& t) {
  return t.rows_of_group() * quotient_up(t.parts * t.k * element_bytes(t.type), device.flit.bytes.value);
}

/// Packets of A that a transfer gives to several rings. The book lets them cost no more than others; on the chip each was seen to have a descriptor of its own.
std::int64_t packets_given_out(const Device& device, const GemmTiling& t) {
  std::int64_t const copies = t.across_n / t.ring, of_all = t.spreads_a ? t.range() : t.k;
  std::int64_t const bytes = std::min(device.dma.packet_limit.value, of_all / t.shares * element_bytes(t.type));
  return copies == 1
             ? 0
             : t.m * copies * t.clusters_along_n(device) * quotient_up(t.depth * element_bytes(t.type), std::max<std::int64_t>(bytes, 1));
}

std::int64_t transfers_of_b(const GemmTiling& t, std::int64_t parts, bool last_tile) {
  std::int64_t n = 0;
  for (std::int64_t left = parts; left > 0; left -= parts_at_once(t, left, last_tile)) ++n;
  return n;
}

/// The whole product, tile after tile.
class Estimate {
 public:
  Estimate(const Device& device, const GemmTiling& t, std::int64_t m, std::int64_t batch)
      : device_(device), t_(t), tiles_(quotient_up(m, t.m)), batch_(batch) {
    for (std::int64_t left = t.width; left > 0;) {
      std::int64_t const taken = columns_at_once(device, t, left), times = taken == t.n ? left / taken : 1;
      left -= times * taken;
      add(tile_of(device, t, t.m, taken), batch * tiles_ * times, left == 0);
    }
  }
  std::int64_t given_out() const { return given_out_; }
  /// The slower of transfers and passes, and what nothing else stands beside.
  std::int64_t cycles() const {
    std::int64_t const store = startup() + last_.store;
    return std::max(dma_ - store + waits_ + last_.sub + last_.main + last_.finish, head_ + main_ + last_.exchange) + store;
  }

 private:
  std::int64_t startup() const { return device_.dma.startup.value; }

  void add(const GemmTiling& tile, std::int64_t count, bool last) {
    StepCycles const c = step_cycles(device_, tile);
    bool const other_width = tile.n != width_;
    std::int64_t const loads_of_a = !t_.keeps_a ? count * tile.parts : tiles_ > 1 ? count : other_width ? batch_ : 0;
    std::int64_t const parts_of_a = t_.keeps_a ? tile.parts : 1,
                       spreading = t_.spreads_a && other_width ? batch_ * spreading_cycles(device_, tile) : 0;
    std::int64_t const descriptors = tile.m % tile.rows_of_group() == 0 ? 1 : 2;  // the last rows are one of their own
    std::int64_t transfers = count * transfers_of_b(tile, tile.parts, false);
    if (last) transfers += transfers_of_b(tile, tile.parts, true) - transfers_of_b(tile, tile.parts, false);
    dma_ += transfers * startup() + count * tile.parts * c.b + loads_of_a * (descriptors * startup() + parts_of_a * c.a) +
            count * (c.exchange + descriptors * startup() + c.store);
    main_ += count * (tile.parts * std::max(c.main, c.sub) + c.finish) + spreading;
    if (tile.few_rows) given_out_ += loads_of_a * packets_given_out(device_, tile);
    if (width_ == 0) head_ = 2 * startup() + c.b * parts_at_once(tile, tile.parts, last && count == 1) + std::max(c.sub, c.a * parts_of_a);
    waits_ = width_ > 0 ? spreading : 0;
    width_ = tile.n;
    last_ = c;
  }

  const Device& device_;
  const GemmTiling& t_;
  std::int64_t tiles_, batch_, dma_ = 0, main_ = 0;
  std::int64_t given_out_ = 0;
  std::int64_t head_ = 0;   // before the first multiplication
  std::int64_t waits_ = 0;  // of the last tile, for A to be handed round once more
  std::int64_t width_ = 0;  // of the tiles so far
  StepCycles last_;
};

void estimate(const Device& device, GemmTiling& t, std::int64_t m, std::int64_t n, std::int64_t batch) {
  std::int64_t const hbm = hbm_mb_per_s(device) / device.clocks.core_mhz;
  std::int64_t const copy = t.width == n ? 0 : device.dma.startup.value + quotient_up(2 * batch * m * n * sum_bytes(t.type), hbm);
  Estimate const made(device, t, m, batch);
  t.cycles = made.cycles() + copy;
  t.given_out = made.given_out();
}

/// The largest power of two of parts that rows of A may be cut into: whole packets of every part of K.
std::int64_t shares_of(const GemmTiling& t, std::int64_t most) {
  if (t.depth % t.packet != 0) return 1;
  std::int64_t shares = 1;
  while (2 * shares <= most && t.k % (2 * shares * t.packet) == 0 && t.range() % t.k % (2 * shares * t.packet) == 0) shares *= 2;
  return shares;
}

/// The same of all that a slice sees of K, in whole flits: parts of its parts, or several of them. 1 if there are none.
std::int64_t shares_of_all(const GemmTiling& t, std::int64_t most) {
  std::int64_t const k = t.range();
  std::int64_t found = 1;
  if (k % t.k != 0) return found;
  for (std::int64_t shares = 2; shares <= most && k % (shares * t.flit) == 0; shares *= 2)
    if (t.k % (k / shares) == 0 || k / shares % t.k == 0) found = shares;
  return found;
}

/// How M and A lie over the slices that a tile of n columns leaves. Copies of A are few where a ring is long, so rows are cut into shares until it is.
void place_rows(const Device& device, GemmTiling& t) {
  std::int64_t const group = quotient_up(t.m, t.across_m * t.clusters_along_m(device));
  // Idle slices lie between rings, so that all DMNs have something to do.
  bool const apart = t.few_rows && t.idle > 1;
  std::int64_t const most =
      std::min(t.across_n, apart ? std::max(neighbours_of(device, t), device.levels.slices_per_dmn / t.idle) : t.across_n);
  if (t.few_rows)
    t.shares = t.spreads_a ? shares_of_all(t, most) : shares_of(t, std::max<std::int64_t>(1, most / power_of_two_from(group)));
  t.ring = std::min(power_of_two_from(group) * t.shares, most);
  t.rows = quotient_up(group, t.ring / t.shares);
}

/// Slices that a tile of few rows leaves divide K, in whole blocks of B, and each its range into equal parts.
void divide_k(const Device& device, GemmTiling& t) {
  std::int64_t const block = block_of_k(device, t.type, t.depth), left = device.levels.slices_per_cluster / t.across_n;
  t.split = 1;
  while (t.few_rows && 2 * t.split <= left && t.depth % (2 * t.split * block) == 0) t.split *= 2;
  t.parts = quotient_up(t.range(), t.k);
  while (t.split > 1 && t.range() % (t.parts * block) != 0) ++t.parts;
  if (t.split > 1) t.k = t.range() / t.parts;
  t.together = std::clamp<std::int64_t>(t.range() / t.k, 1, t.together);
  t.trf_bytes = t.columns * t.k * element_bytes(t.type);
}

/// The best division of the slices that a tile of n columns leaves: along M, or idle, as more of them ask for more copies of B.
void place_columns(const Device& device, GemmTiling& t) {
  std::int64_t const clusters = device.levels.clusters_per_chip;
  if (t.n % (clusters * columns_of_unit(device, t.type)) != 0) t.clusters_share_rows = false;
  t.across_n = t.n / (t.columns * t.clusters_along_n(device));
  divide_k(device, t);
  std::int64_t const left = device.levels.slices_per_cluster / (t.across_n * t.split);
  GemmTiling best;
  std::int64_t least = 0;
  for (std::int64_t across = 1; across <= (t.few_rows ? 1 : left); across *= 2) {
    t.across_m = across;
    t.idle = left / across;
    place_rows(device, t);
    t.dm_bytes = dm_bytes(device, t);
    StepCycles const c = step_cycles(device, t);
    std::int64_t const slowest = std::max(c.main, c.a + c.b);
    if (best.m != 0 && fits(device, best) && slowest > least) continue;
    best = t;
    least = slowest;
  }
  t = best;
}

/// Shrinks the tile along M until two fit into DM.
void fit(const Device& device, GemmTiling& t, std::int64_t m) {
  for (std::int64_t tiles = 1;; tiles += (tiles + 7) / 8) {
    t.m = quotient_up(m, tiles);
    t = tile_of(device, t, t.m, t.n);
    if (all_fit(device, t) || t.m == 1) return;
  }
}

/// A store of C delays the transfers behind it; what is loaded by then goes on.
void read_ahead(const Device& device, GemmTiling& t) {
  GemmTiling further = t;
  further.ahead = 2;
  further = tile_of(device, further, t.m, t.n);
  if (all_fit(device, further)) t = further;
}

/// How A and B come into DM: see GemmTiling.
struct Loading {
  bool few_rows, keeps_a, spreads_a;
  std::int64_t together;  // at most
};
constexpr Loading loadings[] = {{false, false, false, 1}, {false, true, false, 1}, {true, true, false, 1},
                                {true, true, false, 4},   {true, true, true, 1},   {true, true, true, 4}};

/// One way to do it.
struct Choice {
  std::int64_t groups;  // of 8 columns in a slice
  Loading loading;
  std::int64_t width;  // of C, padding included
  std::int64_t finer;  // parts of K, against as few as possible
};

GemmTiling tiling_of(const Device& device, const Choice& choice, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k,
                     std::int64_t batch) {
  std::int64_t const element = element_bytes(type), unit = device.hbm.access_bytes.value / element;
  GemmTiling t;
  t.type = type;
  t.packet = device.contraction.mac_bytes.value / element;
  t.flit = device.flit.bytes.value / element;
  t.reuse = choice.groups;
  t.columns = choice.groups * device.levels.rows_per_slice;
  t.few_rows = t.clusters_share_rows = choice.loading.few_rows;
  t.keeps_a = choice.loading.keeps_a;
  t.spreads_a = choice.loading.spreads_a;  // if that cuts rows
  t.together = choice.loading.together;
  t.m = m;
  t.depth = k;
  t.width = choice.width;
  t.n = columns_at_once(device, t, t.width);
  std::int64_t const most = device.trf.slice_capacity.value / device.trf.halves / (t.columns * element);
  t.k = k;
  std::int64_t const range = tile_of(device, t, m, t.n).range();
  std::int64_t const each = quotient_up(range, quotient_up(range, most) * choice.finer);
  std::int64_t const block = block_of_k(device, type, k);
  t.k = std::min(most, rounded_up(each, block < k ? block : each > unit ? unit : t.packet));
  t.spreads_a = choice.loading.spreads_a && tile_of(device, t, m, t.n).shares > 1;
  fit(device, t, m);
  read_ahead(device, t);
  estimate(device, t, m, n, batch);
  return t;
}

/// The faster one, by the book and by what it leaves out: the chip was seen to take three times the book's cycles for most things, so descriptors count a third.
bool is_better(const Device& device, const GemmTiling& t, const GemmTiling& best) {
  auto const weight = [&](const GemmTiling& of) { return of.cycles + of.given_out * device.calibrated.descriptor_seen.value / 3; };
  return best.m == 0 || weight(t) < weight(best);
}

/// Tries all ways to compute so many columns.
void consider(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch, std::int64_t width,
              GemmTiling& best) {
  for (std::int64_t finer : {1, 2, 3, 4})
    for (std::int64_t groups : {2, 1})
      for (const Loading& l : loadings) {
        GemmTiling const t = tiling_of(device, {groups, l, width, finer}, type, m, n, k, batch);
        if (all_fit(device, t) && is_better(device, t, best)) best = t;
      }
}

}  // namespace

std::int64_t block_of_k(const Device& device, ScalarType type, std::int64_t k) {
  std::int64_t const block = device.dma.packet_limit.value / (device.levels.rows_per_slice * element_bytes(type));
  return k % block == 0 ? block : k;
}

std::int64_t copies_of_b(const Device& device, ScalarType type, std::int64_t n) {
  std::int64_t const unit = columns_of_unit(device, type);
  if (n % unit == 0) return 1;
  return std::max<std::int64_t>(2, quotient_up(unit, n));
}

std::int64_t parts_at_once(const GemmTiling& tiling, std::int64_t left, bool last_tile) {
  return std::min(tiling.together, last_tile ? std::max<std::int64_t>(1, left / 2) : left);
}

std::int64_t rings_of(const Device& device, const GemmTiling& t) { return t.across_n / std::max(t.ring, neighbours_of(device, t)); }

std::int64_t neighbours_of(const Device& device, const GemmTiling& t) { return columns_of_unit(device, t.type) / t.columns; }

Expected<GemmTiling> tile_gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at,
                               std::int64_t batch) {
  if (std::min({m, n, k}) < 1 || m > most_rows || std::max(n, k) > longest)
    return refuse("kernel-gemm-size", at)
        .what("a product of ", m, " x ", k, " by ", k, " x ", n)
        .why("M is 1 to ", most_rows, ", N and K are 1 to ", longest)
        .help("cut the product into parts of at most ", most_rows, " rows and ", longest, " columns, and add up those along K");
  bool const known = type == ScalarType::bf16 || type == ScalarType::f8e4m3 || type == ScalarType::f8e5m2 || type == ScalarType::i8;
  if (!known)
    return refuse("kernel-gemm-type", at)
        .what("a product of ", type, " matrices")
        .why(
            "the Contraction Engine multiplies floating-point numbers of at most 16 bits and integers of at most 9; of these bf16, f8 and "
            "i8 lie in memory as they are")
        .help("convert the matrices to bf16, f8e4m3, f8e5m2 or i8");
  GemmTiling best;
  std::int64_t const there = copies_of_b(device, type, n) * n;
  for (std::int64_t unit = columns_of_unit(device, type), before = 0; rounded_up(n, unit) <= there; unit *= 2) {
    std::int64_t const width = rounded_up(n, unit);
    if (width == before) continue;
    before = width;
    consider(device, type, m, n, k, batch, width, best);
  }
  TCP_BUG_UNLESS(best.m > 0, "a tile of one row, part of K after part, fits into every DM");
  return best;
}

std::int64_t columns_at_once(const Device& device, const GemmTiling& tiling, std::int64_t n) {
  std::int64_t const most = tiling.columns * device.levels.slices_per_cluster * tiling.clusters_along_n(device);
  return std::min(most, power_of_two_up_to(n));
}

GemmTiling tile_of(const Device& device, const GemmTiling& whole, std::int64_t m, std::int64_t n) {
  GemmTiling t = whole;
  t.m = m;
  t.n = n;
  place_columns(device, t);
  return t;
}

std::string text_of(const GemmTiling& t) {
  auto const n = [](std::int64_t v) { return std::to_string(v); };
  auto const parts = [&](std::int64_t count) { return count == 1 ? std::string("part by part") : n(count) + " parts at once"; };
  std::string const split = t.split > 1 ? " x " + n(t.split) + " along K" : "";
  std::string const clusters = t.clusters_share_rows ? "clusters along N" : t.few_rows ? "one cluster" : "clusters along M";
  std::string const idle = t.idle > 1 ? ", one in " + n(t.idle) + " at work" : "";
  std::string const share = n(t.rows) + (t.rows == 1 ? " row" : " rows") +
                            (t.shares > 1 ? ", 1/" + n(t.shares) + (t.spreads_a ? " of K" : " of a part of K") : "");
  return "tiles of C: " + n(t.m) + " x " + n(t.n) + " of " + n(t.width) + " columns; K: " + n(t.parts) +
         (t.split > 1 ? " x " + n(t.split) : "") + " of at most " + n(t.k) + "\n" +                                         //
         "slices: " + n(t.across_m) + " along M x " + n(t.across_n) + " along N" + split + idle + "; " + clusters + "\n" +  //
         "columns of C in a slice: " + n(t.columns) + ", so a packet of A is used " + (t.reuse == 1 ? "once" : n(t.reuse) + " times") +
         "\n" + "A in a slice: " + share + (t.ring > 1 ? "; handed round rings of " + n(t.ring) : "") + "\n" +  //
         "loading: A " +
         (t.spreads_a ? "all at once, into every slice"
          : t.keeps_a ? "all at once"
                      : "part by part") +
         ", B " + parts(t.together) + ", " + n(t.ahead) + (t.ahead == 1 ? " transfer ahead\n" : " transfers ahead\n") +  //
         "DM of a slice: " + n(t.dm_bytes) + " bytes; half of its TRF: " + n(t.trf_bytes) + " bytes\n" +                 //
         "expected: about " + n(t.cycles) + " cycles\n";
}

}  // namespace tcp::kernels
