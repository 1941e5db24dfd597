#include "kernels/gemm/gemm.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

using dyn::map;

/// An axis that is only there if it has several steps.
Mapping axis_of(std::string_view name, std::int64_t size) { return size == 1 ? dyn::one : dyn::axis(name, size); }

/// One tile: its mappings, named by what they are for.
///
/// A tile counts by axes of its own, to which views of A, B and C are reshaped: I, J and L where M, N and K are the whole. Where the Switch Engine hands A
/// round, the slices that get copies must be counted by a whole axis; so J falls into clusters, rings, slices of a ring and columns of a slice.
struct Tile {
  Tile(const Device& device, const GemmTiling& t)
      : tiling(t), mg(t.rows_of_group()), neighbours(neighbours_of(device, t)), i(dyn::axis("I", t.m)) {
    Mapping const half = axis_of("Half", t.clusters_along_n(device));
    ranges = axis_of("Range", t.split);
    rows = i.pad(t.clusters_along_m(device) * t.across_m * mg);
    rings = axis_of("Ring", rings_of(device, t));
    beside = axis_of("Beside", t.across_n / t.ring / rings.size);
    in_ring = axis_of("InRing", t.ring);
    own = dyn::axis("Own", t.columns);
    j = map(half, rings, beside, in_ring, own);
    cluster = t.clusters_share_rows ? half : t.few_rows ? dyn::one.pad(device.levels.clusters_per_chip) : rows / (t.across_m * mg);
    group = rows / mg % t.across_m;
    idle = dyn::one.pad(t.idle);
    slice = map(ranges, group, rings, idle, beside, in_ring);
    mine = map(rows % t.rows, rows / t.rows % (t.ring / t.shares));
    done = (rows % mg).pad((mg + t.split * neighbours - 1) / (t.split * neighbours) * (t.split * neighbours));
    sums = map(t.split > 1 ? done : rows % mg, own);
  }
  /// A part of K, padded to whole packets.
  Mapping part(std::int64_t k, bool zeros) const {
    Mapping const l = dyn::axis("L", k);
    std::int64_t const padded = (k + tiling.packet - 1) / tiling.packet * tiling.packet;
    return zeros ? l.pad_zero(padded) : l.pad(padded);
  }
  /// Parts of K that are loaded together.
  Mapping parts(std::int64_t count) const { return axis_of("Part", count); }
  /// One part of K of those that were loaded together.
  dyn::Tensor one_of(const dyn::Tensor& all, std::int64_t count, std::int64_t which) const {
    return count == 1 ? all : all.tile(parts(count), 1, which);
  }

  GemmTiling tiling;
  std::int64_t mg, neighbours;
  Mapping i, j, rows, cluster, ranges, group, rings, idle, beside, in_ring, own, slice;
  Mapping mine;  // rows of A in the order in which a slice sees them
  Mapping sums;  // of a slice
  Mapping done;  // rows of C, of which each of the slices that divide K finishes some
};

/// Some steps of an axis; all of them need no view.
dyn::Tensor some_of(const dyn::Tensor& t, const Mapping& axis, std::int64_t length, std::int64_t start) {
  return length == axis.size ? t : t.tile(axis, length, start);
}

