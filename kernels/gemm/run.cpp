// The order of commands. For each step (one transfer of B):
//
//   DMA     loads B, and A if it is not there, for a step `ahead` of the one that is computed
//   sub     fills one half of the TRF with a part of B
//   main    multiplies a part of A with the other half, and adds the sums to those of the parts before
//
// A tile whose slices divide K has two more things to do after its last part: its sums are exchanged (DMA) and added up
// (main). Commands of one context run in the order in which they were recorded, so each of the two is recorded a step
// later than it could be: otherwise it would wait for a transfer, and the next multiplication would wait for it.
#include "kernels/gemm/run.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "kernels/gemm/tile.hpp"
#include "kernels/parts/views.hpp"

namespace tcp::kernels::gemm {
namespace {

using dyn::map;

/// The views of A, B and C that a tile loads and stores, under the tile's own axes.
class Views {
 public:
  Views(const Device& device, const Gemm& gemm, const Operands& operands) : device_(device), gemm_(gemm), o_(operands) {}

  dyn::Tensor load_a(Context& ctx, const Tile& t, const Place& at, const PartsOfK& p) const {
    Mapping const kr = range(t), l = map(t.parts(p.count), dyn::axis("L", p.k)), m = gemm_.m();
    dyn::Tensor const rows = some_of(product_of(o_.a.reshape(map(gemm_.batch(), m, t.ranges, padded(t, kr))), at), m, at.m, at.m0);
    dyn::Tensor const taken = some_of(rows, kr, l.size, p.first * t.tiling.k);
    return gemm::load_a(ctx, t, taken.reshape(map(others(), t.i.pad(m.size), t.ranges, padded(t, l.pad(kr.size)))), p.k, p.count);
  }
  dyn::Tensor load_b(Context& ctx, const Tile& t, const Place& at, const PartsOfK& p) const {
    Mapping const front = o_.choice ? o_.matrices : gemm_.batch(), one_of_front = o_.choice ? o_.matrices : others();
    Mapping const kr = range(t), j = t.j.pad(o_.columns_of_b.size), parts = t.parts(p.count), l = dyn::axis("L", p.k);
    dyn::Tensor const number = o_.choice ? product_of(o_.choice, at).reshape(others()) : o_.choice;
    bool const whole = at.n == o_.columns_of_b.size && p.count * p.k == kr.size && (o_.choice || gemm_.batch().size == 1);
    auto const columns_of = [&](const Mapping& layout) {
      if (whole) return o_.b;
      dyn::Tensor const all = o_.b.reshape(map(front, layout));
      return some_of(o_.choice ? all : product_of(all, at), o_.columns_of_b, at.n, at.n0);
    };
    std::int64_t const block = block_of_k(device_, gemm_.type(), gemm_.k().size);
    if (block == gemm_.k().size) {
      dyn::Tensor const taken = some_of(columns_of(map(o_.columns_of_b, padded(t, kr))), kr, p.count * p.k, p.first * t.tiling.k);
      return gemm::load_b(ctx, t, taken.reshape(map(one_of_front, j, padded(t, map(parts, l)))), number, p.k, p.count, p.k);
    }
    Mapping const blocks = kr / block;
    dyn::Tensor const taken = some_of(columns_of(map(t.ranges, blocks, o_.columns_of_b, kr % block)), blocks, p.count * p.k / block,
                                      p.first * t.tiling.k / block);
    Mapping const taken_blocks = map(parts, l / block).pad(blocks.size);
    return gemm::load_b(ctx, t, taken.reshape(map(one_of_front, t.ranges, taken_blocks, j, l % block)), number, p.k, p.count, block);
  }
  void store(Context& ctx, const Tile& t, const Place& at, const dyn::Tensor& done) const {
    Mapping const i = t.i.pad(gemm_.m().size), j = t.j.pad(o_.columns_of_c.size);
    dyn::Tensor const rows = some_of(product_of(o_.c, at), gemm_.m(), at.m, at.m0);
    dyn::dma(ctx.tdma, done, some_of(rows, o_.columns_of_c, at.n, at.n0).reshape(map(others(), i, j)));
  }

 private:
  dyn::Tensor product_of(const dyn::Tensor& all, const Place& at) const { return some_of(all, gemm_.batch(), 1, at.product); }
  /// Room that the other products take.
  Mapping others() const { return dyn::one.pad(gemm_.batch().size); }
  /// K as a tile counts it: what each slice sees of it. Ranges divide K into whole blocks; without them, rows end with
  /// padding.
  Mapping range(const Tile& t) const { return dyn::axis("Kr", t.tiling.range()); }
  Mapping padded(const Tile& t, const Mapping& of_range) const {
    return t.tiling.split > 1 ? of_range : of_range.pad(padded_columns(device_, gemm_.type(), gemm_.k().size));
  }

