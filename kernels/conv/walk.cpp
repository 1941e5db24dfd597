// The walks. A row of an image that is read as a window (slide_over) names each of its positions by a result and a
// weight that looks at it; so the same position has several names, and the Fetch Engine reads it once for all of them.
#include "kernels/conv/walk.hpp"

#include "kernels/parts/views.hpp"
#include "tcp/mapping/algebra.hpp"

namespace tcp::kernels::conv {
namespace {

using dyn::map;

/// What slices make of rows that stay apart.
void name_results(Axes& a) {
  a.sums = map(a.mine, a.row, a.packet, a.column_out());
  a.results = map(a.mine, a.row, map(a.packet, a.column_out()).pad(a.tiling.row_columns));
}
Mapping all_columns(const Axes& a) { return dyn::axis("W", a.tiling.columns.results); }

class Pointwise : public Walk {
  void name_axes(Axes& a) const override {
    const ConvTiling& t = a.tiling;
    Mapping const all = all_columns(a).pad(t.packets * t.packet_columns);
    a.row = a.block_row;
    a.packet = all / t.packet_columns;
    a.column = a.lane_column = a.window = all % t.packet_columns;
    name_results(a);
    a.columns = all_columns(a).pad(t.row_columns);
  }
  dyn::Tensor windows(const Axes&, const dyn::Tensor& loaded) const override { return loaded; }
  dyn::Tensor plain(Context&, const Axes&, const dyn::Tensor& done) const override { return done; }
};

class Sliding : public Walk {
 public:
  void name_axes(Axes& a) const override {
    const ConvTiling& t = a.tiling;
    Slide const below[] = {{a.block_row, t.rows.stride}, {a.filter_row, t.rows.dilation}};
    name_packets(a);
    a.row = a.block_row;
    a.rows = slide_over(below);
    name_columns(a);
    name_results(a);
    a.columns = (t.one_packet() ? a.column : all_columns(a)).pad(t.row_columns);
  }
  dyn::Tensor windows(const Axes& a, const dyn::Tensor& loaded) const override {
    const ConvTiling& t = a.tiling;
    Mapping const share = a.channel % a.share;
    dyn::Tensor const all = some_of(loaded, a.loaded_column, a.columns_looked_at.size, t.lead - a.sizes.padding)
                                .reshape(map(share, a.rows, a.columns_looked_at.pad(t.loaded_columns)));
    return some_of(all, a.skipped, 1, 0);
  }
  dyn::Tensor plain(Context&, const Axes& a, const dyn::Tensor& done) const override {
    const ConvTiling& t = a.tiling;
    if (t.one_packet()) return done;
    Mapping const all = dyn::axis("Wa", t.packets * t.packet_columns);
    return some_of(done.reshape(map(a.mine, a.row, all.pad(a.columns.size))), all, t.columns.results, 0)
        .reshape(map(a.mine, a.row, a.columns));
  }

 protected:
  static void name_packets(Axes& a) {
    const ConvTiling& t = a.tiling;
    a.packet = dyn::axis("Wo", t.packets);
    a.column = dyn::axis("Wi", t.packet_columns);
    a.lane_column = t.one_packet() ? a.column.pad(t.packet / t.columns.stride) : a.column;
  }
  static Mapping window_of_packet(const Axes& a) {
    const ConvTiling::Steps& across = a.tiling.columns;
    Slide const in_packet[] = {{a.column, across.stride}, {a.filter_column, across.dilation}};
    return slide_over(in_packet);
  }

 private:
  virtual void name_columns(Axes& a) const {
    const ConvTiling& t = a.tiling;
    Slide const across[] = {
        {a.packet, t.columns.stride * t.packet_columns}, {a.column, t.columns.stride}, {a.filter_column, t.columns.dilation}};
    a.skipped = dyn::one;
    a.window = window_of_packet(a);
    a.columns_looked_at = slide_over(across);
  }
};

class Skipping : public Sliding {
  void name_columns(Axes& a) const override {
    a.skipped = dyn::axis("Sk", a.sizes.stride);
    a.window = map(a.lane_column, dyn::one.pad(a.sizes.stride));
    a.columns_looked_at = map(a.packet, a.column, a.skipped);
  }
};

class Flat : public Sliding {
  void name_axes(Axes& a) const override {
    const ConvTiling& t = a.tiling;
    name_packets(a);
    Slide const all[] = {{a.packet, t.packet_columns},
                         {a.column, 1},
                         {a.filter_row, t.rows.dilation * t.loaded_columns},
                         {a.filter_column, t.columns.dilation}};
    a.row = a.rows = a.skipped = dyn::one;
    a.window = window_of_packet(a);
    a.columns_looked_at = slide_over(all);
    name_results(a);
    a.results = a.sums;
    a.columns = all_columns(a).pad(t.row_columns);
  }
  dyn::Tensor windows(const Axes& a, const dyn::Tensor& loaded) const override {
    const ConvTiling& t = a.tiling;
    Mapping const all = dyn::axis("Fl", t.loaded_rows * t.loaded_columns), share = a.channel % a.share;
    std::int64_t const first = t.ahead * t.loaded_columns - a.sizes.padding;
    return some_of(loaded.reshape(map(share, all)), all, a.columns_looked_at.size, first)
        .reshape(map(share, a.columns_looked_at.pad(all.size)));
  }
  /// Rows follow on each other: without what is between them. What fills up the last packet of a filter must not be
  /// between filters either, as these are written together.
  dyn::Tensor plain(Context& ctx, const Axes& a, const dyn::Tensor& done) const override {
    const ConvTiling& t = a.tiling;
    std::int64_t const made = t.packets * t.packet_columns, there = a.sums.size / a.mine.size, used = t.block_rows * t.row_columns;
    Mapping const flat = dyn::axis("Wf", made), all = dyn::axis("Wa", t.row_columns);
    dyn::Tensor apart = done;
    if (there != used) {
      Mapping const kept = dyn::axis("Wk", used), wide = kept % widest(t, used), time = map(a.mine, kept / wide.size);
      apart = dyn::main(ctx)
                  .begin(some_of(done.reshape(map(a.mine, flat.pad(there))), flat, used, 0).reshape(map(a.mine, kept.pad(there))))
                  .fetch(ScalarType::bf16, time, wide)
                  .collect(time, wide.pad(t.flit))
                  .commit(map(a.mine, kept));
    }
    return some_of(apart.reshape(map(a.mine, a.block_row, all)), all, t.columns.results, 0).reshape(map(a.mine, a.block_row, a.columns));
  }
};

}  // namespace

std::unique_ptr<const Walk> walk_of(const ConvTiling& t) {
  switch (t.walk) {
    case ConvWalk::pointwise: return std::make_unique<Pointwise>();
    case ConvWalk::sliding: return std::make_unique<Sliding>();
    case ConvWalk::skipping: return std::make_unique<Skipping>();
    case ConvWalk::flat: return std::make_unique<Flat>();
  }
  return nullptr;
}

std::int64_t widest(const ConvTiling& t, std::int64_t columns) {
  std::int64_t wide = t.flit;
  while (columns % wide != 0) wide -= t.dm_row;
  return wide;
}

}  // namespace tcp::kernels::conv