/// What rows of A are cut into shares of: a part of K, or all of it.
Mapping shared_out(const Tile& t, std::int64_t k, std::int64_t count) {
  return t.tiling.spreads_a ? map(t.parts(count), t.part(k, false)) : t.part(k, false);
}
/// A slice's share: some rows, or some of K of some rows.
dyn::Tensor load_a(Context& ctx, const Tile& t, const dyn::Tensor& a, std::int64_t k, std::int64_t count) {
  GemmTiling const& p = t.tiling;
  Mapping const all = shared_out(t, k, count), parts = p.spreads_a ? dyn::one : t.parts(count);
  std::int64_t const share = all.size / p.shares;
  Mapping const slice = map(t.ranges, t.group, t.rings, t.idle, t.beside, t.rows / p.rows % (p.ring / p.shares), all / share);
  return a.to_dm(ctx.tdma, t.cluster, slice, map(parts, t.rows % p.rows, all % share));
}
/// All of A into every slice: a transfer would read HBM again for every copy.
dyn::Tensor spread(Context& ctx, const Tile& t, const dyn::Tensor& a, std::int64_t k, std::int64_t count) {
  GemmTiling const& p = t.tiling;
  if (p.ring == 1) return a;
  Mapping const all = shared_out(t, k, count);
  std::int64_t const share = all.size / p.shares;
  return dyn::main(ctx)
      .begin(a)
      .fetch(p.type, map(t.rows % p.rows, all % share / p.flit), all % p.flit)
      .switch_to(SwitchConfig::Broadcast01{.slice1 = p.ring, .slice0 = 1, .time0 = share / p.flit}, t.slice, map(t.mine, all / p.flit))
      .collect(map(t.mine, all / p.flit), all % p.flit)
      .commit(map(t.parts(count), t.rows % t.mg, t.part(k, false)));
}
/// As it lies in HBM, column after column or block after block.
/// `number`: if there are several B's to choose from, that of the one.
dyn::Tensor load_b(Context& ctx, const Tile& t, const dyn::Tensor& b, const dyn::Tensor& number, std::int64_t k, std::int64_t count,
                   std::int64_t block) {
  Mapping const part = t.part(k, false);
  Mapping const own = block < k ? map(part / block, t.own, part % block) : map(t.own, part);
  Mapping const element = map(t.parts(count), own);
  return number ? b.gather_to_dm(ctx.tdma, "Of", number, t.cluster, t.slice, element) : b.to_dm(ctx.tdma, t.cluster, t.slice, element);
}
dyn::Tensor load_weights(Context& ctx, const Tile& t, const dyn::Tensor& b, std::int64_t k, TrfAddress half) {
  Mapping const row = t.own % 8, group = t.own / 8 % t.tiling.reuse, part = t.part(k, false);
  std::int64_t const flit = t.tiling.flit;
  return dyn::sub(ctx)
      .begin(b)
      .fetch(t.tiling.type, map(row, group, part / flit), part % flit)
      .collect(map(row, group, part / flit), part % flit)
      .to_trf(row, map(group, part), half);
}
/// The sums of one part of K, f32 or i32.
dyn::Stream multiplied(Context& ctx, const Tile& t, const dyn::Tensor& a, const dyn::Tensor& weights, std::int64_t k) {
  GemmTiling const& p = t.tiling;
  Mapping const part = t.part(k, true), group = t.own / 8 % p.reuse;
  bool const handed_round = p.ring > 1 && !p.spreads_a;
  std::int64_t const share = handed_round ? part.size / p.shares : part.size;
  Mapping const own_rows = handed_round ? t.rows % p.rows : t.rows % t.mg, rows = handed_round ? t.mine : own_rows;
  auto stream = dyn::main(ctx).begin(a).fetch(p.type, map(own_rows, part % share / p.packet), part % p.packet);
  if (handed_round)
    stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = p.ring, .slice0 = 1, .time0 = share / p.packet}, t.slice,
                                         map(rows, part / p.packet));
  return std::move(stream)
      .collect(map(rows, part / p.flit), part % p.flit)
      .align(weights, map(rows, part / p.packet, group), part % p.packet)
      .contract(dyn::one)
      .accumulate(AccumulationKind::Interleaved, map(rows, group), t.own % 8);
}
/// Adds the sums of two parts.
dyn::Stream added(Context& ctx, const Tile& t, const dyn::Tensor& sum, const dyn::Tensor& part) {
  static Mapping const both = dyn::axis("X", 2);
  Mapping const steps = map(t.rows % t.mg, t.own / 8 % t.tiling.reuse), eight = t.own % 8;
  auto groups = dyn::main(ctx)
                    .begin_interleaved("X", sum, part)
                    .fetch(wide_type(t.tiling.type), map(steps, both), eight)
                    .collect(map(steps, both), eight)
                    .vector_init()
                    .vector_intra_slice_unzip("X", map(steps, dyn::one.pad(2)), steps);
  if (is_integer(t.tiling.type)) return std::move(groups).vector_fxp_zip(FxpBinaryOp::AddFxp).vector_final();
  return std::move(groups)
      .vector_split(map(steps, t.own % 8 / 4), t.own % 4)
      .vector_fp_zip(FpBinaryOp::AddF)
      .vector_concat(steps, eight)
      .vector_final();
}
/// The sums of all ranges of K beside each other. Slices that divided K divide the rows now: by DMA, as a ring of the switch would have to go round all slices for
/// every row.
dyn::Tensor exchanged(Context& ctx, const Tile& t, const dyn::Tensor& sums) {
  std::int64_t const share = t.done.size / t.tiling.split;
  Mapping const slice = map(t.done / share, t.group, t.rings, t.idle, t.beside, t.in_ring);
  return sums.to_dm(ctx.tdma, t.cluster, slice, map(t.ranges, t.done % share, t.own));
}
dyn::Stream of_all_ranges(Context& ctx, const Tile& t, const dyn::Tensor& sums) {
  Mapping const rows = t.i.size == 1 ? dyn::one : t.done % (t.done.size / t.tiling.split);
  Mapping const steps = map(rows, t.own / 8 % t.tiling.reuse), eight = t.own % 8;
  bool const whole = is_integer(t.tiling.type);
  return dyn::main(ctx)
      .begin(sums)
      .fetch(wide_type(t.tiling.type), map(steps, t.ranges), eight)
      .collect(map(steps, t.ranges), eight)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split(map(steps, t.ranges, eight / 4), eight % 4)
      .vector_intra_slice_reduce("Range", whole ? ReduceOp::AddSat : ReduceOp::Add, map(steps, eight / 4), eight % 4)
      .vector_concat(steps, eight)
      .vector_final();
}
/// Hands columns round among neighbours, so that each has whole units of HBM of its share of the rows: to write less than a unit is dear.
dyn::Tensor in_rows(Context& ctx, const Tile& t, const dyn::Tensor& c) {
  if (t.neighbours == 1) return c;
  std::int64_t const each = t.done.size / t.tiling.split, share = each / t.neighbours, flit = c.type() == ScalarType::bf16 ? 16 : 8,
                     in_flit = std::min(t.own.size, flit);
  Mapping const rows = t.done % each, together = map(t.beside, t.in_ring), beside = together % t.neighbours;
  Mapping const slice = map(t.done / each, t.group, t.rings, t.idle, together / t.neighbours, rows / share);
  return dyn::main(ctx)
      .begin(c)
      .fetch(c.type(), rows, t.own)
      .switch_to(SwitchConfig::InterTranspose{.slice1 = t.neighbours, .slice0 = 1, .time0 = share}, slice, map(rows % share, beside))
      .collect(map(rows % share, beside, t.own / in_flit), (t.own % in_flit).pad(flit))
      .commit(map(rows % share, beside, t.own));
}
/// The finished sums: bf16 of f32, i32 as they are.
dyn::Tensor finished(Context& ctx, const Tile& t, dyn::Stream sums) {
  if (!is_integer(t.tiling.type)) sums = std::move(sums).cast(ScalarType::bf16, (t.own % 8).pad(16));
  return in_rows(ctx, t, std::move(sums).commit(map(t.done % (t.done.size / t.tiling.split), t.own)));
}

}  // namespace

