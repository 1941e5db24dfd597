#include "kernels/gemm/gemm.hpp"

#include <algorithm>
#include <vector>

#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

using dyn::map;

/// One tile: its mappings, named by what they are for.
///
/// A tile counts by axes of its own, to which views of A, B and C are reshaped: I, J and L where M, N and K are the whole. Where the Switch Engine hands rows
/// round, the slices that get copies must be counted by a whole axis; there J falls into clusters, rings, slices of a ring and columns of a slice.
struct Tile {
  explicit Tile(const GemmTiling& t) : tiling(t), mg(t.ring * t.rows), named(t.ring > 1), i(dyn::axis("I", t.m)) {
    rows = i.pad(t.across_m * mg);
    if (named) {
      Mapping const ring = dyn::axis("Ring", 2 * t.across_n / t.ring);
      cluster = ring / (t.across_n / t.ring);
      rings = ring % (t.across_n / t.ring);
      in_ring = dyn::axis("InRing", t.ring);
      own = dyn::axis("Own", t.columns);
      j = map(ring, in_ring, own);
    } else {
      j = dyn::axis("J", t.n);
      Mapping const columns = j.pad(2 * t.across_n * t.columns);
      cluster = columns / (t.across_n * t.columns);
      in_ring = columns / t.columns % t.across_n;
      own = columns % t.columns;
    }
    slice = map(rows / mg, rings, in_ring);
    mine = map(rows % t.rows, rows / t.rows % t.ring);
    sums = map(rows % mg, own);
  }
  /// A part of K, padded to whole packets.
  Mapping part(std::int64_t k, bool zeros) const {
    Mapping const l = dyn::axis("L", k);
    std::int64_t const padded = (k + tiling.packet - 1) / tiling.packet * tiling.packet;
    return zeros ? l.pad_zero(padded) : l.pad(padded);
  }

  GemmTiling tiling;
  std::int64_t mg;
  bool named;
  Mapping i, j, rows, cluster, rings{}, in_ring, own, slice;
  Mapping mine;  // rows of A in the order in which a slice sees them
  Mapping sums;  // of a slice
};

/// Some steps of an axis; all of them need no view.
dyn::Tensor some_of(const dyn::Tensor& t, const Mapping& axis, std::int64_t length, std::int64_t start) {
  return length == axis.size ? t : t.tile(axis, length, start);
}

dyn::Tensor load_a(Context& ctx, const Tile& t, const dyn::Tensor& a, std::int64_t k) {
  GemmTiling const& p = t.tiling;
  Mapping const slice = t.named ? map(t.rows / t.mg, t.rings, t.rows / p.rows % p.ring) : t.slice;
  return a.to_dm(ctx.tdma, t.cluster, slice, map(t.rows % p.rows, t.part(k, false)));
}
dyn::Tensor load_b(Context& ctx, const Tile& t, const dyn::Tensor& b, std::int64_t k) {
  return b.to_dm(ctx.tdma, t.cluster, t.slice, map(t.own, t.part(k, false)));
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
  auto stream = dyn::main(ctx).begin(a).fetch(p.type, map(t.rows % p.rows, part / p.packet), part % p.packet);
  if (t.named)
    stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = p.ring, .slice0 = 1, .time0 = part.size / p.packet}, t.slice,
                                         map(t.mine, part / p.packet));
  return std::move(stream)
      .collect(map(t.mine, part / p.flit), part % p.flit)
      .align(weights, map(t.mine, part / p.packet, group), part % p.packet)
      .contract(dyn::one)
      .accumulate(AccumulationKind::Interleaved, map(t.mine, group), t.own % 8);
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
/// Hands columns round among eight neighbours, so that each has whole rows of eight times as many: HBM is written in units of 256 bytes, and less is dear.
dyn::Tensor in_rows(Context& ctx, const Tile& t, const dyn::Tensor& c) {
  constexpr std::int64_t neighbours = 8;
  bool const possible = t.tiling.ring % neighbours == 0 && t.mg % neighbours == 0;
  if (!possible) return c;
  std::int64_t const share = t.mg / neighbours, flit = c.type() == ScalarType::bf16 ? 16 : 8, in_flit = std::min(t.own.size, flit);
  Mapping const beside = t.in_ring % neighbours, mine = t.rows % t.mg / share;
  Mapping const slice = map(t.rows / t.mg, t.rings, t.in_ring / neighbours, mine);
  return dyn::main(ctx)
      .begin(c)
      .fetch(c.type(), t.rows % t.mg, t.own)
      .switch_to(SwitchConfig::InterTranspose{.slice1 = neighbours, .slice0 = 1, .time0 = share}, slice, map(t.rows % share, beside))
      .collect(map(t.rows % share, beside, t.own / in_flit), (t.own % in_flit).pad(flit))
      .commit(map(t.rows % share, beside, t.own));
}
/// The finished sums: bf16 of f32, i32 as they are.
dyn::Tensor finished(const Tile& t, dyn::Stream sums) {
  if (is_integer(t.tiling.type)) return std::move(sums).commit(t.sums);
  return std::move(sums).cast(ScalarType::bf16, (t.own % 8).pad(16)).commit(t.sums);
}

