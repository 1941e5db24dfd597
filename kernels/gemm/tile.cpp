// The mappings and passes of one tile.
#include "kernels/gemm/tile.hpp"

#include <algorithm>
#include <utility>

#include "kernels/parts/counts.hpp"
#include "kernels/parts/sums.hpp"
#include "kernels/parts/views.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels::gemm {

using dyn::map;

Tile::Tile(const Device& chip, const GemmTiling& t)
    : device(&chip), tiling(t), rows_of_group(t.rows_of_group()), neighbours(neighbours_of(chip, t)), i(dyn::axis("I", t.m)) {
  Mapping const half = axis_of("Half", t.clusters_along_n(chip));
  ranges = axis_of("Range", t.split);
  rows = i.pad(t.clusters_along_m(chip) * t.across_m * rows_of_group);
  rings = axis_of("Ring", rings_of(chip, t));
  beside = axis_of("Beside", t.across_n / t.ring / rings.size);
  in_ring = axis_of("InRing", t.ring);
  own = dyn::axis("Own", t.columns);
  by_row = own % chip.levels.rows_per_slice;
  groups = own / chip.levels.rows_per_slice % t.reuse;
  j = map(half, rings, beside, in_ring, own);
  switch (t.clusters) {
    case GemmClusters::along_m: cluster = rows / (t.across_m * rows_of_group); break;
    case GemmClusters::along_n: cluster = half; break;
    case GemmClusters::one: cluster = dyn::one.pad(chip.levels.clusters_per_chip); break;
  }
  group = rows / rows_of_group % t.across_m;
  idle = dyn::one.pad(t.idle);
  slice = map(ranges, group, rings, idle, beside, in_ring);
  mine = map(rows % t.rows, rows / t.rows % (t.ring / t.shares));
  done = (rows % rows_of_group).pad(round_up(rows_of_group, t.split * neighbours));
  sums = map(t.split > 1 ? done : rows % rows_of_group, own);
}

Mapping Tile::part(std::int64_t k, bool zeros) const {
  Mapping const l = dyn::axis("L", k);
  std::int64_t const padded = round_up(k, tiling.packet);
  return zeros ? l.pad_zero(padded) : l.pad(padded);
}
Mapping Tile::parts(std::int64_t count) const { return axis_of("Part", count); }
dyn::Tensor Tile::one_of(const dyn::Tensor& all, std::int64_t count, std::int64_t which) const {
  return count == 1 ? all : all.tile(parts(count), 1, which);
}

namespace {

/// What rows of A are cut into shares of: a part of K, or all of it.
Mapping shared_out(const Tile& t, std::int64_t k, std::int64_t count) {
  return spreads_a(t.tiling.strategy) ? map(t.parts(count), t.part(k, false)) : t.part(k, false);
}

/// Passes columns around among neighbours, so that each has whole units of HBM of its share of the rows: to write less
/// than a unit is slow.
dyn::Tensor in_rows(Context& ctx, const Tile& t, const dyn::Tensor& c) {
  if (t.neighbours == 1) return c;
  std::int64_t const each = t.done.size / t.tiling.split, share = each / t.neighbours;
  std::int64_t const flit = elements_of_flit(*t.device, c.type()), in_flit = std::min(t.own.size, flit);
  Mapping const rows = t.done % each, together = map(t.beside, t.in_ring), beside = together % t.neighbours;
  Mapping const slice = map(t.done / each, t.group, t.rings, t.idle, together / t.neighbours, rows / share);
  return dyn::main(ctx)
      .begin(c)
      .fetch(c.type(), map(rows % share, rows / share), t.own)
      .switch_to(SwitchConfig::InterTranspose{.slice1 = t.neighbours, .slice0 = 1, .time0 = 1}, slice, map(rows % share, beside))
      .collect(map(rows % share, beside, t.own / in_flit), (t.own % in_flit).pad(flit))
      .commit(map(rows % share, beside, t.own));
}

}  // namespace