Gemm::Gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at)
    : device_(device),
      tiling_(value_or_throw(tile_gemm(device, type, m, n, k, at))),
      m_(dyn::axis("M", m)),
      n_(dyn::axis("N", n)),
      k_(dyn::axis("K", k)) {}

Verdict check_batch(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, Where at) {
  if (batch >= 1 && batch <= largest_batch) return accept();
  return refuse("kernel-gemm-batch", at)
      .what("a batch of ", batch, " products of ", m, " x ", k, " by ", k, " x ", n)
      .why("each product is commands of its own; a program of more than ", largest_batch, " is no longer looked through by anybody")
      .help("give a batch 1 to ", largest_batch, " products; with one B for all of them, write one product with more rows");
}
Gemm Gemm::batched(const Device& device, ScalarType type, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, Where at) {
  throw_if_refused(check_batch(batch, m, n, k, at));
  Gemm made(device, type, m, n, k, at);
  made.batch_ = axis_of("G", batch);
  made.tiling_ = value_or_throw(tile_gemm(device, type, m, n, k, at, batch));
  return made;
}

Mapping Gemm::b_layout_of(const Mapping& of, const Mapping& columns) const {
  if (in_blocks()) return map(of, k_ / block(), columns, k_ % block());
  return map(of, columns, k_.pad(padded_k()));
}
Mapping Gemm::b_layout() const { return b_layout_of(batch_, map(axis_of("Copy", copies_of_b(device_, type(), n_.size)), n_)); }
Mapping Gemm::table_layout(std::int64_t count) const {
  return b_layout_of(axis_of("Of", count), map(axis_of("Copy", copies_of_b(device_, type(), n_.size)), n_));
}

