// C[M, N] = A[M, K] B[K, N] of bf16 for sizes that are known when the program is compiled: the strategy keep_rows of
// the planner, written with the typed front end. Every mapping is checked while one types, and the whole kernel is five
// functions; what it cannot do is choose. Lesson 31 takes it apart, and compares it with kernels::Gemm.
//
//   using Product = kernels::FixedGemm<1024, 2048, 512>;
//   launch(Product(), ctx, a, b, c);     // Product::A, Product::B and Product::C, all in HBM
//
// Sizes. M is a multiple of the slices of a chip (512), N of the columns of a tile (16 for each slice of a ring), K of
// a packet (32), and at most what half of the TRF holds of 16 columns (1,024).
//
// How it is divided. The clusters and `groups` groups of slices divide M. The `Ring` slices of a group divide the
// columns of a tile, 16 each, and share the group's rows of A: each loads some, once, and the Switch Engine hands them
// round during every multiplication. While one tile is multiplied, the columns of the next are loaded, and go into the
// other half of the TRF. B is stored as [N, K] and C as [M, N]; the axes T (tile), S (slice of a ring) and O (columns
// of a slice) count N, because the slices that a switch hands something to must be counted by an axis of their own.
//
// The order of the sum: the products of a packet (32) by a tree of neighbours, these one after the other. No K is
// divided.
#pragma once

#include "kernels/work/work.hpp"
#include "tcp/device/target.hpp"
#include "tcp/dsl/context.hpp"
#include "tcp/dsl/host_tensor.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/scalar/scalar.hpp"

namespace tcp::kernels {

template <std::int64_t M, std::int64_t N, std::int64_t Depth, std::int64_t Ring = 64>
class FixedGemm {
  static constexpr std::int64_t clusters = target.levels.clusters_per_chip, slices = target.levels.slices_per_cluster;
  static constexpr std::int64_t flit = target.flit.bytes.value / 2, packet = target.contraction.mac_bytes.value / 2;
  static constexpr std::int64_t unit = target.hbm.access_bytes.value / 2, by_row = target.levels.rows_per_slice;
  // A packet of A takes two cycles to arrive, so each is multiplied with two columns per Row.
  static constexpr std::int64_t columns = packet / flit * by_row;
  static constexpr std::int64_t tiles = N / (Ring * columns), groups = slices / Ring;
  static constexpr std::int64_t of_group = M / clusters / groups, of_slice = of_group / Ring;  // rows
  // Slices whose columns fill a unit of HBM, and the rows that each of them stores.
  static constexpr std::int64_t neighbours = unit / columns, of_neighbour = of_group / neighbours;

  static_assert(slices % Ring == 0 && Ring % neighbours == 0, "a ring is a power of two of slices, from 8 to 256");
  static_assert(M > 0 && M % (clusters * slices) == 0, "M is a multiple of 512: each slice holds as many rows of A");
  static_assert(N > 0 && N % (Ring * columns) == 0, "N is a multiple of the columns of a tile: 16 for each slice of a ring");
  static_assert(Depth > 0 && Depth % packet == 0, "K is whole packets of 32");
  static_assert(columns * Depth * 2 <= target.trf.slice_capacity.value / target.trf.halves,
                "16 columns of K must fit into half of the TRF: K is at most 1024");

  TCP_AXES_IN_CLASS(I = M, T = tiles, S = Ring, O = columns, K = Depth);
  using Chip = m<1>;
  using Cluster = m<I / (M / clusters)>;
  using Slice = m<I / of_group % groups, S>;
  using Rows = DmTensor<bf16, Chip, Cluster, m<I / of_group % groups, I / of_slice % Ring>, m<I % of_slice, K>>;
  using Columns = DmTensor<bf16, Chip, Cluster, Slice, m<O, K>>;
  using Weights = TrfTensor<bf16, Chip, Cluster, Slice, m<O % by_row>, m<O / by_row, K>>;
  using Results = DmTensor<bf16, Chip, Cluster, Slice, m<I % of_group, O>>;