dyn::Tensor load_a(Context& ctx, const Tile& t, const dyn::Tensor& a, std::int64_t k, std::int64_t count) {
  GemmTiling const& p = t.tiling;
  Mapping const all = shared_out(t, k, count), parts = spreads_a(p.strategy) ? dyn::one : t.parts(count);
  std::int64_t const share = all.size / p.shares;
  Mapping const slice = map(t.ranges, t.group, t.rings, t.idle, t.beside, t.rows / p.rows % (p.ring / p.shares), all / share);
  return a.to_dm(ctx.tdma, t.cluster, slice, map(parts, t.rows % p.rows, all % share));
}
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
      .commit(map(t.parts(count), t.rows % t.rows_of_group, t.part(k, false)));
}
dyn::Tensor load_b(Context& ctx, const Tile& t, const dyn::Tensor& b, const dyn::Tensor& number, std::int64_t k, std::int64_t count,
                   std::int64_t block) {
  Mapping const part = t.part(k, false);
  Mapping const own = block < k ? map(part / block, t.own, part % block) : map(t.own, part);
  Mapping const element = map(t.parts(count), own);
  return number ? b.gather_to_dm(ctx.tdma, "Of", number, t.cluster, t.slice, element) : b.to_dm(ctx.tdma, t.cluster, t.slice, element);
}
dyn::Tensor load_weights(Context& ctx, const Tile& t, const dyn::Tensor& b, std::int64_t k, TrfAddress half) {
  Mapping const part = t.part(k, false);
  std::int64_t const flit = t.tiling.flit;
  return dyn::sub(ctx)
      .begin(b)
      .fetch(t.tiling.type, map(t.by_row, t.groups, part / flit), part % flit)
      .collect(map(t.by_row, t.groups, part / flit), part % flit)
      .to_trf(t.by_row, map(t.groups, part), half);
}

dyn::Stream multiplied(Context& ctx, const Tile& t, const dyn::Tensor& a, const dyn::Tensor& weights, std::int64_t k) {
  GemmTiling const& p = t.tiling;
  Mapping const part = t.part(k, true);
  bool const handed_round = p.ring > 1 && !spreads_a(p.strategy);
  std::int64_t const share = handed_round ? part.size / p.shares : part.size;
  Mapping const own_rows = handed_round ? t.rows % p.rows : t.rows % t.rows_of_group, rows = handed_round ? t.mine : own_rows;
  auto stream = dyn::main(ctx).begin(a).fetch(p.type, map(own_rows, part % share / p.packet), part % p.packet);
  if (handed_round)
    stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = p.ring, .slice0 = 1, .time0 = share / p.packet}, t.slice,
                                         map(rows, part / p.packet));
  return std::move(stream)
      .collect(map(rows, part / p.flit), part % p.flit)
      .align(weights, map(rows, part / p.packet, t.groups), part % p.packet)
      .contract(dyn::one)
      .accumulate(AccumulationKind::Interleaved, map(rows, t.groups), t.by_row);
}
dyn::Stream added_part(Context& ctx, const Tile& t, const dyn::Tensor& sum, const dyn::Tensor& part) {
  return added(ctx, *t.device, sum, part, map(t.rows % t.rows_of_group, t.groups), t.by_row);
}

dyn::Tensor exchanged(Context& ctx, const Tile& t, const dyn::Tensor& sums) {
  std::int64_t const share = t.done.size / t.tiling.split;
  Mapping const slice = map(t.done / share, t.group, t.rings, t.idle, t.beside, t.in_ring);
  return sums.to_dm(ctx.tdma, t.cluster, slice, map(t.ranges, t.done % share, t.own));
}
dyn::Stream sum_of_ranges(Context& ctx, const Tile& t, const dyn::Tensor& exchanged_sums) {
  Mapping const rows = t.i.size == 1 ? dyn::one : t.done % (t.done.size / t.tiling.split);
  Mapping const steps = map(rows, t.groups), &lanes = t.by_row;
  std::int64_t const narrow = t.device->vector.narrow_lanes;
  ReduceOp const add = is_integer(t.tiling.type) ? ReduceOp::AddSat : ReduceOp::Add;
  return dyn::main(ctx)
      .begin(exchanged_sums)
      .fetch(wide_type(t.tiling.type), map(steps, t.ranges), lanes)
      .collect(map(steps, t.ranges), lanes)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split(map(steps, t.ranges, lanes / narrow), lanes % narrow)
      .vector_intra_slice_reduce("Range", add, map(steps, lanes / narrow), lanes % narrow)
      .vector_concat(steps, lanes)
      .vector_final();
}

dyn::Tensor finished(Context& ctx, const Tile& t, dyn::Stream sums) {
  if (!is_integer(t.tiling.type))
    sums = std::move(sums).cast(ScalarType::bf16, t.by_row.pad(elements_of_flit(*t.device, ScalarType::bf16)));
  return in_rows(ctx, t, std::move(sums).commit(map(t.done % (t.done.size / t.tiling.split), t.own)));
}

}  // namespace tcp::kernels::gemm