Work Gemm::work() const {
  std::int64_t const element = scalar_info(type()).packet_bits / 8, of_c = scalar_info(c_type()).packet_bits / 8;
  Work w;
  w.type = type();
  w.multiply_adds = batch_.size * m_.size * n_.size * k_.size;
  w.hbm_bytes = batch_.size * ((m_.size + n_.size) * k_.size * element + m_.size * n_.size * of_c);
  w.dm_bytes = w.hbm_bytes;
  return w;
}

GemmTiling Gemm::tile_at(std::int64_t column) const {
  std::int64_t first = 0, n = columns_at_once(device_, tiling_, tiling_.width);
  while (first + n <= std::min(column, tiling_.width - 1)) {
    first += n;
    n = columns_at_once(device_, tiling_, tiling_.width - first);
  }
  return tile_of(device_, tiling_, tiling_.m, n);
}

std::vector<Gemm::Parts> Gemm::parts_of_tile(const GemmTiling& tile, bool last) const {
  std::vector<Parts> all;
  std::int64_t const whole = tile.range() / tile.k, rest = tile.range() % tile.k;
  for (std::int64_t first = 0, count = 0; first < whole; first += count) {
    count = parts_at_once(tile, whole - first, last);
    all.push_back({first, count, tile.k});
  }
  if (rest > 0) all.push_back({whole, 1, rest});
  return all;
}
void Gemm::add_steps(std::int64_t product, std::vector<Step>& all) const {
  bool const last_product = product + 1 == batch_.size;
  for (std::int64_t n0 = 0, n = 0; n0 < tiling_.width; n0 += n) {
    n = columns_at_once(device_, tiling_, tiling_.width - n0);
    GemmTiling const tile = tile_of(device_, tiling_, tiling_.m, n);
    for (std::int64_t m0 = 0; m0 < m_.size; m0 += tiling_.m) {
      bool const last_tile = last_product && n0 + n == tiling_.width && m0 + tiling_.m >= m_.size;
      for (const Parts& parts : parts_of_tile(tile, last_tile))
        all.push_back({{product, m0, n0, std::min(tiling_.m, m_.size - m0), n}, parts, false});
      all.back().last = true;
    }
  }
}
std::vector<Gemm::Step> Gemm::steps() const {
  std::vector<Step> all;
  for (std::int64_t product = 0; product < batch_.size; ++product) add_steps(product, all);
  return all;
}

/// The kernel while it is recorded: what lies where.
struct GemmRun {
  const Gemm& gemm;
  Context& ctx;
  dyn::Tensor a, b, c;
  Mapping columns_of_b, columns_of_c;  // copies and padding included
  Mapping matrices{};                  // counts the B's among which `choice` has one for each product
  dyn::Tensor choice{};

  /// What a step multiplies, in DM.
  struct Loaded {
    dyn::Tensor a, b;
  };
  std::array<std::int64_t, 3> a_is_for{-1, -1, -1};  // the tiles for which A lies in DM: product, first row, width
  dyn::Tensor a_parts{}, a_rest{};
  std::array<std::int64_t, 3> a_is_everywhere_for{-1, -1, -1};
  dyn::Tensor a_everywhere{};
  dyn::Tensor sum{};  // of the parts so far
  /// A tile whose slices have summed up their ranges of K. What is left to do with it waits for transfers, which would wait for it if they were queued at once.
  struct Summed {
    Tile tile;
    Gemm::Place at;
    dyn::Tensor sums;
  };
  std::optional<Summed> summed{}, beside{};  // before and behind the exchange
  bool first_half = false;

  dyn::Tensor product_of(const dyn::Tensor& all, const Gemm::Place& at) const { return some_of(all, gemm.batch_, 1, at.product); }
  /// Room that the other products take.
  Mapping others() const { return dyn::one.pad(gemm.batch_.size); }
  Tile tile(const Gemm::Place& at) const { return Tile(gemm.device_, tile_of(gemm.device_, gemm.tiling_, at.m, at.n)); }

  /// K as a tile counts it: what each slice sees of it.
  Mapping range(const Tile& t) const { return dyn::axis("Kr", t.tiling.range()); }
  Mapping padded(const Tile& t, const Mapping& of_range) const { return t.tiling.split > 1 ? of_range : of_range.pad(gemm.padded_k()); }