  const Device& device_;
  const Gemm& gemm_;
  const Operands& o_;
};

/// The tiles that can use the same A: those of one product and the same rows, if they are equally wide and so divide it
/// in the same way.
struct SameRows {
  std::int64_t product, m0, n;

  explicit SameRows(const Place& at) : product(at.product), m0(at.m0), n(at.n) {}
  bool operator==(const SameRows&) const = default;
};

/// The rows of A that the strategies keep in DM. Tensors are dropped before their successors are made: DM has no room
/// for both.
class RowsInDm {
 public:
  RowsInDm(Context& ctx, const Views& views, GemmStrategy strategy) : ctx_(ctx), views_(views), strategy_(strategy) {}

  /// What a step multiplies with, from HBM, unless it is there already.
  dyn::Tensor load(const Tile& t, const Step& s) {
    if (!keeps_a(strategy_)) return views_.load_a(ctx_, t, s.at, s.parts);
    if (!shares_of_ || *shares_of_ != SameRows(s.at)) load_all(t, s.at);
    return s.parts.k == t.tiling.k ? parts_ : rest_;
  }
  /// Passes the shares around, not before they are needed: main does one thing after the other, and would wait for the
  /// transfer.
  void spread(const Tile& t, const Place& at, const dyn::Tensor& shares) {
    if (!spreads_a(strategy_) || (spread_of_ && *spread_of_ == SameRows(at))) return;
    spread_of_ = SameRows(at);
    everywhere_ = {};
    everywhere_ = gemm::spread(ctx_, t, shares, t.tiling.k, t.tiling.parts);
  }
  /// One part of K; `loaded` is what `load` gave for the step.
  dyn::Tensor part(const Tile& t, const dyn::Tensor& loaded, const PartsOfK& p, std::int64_t which) const {
    if (!keeps_a(strategy_) || p.k != t.tiling.k) return loaded;
    return t.one_of(spreads_a(strategy_) ? everywhere_ : loaded, t.tiling.range() / t.tiling.k, p.first + which);
  }

 private:
  void load_all(const Tile& t, const Place& at) {
    std::int64_t const whole = t.tiling.range() / t.tiling.k, rest = t.tiling.range() % t.tiling.k;
    shares_of_ = SameRows(at);
    parts_ = rest_ = {};
    if (whole > 0) parts_ = views_.load_a(ctx_, t, at, {0, whole, t.tiling.k});
    if (rest > 0) rest_ = views_.load_a(ctx_, t, at, {whole, 1, rest});
  }

  Context& ctx_;
  const Views& views_;
  GemmStrategy strategy_;
  std::optional<SameRows> shares_of_, spread_of_;
  dyn::Tensor parts_{}, rest_{}, everywhere_{};
};

class GemmRun {
 public:
  GemmRun(Context& ctx, const Device& device, const Gemm& gemm, const Operands& operands)
      : ctx_(ctx),
        device_(device),
        tiling_(gemm.tiling()),
        steps_(steps_of(device, tiling_, gemm.batch().size, gemm.m().size)),
        views_(device, gemm, operands),
        rows_(ctx, views_, tiling_.strategy) {}

  void record() {
    auto const ahead = static_cast<std::size_t>(tiling_.ahead);
    std::deque<Loaded> loaded;
    for (std::size_t at = 0; at < std::min(ahead, steps_.size()); ++at) loaded.push_back(load(steps_[at]));
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      Step const& s = steps_[at];
      Tile const t = tile(s.at);
      Loaded const now = std::move(loaded.front());
      loaded.pop_front();
      rows_.spread(t, s.at, now.a);
      for (std::int64_t which = 0; which < s.parts.count; ++which) {
        auto const weights = load_next_weights(t, now, s.parts, which);
        if (which == 0) {
          // Queued before what this step stores.
          if (at + ahead < steps_.size()) loaded.push_back(load(steps_[at + ahead]));
          finish_earlier_tiles();
        }
        add_part(t, s, now, weights, which);
      }
    }
    finish_earlier_tiles();
    finish_earlier_tiles();
  }

 private:
  /// What a step multiplies, in DM.
  struct Loaded {
    dyn::Tensor a, b;
  };
  /// A tile whose slices have summed up their ranges of K.
  struct Pending {
    Tile tile;
    Place at;
    dyn::Tensor sums;
  };