 public:
  using LayoutA = m<I, K>;
  using LayoutB = m<T, S, O, K>;  // [N, K]
  using LayoutC = m<I, T, S, O>;  // [M, N]
  using A = HbmTensor<bf16, Chip, LayoutA>;
  using B = HbmTensor<bf16, Chip, LayoutB>;
  using C = HbmTensor<bf16, Chip, LayoutC>;

  void operator()(Context& ctx, const A& a, const B& b, C& c) const {
    Columns next = load(ctx, b, 0);  // first, as it has to go through the sub context as well
    Rows const rows = a.template to_dm<Cluster, m<I / of_group % groups, I / of_slice % Ring>, m<I % of_slice, K>>(ctx.tdma);
    for (int t = 0; t < tiles; ++t) {
      auto const region = ctx.region("tile", t);
      Weights const weights = to_trf(ctx, next, t % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf);
      if (t + 1 < tiles) next = load(ctx, b, t + 1);  // before what this tile stores
      store(ctx, multiplied(ctx, rows, weights), c, t);
    }
  }

  Work work() const {
    return {
        .multiply_adds = M * N * Depth, .hbm_bytes = 2 * (M * Depth + N * Depth + M * N), .dm_bytes = 2 * (M * Depth + N * Depth + M * N)};
  }

 private:
  static Columns load(Context& ctx, const B& b, int t) {
    return b.template tile<m<T>, 1>(t).template to_dm<Cluster, Slice, m<O, K>>(ctx.tdma);
  }
  static Weights to_trf(Context& ctx, const Columns& b, TrfAddress half) {
    return ctx.sub.begin(b.view())
        .template fetch<bf16, m<O % by_row, O / by_row, K / flit>, m<K % flit>>()
        .template collect<m<O % by_row, O / by_row, K / flit>, m<K % flit>>()
        .template to_trf<m<O % by_row>, m<O / by_row, K>>(half);
  }
  static Results multiplied(Context& ctx, const Rows& a, const Weights& weights) {
    return ctx.main.begin(a.view())
        .template fetch<bf16, m<I % of_slice, K / packet>, m<K % packet>>()
        .template switch_to<SwitchConfig::Broadcast01{.slice1 = Ring, .slice0 = 1, .time0 = Depth / packet}, Slice,
                            m<I % of_slice, I / of_slice % Ring, K / packet>>()
        .template collect<m<I % of_slice, I / of_slice % Ring, K / flit>, m<K % flit>>()
        .template align<m<I % of_slice, I / of_slice % Ring, K / packet, O / by_row>, m<K % packet>>(weights)
        .template contract<m<1>>()
        .template accumulate<m<I % of_slice, I / of_slice % Ring, O / by_row>, m<O % by_row>>(AccumulationKind::Interleaved)
        .template cast<bf16, m<(O % by_row).pad(flit)>>()
        .template commit<m<I % of_group, O>>();
  }
  /// Neighbouring slices exchange columns for rows first, so that each writes whole units of HBM.
  static void store(Context& ctx, const Results& done, C& c, int t) {
    auto const in_units = ctx.main.begin(done.view())
                              .template fetch<bf16, m<I % of_neighbour, I / of_neighbour % neighbours>, m<O>>()
                              .template switch_to<SwitchConfig::InterTranspose{.slice1 = neighbours, .slice0 = 1, .time0 = 1},
                                                  m<I / of_group % groups, S / neighbours, I / of_neighbour % neighbours>,
                                                  m<I % of_neighbour, S % neighbours>>()
                              .template collect<m<I % of_neighbour, S % neighbours>, m<O>>()
                              .template commit<m<I % of_neighbour, S % neighbours, O>>();
    ctx.tdma.dma(in_units.view(), c.view_mut().template tile<m<T>, 1>(t));
  }
};

}  // namespace tcp::kernels