  dyn::Tensor a_part(const Tile& t, const Gemm::Place& at, const Gemm::Parts& p) {
    Mapping const kr = range(t), l = map(t.parts(p.count), dyn::axis("L", p.k));
    dyn::Tensor const rows = some_of(product_of(a.reshape(map(gemm.batch_, gemm.m_, t.ranges, padded(t, kr))), at), gemm.m_, at.m, at.m0);
    dyn::Tensor const taken = some_of(rows, kr, l.size, p.first * t.tiling.k);
    return load_a(ctx, t, taken.reshape(map(others(), t.i.pad(gemm.m_.size), t.ranges, padded(t, l.pad(kr.size)))), p.k, p.count);
  }
  dyn::Tensor b_part(const Tile& t, const Gemm::Place& at, const Gemm::Parts& p) {
    Mapping const front = choice ? matrices : gemm.batch_, one_of_front = choice ? matrices : others();
    Mapping const kr = range(t), j = t.j.pad(columns_of_b.size), parts = t.parts(p.count), l = dyn::axis("L", p.k);
    dyn::Tensor const number = choice ? product_of(choice, at).reshape(others()) : choice;
    bool const whole = at.n == columns_of_b.size && p.count * p.k == kr.size && (choice || gemm.batch_.size == 1);
    auto const some = [&](const Mapping& layout) {
      if (whole) return b;
      dyn::Tensor const all = b.reshape(map(front, layout));
      return some_of(choice ? all : product_of(all, at), columns_of_b, at.n, at.n0);
    };
    if (!gemm.in_blocks()) {
      dyn::Tensor const taken = some_of(some(map(columns_of_b, padded(t, kr))), kr, p.count * p.k, p.first * t.tiling.k);
      return load_b(ctx, t, taken.reshape(map(one_of_front, j, padded(t, map(parts, l)))), number, p.k, p.count, p.k);
    }
    std::int64_t const block = gemm.block(), blocks = p.count * p.k / block;
    dyn::Tensor const taken =
        some_of(some(map(t.ranges, kr / block, columns_of_b, kr % block)), kr / block, blocks, p.first * t.tiling.k / block);
    Mapping const all = map(parts, l / block).pad(kr.size / block);
    return load_b(ctx, t, taken.reshape(map(one_of_front, t.ranges, all, j, l % block)), number, p.k, p.count, block);
  }
  static std::array<std::int64_t, 3> tiles_like(const Gemm::Place& at) { return {at.product, at.m0, at.n}; }
  /// All of A, if it stays.
  void keep_a(const Tile& t, const Gemm::Place& at) {
    std::int64_t const whole = t.tiling.range() / t.tiling.k, rest = t.tiling.range() % t.tiling.k;
    if (a_is_for == tiles_like(at)) return;
    a_is_for = tiles_like(at);
    a_parts = a_rest = {};
    if (whole > 0) a_parts = a_part(t, at, {0, whole, t.tiling.k});
    if (rest > 0) a_rest = a_part(t, at, {whole, 1, rest});
  }
  /// Not before it is needed: main does one thing after the other, and would wait for the transfer.
  void spread_a(const Tile& t, const Gemm::Place& at, const dyn::Tensor& shares) {
    if (a_is_everywhere_for == tiles_like(at)) return;
    a_is_everywhere_for = tiles_like(at);
    a_everywhere = {};
    a_everywhere = spread(ctx, t, shares, t.tiling.k, t.tiling.parts);
  }
  Loaded load(const Gemm::Step& s) {
    Tile const t = tile(s.at);
    Loaded made;
    made.b = b_part(t, s.at, s.parts);  // first, as it has to go through the sub context as well
    if (gemm.tiling_.keeps_a) {
      keep_a(t, s.at);
      made.a = s.parts.k == t.tiling.k ? a_parts : a_rest;
    } else {
      made.a = a_part(t, s.at, s.parts);
    }
    return made;
  }
  /// Of a part that a transfer brought.
  dyn::Tensor a_of(const Tile& t, const Loaded& now, const Gemm::Parts& p, std::int64_t which) const {
    if (!t.tiling.keeps_a || p.k != t.tiling.k) return now.a;
    return t.one_of(t.tiling.spreads_a ? a_everywhere : now.a, t.tiling.range() / t.tiling.k, p.first + which);
  }