  Tile tile(const Place& at) const { return Tile(device_, tile_of(device_, tiling_, at.m, at.n)); }
  /// B first, as it has to go through the sub context as well.
  Loaded load(const Step& s) {
    Tile const t = tile(s.at);
    Loaded made;
    made.b = views_.load_b(ctx_, t, s.at, s.parts);
    made.a = rows_.load(t, s);
    return made;
  }
  /// The halves of the TRF take turns.
  dyn::Tensor load_next_weights(const Tile& t, const Loaded& now, const PartsOfK& p, std::int64_t which) {
    half_ = half_ == TrfAddress::FirstHalf ? TrfAddress::SecondHalf : TrfAddress::FirstHalf;
    return load_weights(ctx_, t, t.one_of(now.b, p.count, which), p.k, half_);
  }
  /// Multiplies one part of K, and adds it to those before it.
  void add_part(const Tile& t, const Step& s, const Loaded& now, const dyn::Tensor& weights, std::int64_t which) {
    auto sums = multiplied(ctx_, t, rows_.part(t, now.a, s.parts, which), weights, s.parts.k);
    std::int64_t const number = s.parts.first + which;
    if (number > 0) {
      auto const part = std::move(sums).commit(t.sums, sums_at(t, 1));
      sums = added_part(ctx_, t, sum_, part);
    }
    sum_ = {};
    bool const last = s.last && which + 1 == s.parts.count;
    if (!last) sum_ = std::move(sums).commit(t.sums, sums_at(t, number % 2 == 0 ? 0 : 2));
    else if (t.tiling.split > 1) summed_.emplace(t, s.at, std::move(sums).commit(t.sums));
    else views_.store(ctx_, t, s.at, finished(ctx_, t, std::move(sums)));
  }
  /// Where slices divide K: the last tile exchanges its sums, and the one before it, whose exchange has had time, adds
  /// them up and is stored.
  void finish_earlier_tiles() {
    auto const done = std::exchange(exchanged_, std::exchange(summed_, {}));
    if (exchanged_) exchanged_->sums = exchanged(ctx_, exchanged_->tile, exchanged_->sums);
    if (done) views_.store(ctx_, done->tile, done->at, finished(ctx_, done->tile, sum_of_ranges(ctx_, done->tile, done->sums)));
  }
  /// Three places for sums at the end of DM, of which the two that are added are neighbours: a pass that reads two
  /// tensors is taken to read all that is between them, and must not wait for that.
  Address sums_at(const Tile& t, std::int64_t place) const {
    std::int64_t const bytes = t.sums.size * scalar_info(wide_type(t.tiling.type)).packet_bits / 8;
    return device_.dm.slice_capacity.value - (3 - place) * bytes;
  }

  Context& ctx_;
  const Device& device_;
  const GemmTiling& tiling_;
  std::vector<Step> steps_;
  Views views_;
  RowsInDm rows_;
  TrfAddress half_ = TrfAddress::SecondHalf;       // that was filled last
  dyn::Tensor sum_{};                              // of the parts so far
  std::optional<Pending> summed_{}, exchanged_{};  // the last tile, and the one before it
};

}  // namespace

void record(Context& ctx, const Device& device, const Gemm& gemm, const Operands& operands) {
  GemmRun(ctx, device, gemm, operands).record();
}

}  // namespace tcp::kernels::gemm

// Tiles of the same columns follow each other from the first row to the last, then come the next columns. So A that
// stays in DM serves all columns if M is one tile, which is also what the planner counts (cost.cpp).

namespace tcp::kernels::gemm {
namespace {

/// A slice's range of K in whole parts, several per transfer, and the rest as a shorter part of its own.
std::vector<PartsOfK> parts_of_tile(const GemmTiling& tile, bool last_tile) {
  std::vector<PartsOfK> all;
  std::int64_t const whole = tile.range() / tile.k, rest = tile.range() % tile.k;
  for (std::int64_t first = 0, count = 0; first < whole; first += count) {
    count = parts_at_once(tile, whole - first, last_tile);
    all.push_back({first, count, tile.k});
  }
  if (rest > 0) all.push_back({whole, 1, rest});
  return all;
}

void add_product(const Device& device, const GemmTiling& t, std::int64_t product, std::int64_t m, bool last_product,
                 std::vector<Step>& all) {
  for (std::int64_t n0 = 0, n = 0; n0 < t.width; n0 += n) {
    n = columns_at_once(device, t, t.width - n0);
    GemmTiling const tile = tile_of(device, t, t.m, n);
    for (std::int64_t m0 = 0; m0 < m; m0 += t.m) {
      bool const last_tile = last_product && n0 + n == t.width && m0 + t.m >= m;
      for (const PartsOfK& parts : parts_of_tile(tile, last_tile))
        all.push_back({{product, m0, n0, std::min(t.m, m - m0), n}, parts, false});
      all.back().last = true;
    }
  }
}

}  // namespace

std::vector<Step> steps_of(const Device& device, const GemmTiling& tiling, std::int64_t batch, std::int64_t m) {
  std::vector<Step> all;
  for (std::int64_t product = 0; product < batch; ++product) add_product(device, tiling, product, m, product + 1 == batch, all);
  return all;
}

}  // namespace tcp::kernels::gemm