/// What a step multiplies, in DM.
struct Loaded {
  dyn::Tensor a, b;
};

}  // namespace

Gemm::Gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at)
    : device_(device),
      tiling_(value_or_throw(tile_gemm(device, type, m, n, k, at))),
      m_(dyn::axis("M", m)),
      n_(dyn::axis("N", n)),
      k_(dyn::axis("K", k)) {}

std::int64_t Gemm::padded_k() const { return (k_.size + tiling_.packet - 1) / tiling_.packet * tiling_.packet; }
Mapping Gemm::layout_of(const Mapping& rows) const {
  if (in_parts()) return map(k_ / tiling_.k, rows, k_ % tiling_.k);
  return map(rows, k_.pad(padded_k()));
}
dyn::Tensor Gemm::part_of(const dyn::Tensor& all, const Mapping& axis, std::int64_t length, std::int64_t start, const Mapping& rows,
                          const Step& s) const {
  dyn::Tensor const some = some_of(all, axis, length, start);
  Mapping const l = dyn::axis("L", s.k);
  if (in_parts()) return some.tile(k_ / tiling_.k, 1, s.k0 / tiling_.k).reshape(map(dyn::one.pad(k_.size / tiling_.k), rows, l));
  return some_of(some, k_, s.k, s.k0).reshape(map(rows, l.pad(padded_k())));
}
std::int64_t Gemm::padded_n() const {
  std::int64_t const of_hbm = device_.hbm.access_bytes.value * 8 / scalar_info(c_type()).packet_bits;
  std::int64_t const unit = std::max(of_hbm, tiling_.ring * tiling_.columns);  // powers of two, and no tile has larger rings than the first
  return (n_.size + unit - 1) / unit * unit;
}

std::vector<Gemm::Step> Gemm::steps() const {
  std::vector<Step> all;
  GemmTiling const& t = tiling_;
  for (std::int64_t n0 = 0, n = 0; n0 < n_.size; n0 += n) {
    n = columns_at_once(device_, t, n_.size - n0);
    for (std::int64_t m0 = 0; m0 < m_.size; m0 += t.m)
      for (std::int64_t k0 = 0; k0 < k_.size; k0 += t.k)
        all.push_back({m0, n0, k0, std::min(t.m, m_.size - m0), n, std::min(t.k, k_.size - k0)});
  }
  return all;
}

dyn::Tensor Gemm::operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const {
  dyn::Tensor const c = dyn::Tensor::hbm(ctx, c_type(), dyn::one, c_layout());
  std::vector<Step> const all = steps();
  auto const load = [&](const Step& s) {
    Tile const t(tile_of(device_, tiling_, s.m, s.n));
    return Loaded{load_a(ctx, t, part_of(a, m_, s.m, s.m0, t.i.pad(m_.size), s), s.k),
                  load_b(ctx, t, part_of(b, n_, s.n, s.n0, t.j.pad(padded_n()), s), s.k)};
  };
  Loaded now, next = load(all.front());
  dyn::Tensor sum;
  for (std::size_t at = 0; at < all.size(); ++at) {
    Step const& s = all[at];
    Tile const t(tile_of(device_, tiling_, s.m, s.n));
    now = std::move(next);
    auto const weights = load_weights(ctx, t, now.b, s.k, at % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf);
    if (at + 1 < all.size()) next = load(all[at + 1]);  // queued ahead of what this step stores
    auto sums = multiplied(ctx, t, now.a, weights, s.k);
    if (s.k0 > 0) {
      auto const part = std::move(sums).commit(t.sums);
      sums = added(ctx, t, sum, part);
    }
    if (s.k0 + s.k < k_.size) {
      sum = std::move(sums).commit(t.sums);
      continue;
    }
    sum = {};
    auto const done = in_rows(ctx, t, finished(t, std::move(sums)));
    Mapping const i = t.i.pad(m_.size), j = t.j.pad(padded_n());
    dyn::dma(ctx.tdma, done, some_of(some_of(c, m_, s.m, s.m0), n_, s.n, s.n0).reshape(map(i, j)));
  }
  return c;
}

}  // namespace tcp::kernels