  void run() {
    auto const all = gemm.steps();
    auto const ahead = static_cast<std::size_t>(gemm.tiling_.ahead);
    std::deque<Loaded> loaded;
    for (std::size_t at = 0; at < std::min(ahead, all.size()); ++at) loaded.push_back(load(all[at]));
    for (std::size_t at = 0; at < all.size(); ++at) {
      Tile const t = tile(all[at].at);
      Loaded const now = std::move(loaded.front());
      loaded.pop_front();
      if (gemm.tiling_.spreads_a) spread_a(t, all[at].at, now.a);
      for (std::int64_t which = 0; which < all[at].parts.count; ++which) {
        auto const weights = weights_of(t, now, all[at].parts, which);
        if (which == 0 && at + ahead < all.size()) loaded.push_back(load(all[at + ahead]));  // queued ahead of what this step stores
        if (which == 0) carry_on();
        add_part(t, all[at], now, weights, which);
      }
    }
    carry_on();
    carry_on();
  }
  /// Of tiles whose slices divide K, one exchanges its sums and the one before it is finished.
  void carry_on() {
    auto const done = std::exchange(beside, std::exchange(summed, {}));
    if (beside) beside->sums = exchanged(ctx, beside->tile, beside->sums);
    if (done) store(done->tile, done->at, finished(ctx, done->tile, of_all_ranges(ctx, done->tile, done->sums)));
  }
  dyn::Tensor weights_of(const Tile& t, const Loaded& now, const Gemm::Parts& p, std::int64_t which) {
    first_half = !first_half;
    return load_weights(ctx, t, t.one_of(now.b, p.count, which), p.k, first_half ? TrfAddress::FirstHalf : TrfAddress::SecondHalf);
  }
  /// Multiplies one part of K, and adds it to those before it.
  void add_part(const Tile& t, const Gemm::Step& s, const Loaded& now, const dyn::Tensor& weights, std::int64_t which) {
    auto sums = multiplied(ctx, t, a_of(t, now, s.parts, which), weights, s.parts.k);
    std::int64_t const number = s.parts.first + which;
    if (number > 0) {
      auto const part = std::move(sums).commit(t.sums, sums_at(t, 1));
      sums = added(ctx, t, sum, part);
    }
    sum = {};
    if (!s.last || which + 1 < s.parts.count) sum = std::move(sums).commit(t.sums, sums_at(t, number % 2 == 0 ? 0 : 2));
    else if (t.tiling.split > 1) summed.emplace(t, s.at, std::move(sums).commit(t.sums));
    else store(t, s.at, finished(ctx, t, std::move(sums)));
  }
  /// Sums lie one behind the other at the end of DM: a pass that reads two of them is taken to read what lies in between, and must not wait for that.
  Address sums_at(const Tile& t, std::int64_t place) const {
    std::int64_t const bytes = t.sums.size * 4;
    return gemm.device_.dm.slice_capacity.value - (3 - place) * bytes;
  }
  void store(const Tile& t, const Gemm::Place& at, const dyn::Tensor& done) {
    Mapping const i = t.i.pad(gemm.m_.size), j = t.j.pad(columns_of_c.size);
    dyn::dma(ctx.tdma, done,
             some_of(some_of(product_of(c, at), gemm.m_, at.m, at.m0), columns_of_c, at.n, at.n0).reshape(map(others(), i, j)));
  }
};

dyn::Tensor Gemm::operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const { return product(ctx, a, b, batch_, {}); }
dyn::Tensor Gemm::chosen(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& table, const dyn::Tensor& which) const {
  std::int64_t const count = table.levels()[Level::element].size / table_layout(1).size;
  return product(ctx, a, table, axis_of("Of", count), which.reshape(batch_));
}
dyn::Tensor Gemm::product(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b, const Mapping& matrices,
                          const dyn::Tensor& which) const {
  bool const whole = tiling_.width == n_.size;
  Mapping const of_b = dyn::axis("Nb", copies_of_b(device_, type(), n_.size) * n_.size), of_c = dyn::axis("Nc", tiling_.width);
  dyn::Tensor const c = dyn::Tensor::hbm(ctx, c_type(), a.levels()[Level::chip], whole ? c_layout() : map(batch_, m_, of_c));
  GemmRun{*this, ctx, a, b, c.reshape(map(batch_, m_, of_c)), of_b, of_c, matrices, which}.run();
  if (whole) return c;
  Mapping const padded = map(batch_, m_, n_.pad(tiling_.width));
  return c.tile(of_c, n_.size, 0).reshape(padded).to_hbm(ctx.tdma, c_layout());
}

}  // namespace tcp::kernels
