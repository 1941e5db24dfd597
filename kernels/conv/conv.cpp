#include "kernels/conv/conv.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "tcp/device/derived.hpp"
#include "tcp/mapping/algebra.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {

using dyn::map;

namespace {

constexpr std::int64_t lanes = 32, flit = 16, row_of_dm = 4;  // elements of bf16
/// What the accumulators hold of packets of 32 in 8 Rows.
constexpr std::int64_t most_reuse = 4;
constexpr std::int64_t largest = 65'536;
constexpr std::int64_t widest_reach = 17, most_filter_rows = 16;

/// An axis that is only there if it has several steps.
Mapping axis_of(std::string_view name, std::int64_t size) { return size == 1 ? dyn::one : dyn::axis(name, size); }
/// Some steps of an axis; all of them need no view.
dyn::Tensor some_of(const dyn::Tensor& t, const Mapping& axis, std::int64_t length, std::int64_t start) {
  return length == axis.size ? t : t.tile(axis, length, start);
}
std::int64_t ceil_of(std::int64_t n, std::int64_t d) { return (n + d - 1) / d; }
std::int64_t up_to(std::int64_t n, std::int64_t unit) { return ceil_of(n, unit) * unit; }
std::int64_t power_from(std::int64_t n) { return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))); }

/// `skips`: positions that nothing looks at can be left out.
ConvTiling::Steps steps_of(std::int64_t size, std::int64_t filter, const ConvSizes& s, bool skips) {
  ConvTiling::Steps t;
  t.results = (size + 2 * s.padding - s.dilation * (filter - 1) - 1) / s.stride + 1;
  t.step = skips ? (filter == 1 ? s.stride : std::gcd(s.stride, s.dilation)) : 1;
  t.stride = s.stride / t.step;
  t.dilation = filter == 1 ? 1 : s.dilation / t.step;
  return t;
}
/// Columns of a packet that some columns are whole packets of.
std::int64_t widest(std::int64_t columns) {
  std::int64_t wide = flit;
  while (columns % wide != 0) wide -= row_of_dm;
  return wide;
}
/// One column of several is looked at, and no column twice: nothing slides along a row.
bool skips_columns(const ConvSizes& s) { return s.filter_columns == 1 && s.stride > 1; }
/// Positions that `results` results look at.
std::int64_t reach(const ConvTiling::Steps& t, std::int64_t results, std::int64_t filter) {
  return t.stride * (results - 1) + t.dilation * (filter - 1) + 1;
}

/// Rows that fill units of HBM are put between their borders by the transfer itself; shorter ones come all together, and a pass takes them apart.
bool goes_straight(const Device& device, const ConvSizes& s) {
  return s.columns % row_of_dm == 0 && 2 * s.columns >= device.hbm.access_bytes.value;
}
/// Slices that compute with all rows of an image make its border themselves.
bool stays_in_place(const ConvTiling& t) { return t.blocks == 1 && t.rows.step == 1; }
std::int64_t last_channels(const ConvSizes& s, const ConvTiling& t) { return s.channels - (t.parts - 1) * t.part_channels; }

/// Where the channels of some images lie while their border is made: in both clusters, and in as many slices as possible.
struct Spread {
  std::int64_t images = 1;                    // of a cluster
  std::int64_t channels = 1;                  // of a cluster
  std::int64_t together = 1;                  // channels of a slice
  bool by_image = false, by_channel = false;  // what tells the clusters apart; neither: one of them has all

  Spread(const Device& device, const ConvTiling& t, std::int64_t all) : channels(all) {
    std::int64_t const clusters = device.levels.clusters_per_chip, share = all / t.ring;
    by_image = t.step_images > 1;
    by_channel = !by_image && all % clusters == 0;
    if (by_image) images = ceil_of(t.step_images, clusters);
    if (by_channel) channels = all / clusters;
    std::int64_t const places = device.levels.slices_per_cluster / power_from(images);
    auto const fits = [&](std::int64_t n) {  // blocks of channels go from slice to slice whole
      return channels % n == 0 && channels / n <= places && (n % share == 0 || share % n == 0);
    };
    while (!fits(together) && together < channels) ++together;
  }
};

/// A slice's bytes of a tiling, and about how long it takes.
class Candidate {
 public:
  Candidate(const Device& device, const ConvSizes& s, ConvTiling tiling) : device_(device), s_(s), t(tiling) {
    t.blocks = t.rows.results / t.block_rows;
    std::int64_t const rows_together = t.block_rows * (t.blocks == 1 ? filters() : 1), unit = device.hbm.access_bytes.value / 2;
    std::int64_t const whole = unit / std::gcd(unit, rows_together);
    t.loaded_rows = reach(t.rows, t.block_rows, s.filter_rows);
    if (t.flat) flatten(whole);
    else t.row_columns = up_to(up_to(t.packets * t.packet_columns, 8), whole);
    // A cluster has whole images, or part of one.
    std::int64_t const clusters = device.levels.clusters_per_chip, places = device.levels.slices_per_cluster / t.groups;
    std::int64_t const most_images = std::max<std::int64_t>(places / power_from(t.blocks) * clusters, 1);
    choose_step(most_images, clusters * places);
    while (edged_bytes() > 0 && !fits() && (t.step_images > 1 || t.step_blocks > clusters))
      choose_step(ceil_of(t.step_images, 2), t.step_images > 1 ? clusters * places : t.step_blocks / 2);
  }
  std::int64_t filters() const { return t.filters_of_slice(device_); }
  /// Of a slice, which has its share of the channels.
  std::int64_t loaded_bytes() const { return 2 * t.part_channels / t.ring * t.loaded_rows * t.loaded_columns; }
  std::int64_t filter_bytes() const { return 2 * filters() * t.parts * t.weights(); }
  std::int64_t steps() const { return ceil_of(s_.images, t.step_images) * ceil_of(t.blocks, t.step_blocks); }
  bool fits() const {
    if (t.step_blocks == 0) return false;
    std::int64_t const results = filters() * std::max(t.block_rows * t.row_columns, up_to(t.packets * t.packet_columns, lanes));
    std::int64_t const sums = t.parts > 1 ? 3 * 4 * results : 0;
    return 2 * loaded_bytes() + edged_bytes() + filter_bytes() + sums + 2 * 2 * results <= device_.dm.slice_capacity.value;
  }
  /// Transfers stand in one queue; of several steps one is computed while others are on their way.
  double cycles() const {
    std::int64_t const width = reach(t.columns, t.packet_columns, s_.filter_columns);
    std::int64_t const flits = std::max<std::int64_t>(ceil_of(width, flit), 2);
    std::int64_t const of_a_row = std::max(flits, t.reuse * s_.filter_columns / t.together);
    std::int64_t const multiplying = (t.flat ? 1 : t.block_rows) * t.packets * s_.channels * s_.filter_rows * of_a_row;
    // Weights come by main before all else, and for every other part by the sub context meanwhile.
    std::int64_t const weights = 2 * filters() * t.weights(), by_main = weights / device_.flit.bytes.value,
                       by_sub = t.parts > 1 ? t.parts * weights / device_.fetch.sub_size.value : 0;
    auto const computing = static_cast<double>(std::max(multiplying, by_sub));
    std::int64_t const slices = t.step_images * t.step_blocks * t.groups, results = 2 * filters() * t.block_rows * t.row_columns;
    std::int64_t const loaded = loaded_bytes() * t.parts * slices, images = 2 * t.step_images * s_.channels * s_.rows * t.image_columns;
    double loading = moving(loaded, t.parts);
    if (t.edged && stays_in_place(t)) loading = moving(images * t.groups / t.ring, t.parts);
    else if (t.edged) loading = moving(images * t.step_blocks / t.blocks, t.parts) + within(loaded, t.parts);
    double const storing = moving(results * slices, 1);
    double const more = static_cast<double>(steps() - 1) * std::max(loading + storing, computing);
    return moving(filter_bytes() * slices, t.parts) + static_cast<double>(by_main) + loading + computing + storing + more;
  }

 private:
  /// The border at the end of a row is that of the next one, too: a row takes no more columns than it has, and one border.
  void flatten(std::int64_t whole) {
    t.row_columns = t.loaded_columns = up_to(up_to(std::max(s_.columns + s_.padding, t.columns.results), row_of_dm), whole);
    std::int64_t const places = t.block_rows * t.row_columns;
    t.packets = ceil_of(places, lanes);
    t.packet_columns = std::min(places, lanes);
    t.ahead = 1;
    std::int64_t const below = s_.dilation * ((s_.filter_rows - 1) * t.loaded_columns + s_.filter_columns - 1);
    std::int64_t const looked_at = t.packets * t.packet_columns + below;
    t.loaded_rows = std::max(t.loaded_rows + t.ahead, ceil_of(t.loaded_columns - s_.padding + looked_at, t.loaded_columns));
  }
  void choose_step(std::int64_t most_images, std::int64_t most_blocks) {
    std::int64_t const clusters = device_.levels.clusters_per_chip, rounds = ceil_of(s_.images, most_images);
    t.step_images = rounds == 1 ? s_.images : up_to(ceil_of(s_.images, rounds), std::min(clusters, most_images));
    t.step_blocks = t.step_images > 1 ? t.blocks : std::min(t.blocks, most_blocks);
    if (t.step_blocks < t.blocks) t.step_blocks -= t.step_blocks % clusters;  // views of some blocks are cut evenly
  }
  /// Of a slice, while it makes the border: the channels as they come, filled up, and in their border.
  std::int64_t edged_bytes() const {
    if (!t.edged || t.step_blocks == 0) return 0;
    std::int64_t const rows = t.rows.step * ((t.step_blocks - 1) * t.block_rows * t.rows.stride + t.loaded_rows);
    std::int64_t const channels = stays_in_place(t) ? t.part_channels / t.ring : Spread(device_, t, t.part_channels).together;
    std::int64_t const copies = s_.columns != t.image_columns ? 3 : goes_straight(device_, s_) ? 0 : 2;
    return 2 * channels * rows * (2 * t.loaded_columns + copies * t.image_columns);
  }
  /// From DM to DM: engines read and write in turn, and wait for DMNs.
  double within(std::int64_t bytes, std::int64_t transfers) const {
    return 1.6 * moving(bytes, 0) + static_cast<double>(transfers * device_.dma.startup.value);
  }
  /// Blocks lie apart, the slices of one do not: a few blocks leave DMNs idle. HBM gives two thirds of what it could, more or less.
  double moving(std::int64_t bytes, std::int64_t transfers) const {
    std::int64_t const dmns = device_.levels.clusters_per_chip * device_.levels.dmns_per_cluster,
                       of_dmn = device_.levels.slices_per_cluster / device_.levels.dmns_per_cluster;
    std::int64_t const busy = std::min(dmns, t.step_images * t.step_blocks * ceil_of(t.groups, of_dmn));
    double const a_cycle = std::min(static_cast<double>(hbm_mb_per_s(device_)) / static_cast<double>(device_.clocks.core_mhz) * 2 / 3,
                                    static_cast<double>(busy * device_.dm.dmn_bytes_per_cycle.value));
    return static_cast<double>(bytes) / a_cycle + static_cast<double>(transfers * device_.dma.startup.value);
  }

  const Device& device_;
  const ConvSizes& s_;

 public:
  ConvTiling t;
};

}  // namespace

Expected<ConvTiling> tile_conv(const Device& device, const ConvSizes& s, Where at) {
  std::int64_t const least = std::min({s.images, s.channels, s.filters, s.rows, s.columns, s.filter_rows, s.filter_columns});
  std::int64_t const most = std::max({s.images, s.channels, s.filters, s.rows, s.columns, s.filter_rows, s.filter_columns, s.padding});
  auto const too_small = [&](std::int64_t size, std::int64_t filter) { return size + 2 * s.padding < s.dilation * (filter - 1) + 1; };
  if (least < 1 || most > largest || s.padding < 0 || s.dilation < 0 || s.dilation > largest || too_small(s.rows, s.filter_rows) ||
      too_small(s.columns, s.filter_columns))
    return refuse("kernel-conv-size", at)
        .what(s.images, " images of ", s.channels, " x ", s.rows, " x ", s.columns, ", padding ", s.padding, ", and ", s.filters,
              " filters of ", s.filter_rows, " x ", s.filter_columns)
        .why("there is at least one of everything and at most ", largest,
             "; the filter lies within the padded image: it reaches over dilation * (size - 1) + 1 "
             "positions")
        .help("pad the image more, or use a smaller filter");
  std::int64_t const across = s.dilation * (s.filter_columns - 1) + 1;
  bool const steps = s.stride >= 1 && s.stride <= 2 && s.dilation >= 1 && s.dilation <= 2;
  if (!steps || across > widest_reach || s.filter_rows > most_filter_rows)
    return refuse("kernel-conv-filter", at)
        .what("a filter of ", s.filter_rows, " x ", s.filter_columns, " with stride ", s.stride, " and dilation ", s.dilation)
        .why(
            "stride and dilation are 1 or 2; the stream adapter holds 48 columns, of which a packet takes 32, so a row of the filter "
            "reaches over at most ",
            widest_reach, "; rows are at most ", most_filter_rows)
        .help(steps ? "make a large filter of several small ones, and add up their results" : "use a stride and a dilation of 1 or 2");
  ConvTiling t;
  t.rows = steps_of(s.rows, s.filter_rows, s, true);
  t.columns = steps_of(s.columns, s.filter_columns, s, false);
  bool const pairs = t.columns.stride == 2 && s.filter_columns % 2 == 0 && t.columns.dilation == 1;
  t.together = pairs ? 2 : 1;
  t.spacing = pairs ? 1 : t.columns.stride;
  t.taps = s.filter_rows * s.filter_columns;
  std::int64_t const of_a_row =
      device.trf.slice_capacity.value / device.levels.rows_per_slice / 2;  // weights; while one half is used, the other is filled
  ConvTiling best;
  double least_cycles = 0;
  auto const consider = [&] {
    Candidate const c(device, s, t);
    if (!c.fits() || (least_cycles > 0 && c.cycles() >= least_cycles)) return;
    best = c.t;
    least_cycles = c.cycles();
  };
  auto const with_channels = [&](std::int64_t parts) {
    t.part_channels = up_to(ceil_of(s.channels, parts), t.ring);
    t.parts = ceil_of(s.channels, t.part_channels);
    if (t.part_channels > s.channels || last_channels(s, t) % t.ring != 0 || (t.pointwise && t.parts > 1)) return;
    if (t.reuse * t.weights() > (t.parts == 1 ? of_a_row : of_a_row / 2)) return;
    for (t.block_rows = 1; t.block_rows <= t.rows.results; ++t.block_rows)
      if (t.rows.results % t.block_rows == 0) consider();
  };
  auto const search = [&] {
    std::int64_t const most_columns = lanes / t.columns.stride;
    t.packets = ceil_of(t.columns.results, most_columns);
    bool const slides = !t.pointwise && t.columns.results > 1;
    t.packet_columns = t.packets == 1 && slides ? t.columns.results : most_columns;
    t.image_columns = up_to(s.columns, row_of_dm);
    t.lead = t.flat ? 0 : up_to(s.padding, row_of_dm);
    t.edged = !t.pointwise && (s.padding > 0 || s.columns != t.image_columns);
    std::int64_t const made = t.packets * t.packet_columns;
    std::int64_t const looked_at = skips_columns(s) ? made * s.stride : reach(t.columns, made, s.filter_columns);
    t.loaded_columns =
        t.pointwise ? t.packets * t.packet_columns : up_to(std::max(t.lead + t.image_columns, t.lead - s.padding + looked_at), row_of_dm);
    for (t.reuse = 1; t.reuse <= most_reuse; t.reuse *= 2) {
      t.groups = power_from(ceil_of(s.filters, t.filters_of_slice(device)));
      if (t.groups > device.levels.slices_per_cluster) continue;
      for (t.ring = 1; t.ring <= t.groups && t.ring <= s.channels; t.ring *= 2)
        for (std::int64_t parts = 1; parts <= s.channels; parts *= 2) with_channels(parts);
    }
  };
  // A single column fills no row of DM that could be committed by itself.
  t.pointwise = t.taps == 1 && s.stride == 1 && s.padding == 0 && s.columns > 1;
  search();
  t.flat = s.stride == 1 && s.padding > 0;
  if (std::exchange(t.pointwise, false) && least_cycles == 0) search();
  if (t.flat) search();
  if (least_cycles == 0)
    return refuse("kernel-conv-weights", at)
        .what(s.filters, " filters of ", s.channels, " x ", s.filter_rows, " x ", s.filter_columns, " over rows of ", s.columns, " columns")
        .why("a slice makes up to ", most_reuse * device.levels.rows_per_slice,
             " channels of the result, and all that belong to one place are made at once; it holds all weights for them in its DM beside a "
             "row of each channel")
        .help("cut the channels into parts and add up the results, or the filters");
  return best;
}

namespace {

/// The axes of a step, named by what they count, and mappings made of them; for a part of so many channels.
struct Parts {
  Parts(const Device& device, const ConvSizes& s, const ConvTiling& t, std::int64_t channels)
      : sizes(s),
        tiling(t),
        image(dyn::axis("Im", t.step_images)),
        block(dyn::axis("Bk", t.step_blocks)),
        in_ring(axis_of("Ring", t.ring)),
        channel(dyn::axis("Ki", channels)),
        group(map(axis_of("Beside", t.groups / t.ring), in_ring)),
        mine(dyn::axis("C", t.filters_of_slice(device))),
        filter(map(group, mine)),
        block_row(dyn::axis("Hi", t.block_rows)),
        row(t.flat ? dyn::one : block_row),
        packet(dyn::axis("Wo", t.packets)),
        column(dyn::axis("Wi", t.packet_columns)),
        filter_row(dyn::axis("Fh", s.filter_rows)),
        filter_column(dyn::axis("Fw", s.filter_columns)),
        loaded_row(dyn::axis("R", t.loaded_rows)),
        loaded_column(dyn::axis("Fx", t.loaded_columns)) {
    slide();
    weights = map(map(channel, filter_row, filter_column).pad(t.weights() / t.spacing), dyn::one.pad_zero(t.spacing));

    weight = dyn::axis("P", t.weights() / t.spacing);
    dense = map(weight, dyn::one.pad_zero(t.spacing));
    std::int64_t const eight = device.levels.rows_per_slice;
    spread(device);
    share = channels / t.ring;
    made_by = mine % eight;
    again = mine / eight;
    sums = map(mine, row, packet, column_out());
    results = t.flat ? sums : map(mine, row, map(packet, column_out()).pad(t.row_columns));
    columns = (one_packet() && !t.flat ? column : dyn::axis("W", t.columns.results)).pad(t.row_columns);
  }
  bool one_packet() const {
    return tiling.packet_columns < lanes / tiling.columns.stride || (tiling.packet_columns == tiling.columns.results && !tiling.pointwise);
  }
  /// Columns of a packet as they leave the engine.
  Mapping column_out() const { return one_packet() ? column.pad(up_to(column.size, 8)) : column; }
  /// Results of a slice, without the columns that fill up the last packet.
  dyn::Tensor plain(Context& ctx, const dyn::Tensor& done) const {
    if (tiling.flat) return rows_apart(ctx, done);
    if (tiling.pointwise || one_packet()) return done;
    Mapping const all = dyn::axis("Wa", tiling.packets * tiling.packet_columns);
    return some_of(done.reshape(map(mine, row, all.pad(columns.size))), all, tiling.columns.results, 0).reshape(map(mine, row, columns));
  }
  /// The same where rows follow on each other: without what lies between them. What fills up the last packet of a filter must not lie between filters either, as
  /// these are written together.
  dyn::Tensor rows_apart(Context& ctx, const dyn::Tensor& done) const {
    std::int64_t const made = tiling.packets * tiling.packet_columns, there = sums.size / mine.size,
                       used = tiling.block_rows * tiling.row_columns;
    Mapping const flat = dyn::axis("Wf", made), all = dyn::axis("Wa", tiling.row_columns);
    dyn::Tensor apart = done;
    if (there != used) {
      Mapping const kept = dyn::axis("Wk", used), wide = kept % widest(used), time = map(mine, kept / wide.size);
      apart = dyn::main(ctx)
                  .begin(some_of(done.reshape(map(mine, flat.pad(there))), flat, used, 0).reshape(map(mine, kept.pad(there))))
                  .fetch(ScalarType::bf16, time, wide)
                  .collect(time, wide.pad(flit))
                  .commit(map(mine, kept));
    }
    return some_of(apart.reshape(map(mine, block_row, all)), all, tiling.columns.results, 0).reshape(map(mine, block_row, columns));
  }
  /// Of the ring's slices each has some channels.
  Mapping shares() const { return map(place, axis_of("Beside", tiling.groups / tiling.ring), channel / share); }

  const ConvSizes& sizes;
  const ConvTiling& tiling;
  Mapping image, block, in_ring, channel, group, mine, filter, block_row, row, packet, column, filter_row, filter_column;
  Mapping loaded_row, loaded_column;  // of a block
  Mapping window;                     // what is fetched at once
  Mapping skipped;                    // columns between two that are looked at, and the first of these
  Mapping rows, columns_looked_at;    // of a block, as windows
  Mapping lane_column;                // columns of a packet, lanes that are not used included
  Mapping weights;                    // of one filter, a part of its channels
  Mapping weight, dense;              // the same as it lies in memory, zeros included
  Mapping cluster, place, slice;
  std::int64_t share = 1;  // channels that a slice of a ring loads
  Mapping made_by, again;  // filters of a slice: the Rows; how often a packet is used
  Mapping sums, results;   // of a slice, f32 and bf16
  Mapping columns;         // of the result, filled up to whole units of HBM

 private:
  void slide() {
    const ConvSizes& s = sizes;
    const ConvTiling& t = tiling;
    Slide const below[] = {{row, t.rows.stride}, {filter_row, t.rows.dilation}};
    Slide const across[] = {{packet, t.columns.stride * t.packet_columns}, {column, t.columns.stride}, {filter_column, t.columns.dilation}};
    Slide const in_packet[] = {{column, t.columns.stride}, {filter_column, t.columns.dilation}};
    lane_column = one_packet() ? column.pad(lanes / t.columns.stride) : column;
    if (t.pointwise) {  // nothing slides
      Mapping const all = dyn::axis("W", t.columns.results).pad(t.packets * t.packet_columns);
      packet = all / t.packet_columns;
      column = lane_column = window = all % t.packet_columns;
    } else {
      skipped = skips_columns(s) ? dyn::axis("Sk", s.stride) : dyn::one;
      window = skips_columns(s) ? map(lane_column, dyn::one.pad(s.stride)) : slide_over(in_packet);
      rows = slide_over(below);
      columns_looked_at = skips_columns(s) ? map(packet, column, skipped) : slide_over(across);
    }
    if (t.flat) {
      Slide const all[] = {
          {packet, t.packet_columns}, {column, 1}, {filter_row, t.rows.dilation * t.loaded_columns}, {filter_column, t.columns.dilation}};
      rows = dyn::one;
      columns_looked_at = slide_over(all);
    }
  }
  void spread(const Device& device) {
    const ConvTiling& t = tiling;
    // Images and blocks that leave slices idle leave them everywhere, so that all DMA engines take part; they begin at powers of two, for engines that serve so many.
    std::int64_t const clusters = device.levels.clusters_per_chip;
    std::int64_t const places = device.levels.slices_per_cluster / t.groups;
    bool const by_image = t.step_images > 1;
    std::int64_t const here = ceil_of(by_image ? t.step_images : t.step_blocks, clusters);
    Mapping const all = (by_image ? image : block).pad(clusters * here);
    cluster = all / here;
    Mapping const of_images =
        by_image ? map((all % here).pad(power_from(here)), block.pad(power_from(t.blocks))) : (all % here).pad(power_from(here));
    place = map(of_images, dyn::one.pad(places / of_images.size));
    slice = map(place, group);
  }
};

/// Images and blocks, and channels, that are computed at once.
struct Step {
  std::int64_t image, block, part;
};
/// The last ones do some images or blocks again.
std::vector<Step> steps_of(const ConvSizes& s, const ConvTiling& t) {
  std::vector<Step> all;
  for (std::int64_t n = 0; n < s.images; n += t.step_images)
    for (std::int64_t b = 0; b < t.blocks; b += t.step_blocks)
      for (std::int64_t k = 0; k < t.parts; ++k)
        all.push_back({std::min(n, s.images - t.step_images), std::min(b, t.blocks - t.step_blocks), k});
  return all;
}

/// Brings what a step computes with into the slices, the border included. In three parts, for three steps at once: the image of one comes, the border of the one before
/// is made and its blocks go to their slices, and the first one is computed with. What needs the main context stands in front of what is computed, and waits for nothing then.
class Loader {
 public:
  Loader(Context& ctx, const Device& device, const ConvSizes& s, const ConvTiling& t, const dyn::Tensor& image)
      : ctx_(ctx), device_(device), s_(s), t_(t), chip_(image.levels()[Level::chip]), image_(usable(image)) {}

  dyn::Tensor fetch(const Parts& p, const Step& step) const {
    if (!t_.edged) return {};
    Image const x = image_of(p, step);
    Edges const e = stays_in_place(t_) ? in_place(p) : apart(p, rows_of(p).size);
    return x.height > 0 && !goes_straight(device_, s_) ? come(p, e, x) : edged(p, e, x, {});
  }
  dyn::Tensor make(const Parts& p, const Step& step, const dyn::Tensor& fetched) const {
    Image const x = image_of(p, step);
    if (t_.pointwise) return pointwise(p, step, x.all);
    if (t_.edged && stays_in_place(t_)) return fetched;
    Mapping const rows = rows_of(p);
    dyn::Tensor const loaded =
        dyn::Tensor::dm(ctx_, ScalarType::bf16, chip_, p.cluster, p.shares(), map(p.channel % p.share, p.loaded_row, p.loaded_column));
    if (t_.edged) {
      Edges const e = apart(p, rows.size);
      dyn::dma(ctx_.tdma, with_border(p, e, x, fetched).reshape(map(e.channel, rows, p.loaded_column)), loaded);
      return loaded;
    }
    Mapping const column = dyn::axis("Xr", t_.image_columns);
    dyn::dma(
        ctx_.tdma, some_of(x.all, image_rows(), rows.size, x.top).reshape(of_image(p, rows.pad(s_.rows), column)),
        some_of(loaded, p.loaded_column, column.size, 0).reshape(map(p.channel % p.share, p.loaded_row, column.pad(p.loaded_column.size))));
    return loaded;
  }
  dyn::Tensor finish(const Parts& p, const Step& step, const dyn::Tensor& made) const {
    if (!t_.edged || !stays_in_place(t_)) return made;
    return with_border(p, in_place(p), image_of(p, step), made).reshape(map(p.channel % p.share, p.loaded_row, p.loaded_column));
  }

 private:
  /// Some images, some channels of them, and the rows that are looked at: they begin at `top`, which may lie above the image, and `height` of them, from `first`
  /// on, are rows of the image.
  struct Image {
    dyn::Tensor all;
    std::int64_t top, first, height;
  };
  Image image_of(const Parts& p, const Step& step) const {
    dyn::Tensor const all =
        some_of(some_of(image_, images(), t_.step_images, step.image), channels(), p.channel.size, step.part * t_.part_channels);
    if (t_.pointwise) return {all, 0, 0, s_.rows};
    std::int64_t const top = step.block * t_.block_rows * t_.rows.stride * t_.rows.step - s_.padding - t_.ahead;
    std::int64_t const first = std::clamp<std::int64_t>(top, 0, s_.rows),
                       last = std::clamp<std::int64_t>(top + rows_of(p).size, 0, s_.rows);
    return {all, top, first, last - first};
  }
  /// Rows, as a window over blocks and the rows of each.
  Mapping rows_of(const Parts& p) const {
    Slide const below[] = {{p.block, t_.block_rows * t_.rows.stride * t_.rows.step}, {p.loaded_row, t_.rows.step}};
    return slide_over(below);
  }

  /// Where the border is made.
  struct Edges {
    Mapping row, channel, cluster, slice;  // channels of a slice
  };
  Edges in_place(const Parts& p) const { return {dyn::axis("Fr", p.loaded_row.size), p.channel % p.share, p.cluster, p.shares()}; }
  Edges apart(const Parts& p, std::int64_t rows) const {
    Spread const spread(device_, t_, p.channel.size);
    std::int64_t const clusters = device_.levels.clusters_per_chip;
    Mapping const all = p.image.pad(clusters * spread.images), own = p.channel % spread.channels / spread.together;
    Mapping const images = (spread.by_image ? all % spread.images : p.image).pad(power_from(spread.images));
    Mapping const channels = own.pad(power_from(own.size));
    return {dyn::axis("Fr", rows), p.channel % spread.together,
            spread.by_image     ? all / spread.images
            : spread.by_channel ? p.channel / spread.channels
                                : dyn::one.pad(clusters),
            map(images, channels, dyn::one.pad(device_.levels.slices_per_cluster / images.size / channels.size))};
  }

  Mapping images() const { return dyn::axis("Xn", s_.images); }
  Mapping channels() const { return dyn::axis("Xk", s_.channels); }
  Mapping image_rows() const { return dyn::axis("Xy", s_.rows); }
  std::int64_t pitch() const { return image_.levels()[Level::element].size / (s_.images * s_.channels * s_.rows); }
  /// Some images in HBM under the names of a step.
  Mapping of_image(const Parts& p, const Mapping& rows, const Mapping& column) const {
    return map(p.image.pad(s_.images), p.channel.pad(s_.channels), rows, column.pad(pitch()));
  }

  /// The image under names of our own, its rows in whole rows of DM.
  dyn::Tensor usable(const dyn::Tensor& image) const {
    std::int64_t const lines = s_.images * s_.channels * s_.rows, given = image.levels()[Level::element].size / lines;
    Mapping const line = map(images(), channels(), image_rows()), x = dyn::axis("Xx", s_.columns);
    dyn::Tensor const plain = image.reshape(map(line, x.pad(given)));
    return given % row_of_dm == 0 ? plain : plain.to_hbm(ctx_.tdma, map(line, x.pad(t_.image_columns)));
  }
  dyn::Tensor pointwise(const Parts& p, const Step& step, const dyn::Tensor& x) const {
    Mapping const blocks = dyn::axis("Bt", t_.blocks), w = dyn::axis("W", s_.columns);
    return some_of(x.reshape(of_image(p, map(blocks, p.row), w)), blocks, t_.step_blocks, step.block)
        .reshape(of_image(p, map(p.block.pad(t_.blocks), p.row), w))
        .to_dm(ctx_.tdma, p.cluster, p.shares(), map(p.channel % p.share, p.row, map(p.packet, p.column)));
  }

  /// Rows of an image as they come, where their border is to be.
  dyn::Tensor come(const Parts& p, const Edges& e, const Image& x) const {
    Mapping const row = dyn::axis("Yr", x.height), column = dyn::axis("Xo", s_.columns);
    return some_of(x.all, image_rows(), x.height, x.first)
        .reshape(of_image(p, row.pad(s_.rows), column))
        .to_dm(ctx_.tdma, e.cluster, e.slice, map(e.channel, row, column.pad(t_.image_columns)));
  }
  /// The same with zeros in the columns that fill up a row of DM.
  dyn::Tensor filled(const Edges& e, const Image& x, const dyn::Tensor& rows) const {
    if (s_.columns == t_.image_columns) return rows;
    Mapping const row = dyn::axis("Yr", x.height), zeros = dyn::axis("Xo", s_.columns).pad_zero(t_.image_columns);
    Mapping const wide = zeros % widest(zeros.size), time = map(e.channel, row, zeros / wide.size);
    return dyn::main(ctx_)
        .begin(rows)
        .fetch(ScalarType::bf16, time, wide)
        .collect(time, wide.pad_zero(flit))
        .commit(map(e.channel, row, zeros));
  }
  /// An image in the middle of zeros; `middle`: its rows have come, otherwise they are fetched here.
  dyn::Tensor edged(const Parts& p, const Edges& e, const Image& x, const dyn::Tensor& middle) const {
    dyn::Tensor const all = dyn::Tensor::dm(ctx_, ScalarType::bf16, chip_, e.cluster, e.slice, map(e.channel, e.row, p.loaded_column));
    std::int64_t const above = x.height > 0 ? x.first - x.top : e.row.size, right = t_.lead + t_.image_columns;
    fill(p, e, all, {0, above}, {0, t_.loaded_columns});
    if (x.height <= 0) return all;
    fill(p, e, all, {above + x.height, e.row.size}, {0, t_.loaded_columns});
    fill(p, e, all, {above, above + x.height}, {0, t_.lead});
    fill(p, e, all, {above, above + x.height}, {right, t_.loaded_columns});
    Mapping const row = dyn::axis("Yr", x.height), column = dyn::axis("Xr", t_.image_columns), wide = column % widest(column.size);
    dyn::Tensor const to = some_of(some_of(all, e.row, x.height, above), p.loaded_column, t_.image_columns, t_.lead)
                               .reshape(map(e.channel, row.pad(e.row.size), column.pad(t_.loaded_columns)));
    if (middle) copy(filled(e, x, middle).reshape(map(e.channel, row, column)), map(e.channel, row, column / wide.size), wide, to);
    else dyn::dma(ctx_.tdma, some_of(x.all, image_rows(), x.height, x.first).reshape(of_image(p, row.pad(s_.rows), column)), to);
    return all;
  }
  /// What was fetched is the image, or has its border already.
  dyn::Tensor with_border(const Parts& p, const Edges& e, const Image& x, const dyn::Tensor& fetched) const {
    return x.height > 0 && !goes_straight(device_, s_) ? edged(p, e, x, fetched) : fetched;
  }
  /// Within each slice.
  void copy(const dyn::Tensor& from, const Mapping& time, const Mapping& packet, const dyn::Tensor& to) const {
    dyn::main(ctx_).begin(from).fetch(ScalarType::bf16, time, packet).collect(time, packet.pad(flit)).commit_view(to);
  }
  struct Range {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
  };
  /// Zeros: a few of them, fetched again and again.
  void fill(const Parts& p, const Edges& e, const dyn::Tensor& all, const Range& rows, const Range& columns) const {
    if (rows.size() <= 0 || columns.size() <= 0) return;
    std::int64_t const wide = widest(columns.size());
    Mapping const k = dyn::axis("Zk", e.channel.size), y = dyn::axis("Zr", rows.size()), x = dyn::axis("Zc", columns.size() / wide),
                  some = dyn::axis("Zl", wide);
    dyn::Tensor const zeros = dyn::Tensor::dm(ctx_, ScalarType::bf16, chip_, e.cluster, e.slice, some);
    dyn::memset(ctx_, zeros, 0);
    dyn::Tensor const to = some_of(some_of(all, e.row, rows.size(), rows.begin), p.loaded_column, columns.size(), columns.begin);
    copy(zeros, map(k, y, x), some, to.reshape(map(k, y.pad(e.row.size), map(x, some).pad(t_.loaded_columns))));
  }

  Context& ctx_;
  const Device& device_;
  const ConvSizes& s_;
  const ConvTiling& t_;
  Mapping chip_;
  dyn::Tensor image_;
};

/// By main, which fetches faster, as long as it has nothing else to do.
dyn::Tensor load_weights(Context& ctx, const Parts& p, const dyn::Tensor& filter, TrfAddress half, bool idle) {
  Mapping const time = map(p.made_by, p.again, p.dense / flit), packet = p.dense % flit;
  dyn::Tensor const all = (idle ? dyn::main(ctx) : dyn::sub(ctx))
                              .begin(filter)
                              .fetch(ScalarType::bf16, time, packet)
                              .collect(time, packet)
                              .to_trf(p.made_by, map(p.again, p.dense), half);
  std::int64_t const used = p.channel.size * p.sizes.filter_rows * p.sizes.filter_columns;
  return some_of(all, p.weight, used, 0).reshape(map(p.again, p.weights));
}
/// What a slice has loaded, as the windows that it computes with.
dyn::Tensor as_windows(const Parts& p, const dyn::Tensor& loaded) {
  ConvTiling const& t = p.tiling;
  if (t.pointwise) return loaded;
  if (t.flat) {
    Mapping const all = dyn::axis("Fl", t.loaded_rows * t.loaded_columns);
    return some_of(loaded.reshape(map(p.channel % p.share, all)), all, p.columns_looked_at.size,
                   t.ahead * t.loaded_columns - p.sizes.padding)
        .reshape(map(p.channel % p.share, p.columns_looked_at.pad(all.size)));
  }
  dyn::Tensor const windows = some_of(loaded, p.loaded_column, p.columns_looked_at.size, t.lead - p.sizes.padding)
                                  .reshape(map(p.channel % p.share, p.rows, p.columns_looked_at.pad(t.loaded_columns)));
  return some_of(windows, p.skipped, 1, 0);
}
/// The sums over one part of the channels.
dyn::Stream multiplied(Context& ctx, const Parts& p, const dyn::Tensor& loaded, const dyn::Tensor& weights) {
  ConvTiling const& t = p.tiling;
  Mapping const time = map(p.row, p.packet, p.channel, p.filter_row);
  bool const plain = t.together == p.sizes.filter_columns;  // no column is looked at twice
  Mapping const own = map(p.row, p.packet, p.channel % p.share, p.filter_row);
  Mapping const flits_of = p.window.pad(std::max(up_to(p.window.size, flit), lanes));
  auto fetched = dyn::main(ctx).begin(as_windows(p, loaded)).fetch(ScalarType::bf16, own, flits_of);
  if (t.ring > 1)
    fetched = std::move(fetched).switch_to(SwitchConfig::Broadcast01{.slice1 = t.ring, .slice0 = 1, .time0 = p.share * p.sizes.filter_rows},
                                           p.slice, time);
  auto flits = plain ? std::move(fetched).collect(map(time, flits_of / flit), flits_of % flit) : std::move(fetched).collect(time, flits_of);
  Mapping const lane = map(p.lane_column, t.together == 2 ? p.filter_column % 2 : dyn::one.pad(t.spacing));
  return std::move(flits)
      .align(weights, map(time, p.filter_column / t.together, p.again), lane)
      .contract(p.lane_column)
      .accumulate(AccumulationKind::Sequential, map(p.row, p.packet, p.again, p.made_by, p.column_out() / 8), p.column_out() % 8);
}
dyn::Stream added(Context& ctx, const Parts& p, const dyn::Tensor& sum, const dyn::Tensor& part) {
  Mapping const both = dyn::axis("X", 2), time = p.sums / 8, eight = p.sums % 8;
  return dyn::main(ctx)
      .begin_interleaved("X", sum, part)
      .fetch(ScalarType::f32, map(time, both), eight)
      .collect(map(time, both), eight)
      .vector_init()
      .vector_intra_slice_unzip("X", map(time, dyn::one.pad(2)), time)
      .vector_split(p.sums / 4, p.sums % 4)
      .vector_fp_zip(FpBinaryOp::AddF)
      .vector_concat(time, eight)
      .vector_final();
}

}  // namespace

Conv2d::Conv2d(const Device& device, const ConvSizes& sizes, Where at)
    : device_(device), sizes_(sizes), tiling_(value_or_throw(tile_conv(device, sizes, at))) {}

Mapping Conv2d::image_layout() const {
  return map(dyn::axis("N", sizes_.images), dyn::axis("K", sizes_.channels), dyn::axis("Y", sizes_.rows),
             dyn::axis("X", sizes_.columns).pad(tiling_.pointwise ? tiling_.loaded_columns : tiling_.image_columns));
}
Mapping Conv2d::filter_layout() const {
  Parts const p(device_, sizes_, tiling_, tiling_.part_channels);
  return map(dyn::axis("Ko", tiling_.parts), p.filter, p.dense);
}
Mapping Conv2d::result_layout() const {
  return map(dyn::axis("N", sizes_.images), dyn::axis("F", sizes_.filters), dyn::axis("H", rows()),
             dyn::axis("W", columns()).pad(tiling_.row_columns));
}
Mapping Conv2d::host_layout() const {
  return map(dyn::axis("N", sizes_.images), dyn::axis("F", sizes_.filters), dyn::axis("H", rows()), dyn::axis("W", columns()));
}

dyn::HostTensor Conv2d::filter(const dyn::HostTensor& weights) const {
  dyn::HostTensor made(ScalarType::bf16, filter_layout());
  std::int64_t const k_of_part = tiling_.part_channels, taps = tiling_.taps, filters = tiling_.groups * tiling_.filters_of_slice(device_);
  bf16 const* from = weights.data<bf16>();
  for (std::int64_t c = 0; c < sizes_.filters; ++c)
    for (std::int64_t k = 0; k < sizes_.channels; ++k) {
      bf16* const to = made.data<bf16>() + (k / k_of_part * filters + c) * tiling_.weights();
      for (std::int64_t i = 0; i < taps; ++i, ++from) to[(k % k_of_part * taps + i) * tiling_.spacing] = *from;
    }
  return made;
}

dyn::Tensor Conv2d::operator()(Context& ctx, const dyn::Tensor& image, const dyn::Tensor& filter) const {
  ConvTiling const& t = tiling_;
  Parts const p(device_, sizes_, t, t.part_channels), of_last(device_, sizes_, t, last_channels(sizes_, t));
  Loader const loader(ctx, device_, sizes_, t, image);
  bool const whole = p.filter.size == sizes_.filters;
  Mapping const images = dyn::axis("N", sizes_.images), made_filters = dyn::axis("Fa", p.filter.size), h = dyn::axis("H", rows()),
                blocks = dyn::axis("Bt", t.blocks), row_columns = dyn::axis("W", columns()).pad(t.row_columns);
  dyn::Tensor const y = dyn::Tensor::hbm(ctx, ScalarType::bf16, image.levels()[Level::chip],
                                         whole ? result_layout() : map(images, made_filters, h, row_columns));
  dyn::Tensor const made = y.reshape(map(images, p.filter, blocks, p.block_row, p.columns));
  auto const results_of = [&](const Step& s) {
    return some_of(some_of(made, images, t.step_images, s.image), blocks, t.step_blocks, s.block)
        .reshape(map(p.image.pad(sizes_.images), p.filter, p.block.pad(t.blocks), p.block_row, p.columns));
  };
  std::vector<Step> const steps = steps_of(sizes_, t);
  auto const parts_of = [&](const Step& s) -> const Parts& { return s.part + 1 == t.parts ? of_last : p; };
  std::vector<dyn::Tensor> filters;  // parts of them, loaded once
  auto const load_filter = [&](std::int64_t k) {
    return some_of(filter, dyn::axis("Ko", t.parts), 1, k).to_dm(ctx.tdma, p.cluster, p.slice, map(p.mine, p.dense));
  };
  auto const fetched = [&](std::size_t at) { return at < steps.size() ? loader.fetch(parts_of(steps[at]), steps[at]) : dyn::Tensor(); };
  dyn::Tensor const first = fetched(0);
  filters.push_back(load_filter(0));  // while the border of the first image is made
  dyn::Tensor now, next = loader.make(parts_of(steps[0]), steps[0], first), coming = fetched(1), weights, sum;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    Step const& s = steps[at];
    Parts const& of_part = parts_of(s);
    dyn::Tensor const after_next = fetched(at + 2);
    now = loader.finish(of_part, s, next);
    if (filters.size() <= static_cast<std::size_t>(s.part)) filters.push_back(load_filter(s.part));
    if (t.parts == 1 && at == 0) weights = load_weights(ctx, of_part, filters[0], TrfAddress::Full, true);
    if (t.parts > 1)
      weights = load_weights(ctx, of_part, filters[static_cast<std::size_t>(s.part)],
                             at % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf, at == 0);
    if (at + 1 < steps.size()) next = loader.make(parts_of(steps[at + 1]), steps[at + 1], coming);  // queued ahead of what this step stores
    coming = after_next;
    auto sums = multiplied(ctx, of_part, now, weights);
    if (s.part > 0) {
      auto const part = std::move(sums).commit(p.sums);
      sums = added(ctx, p, sum, part);
    }
    if (s.part + 1 < t.parts) {
      sum = std::move(sums).commit(p.sums);
      continue;
    }
    auto const done = std::move(sums).cast(ScalarType::bf16, (p.column_out() % 8).pad(flit)).commit(p.results);
    dyn::dma(ctx.tdma, p.plain(ctx, done), results_of(s));
  }
  if (whole) return y;
  Mapping const padded = map(images, dyn::axis("F", sizes_.filters).pad(made_filters.size), h, row_columns);
  return y.tile(made_filters, sizes_.filters, 0).reshape(padded).to_hbm(ctx.tdma, result_layout());
}

Work Conv2d::work() const {
  std::int64_t const in = sizes_.images * sizes_.channels * sizes_.rows * sizes_.columns;
  std::int64_t const out = sizes_.images * sizes_.filters * rows() * columns();
  std::int64_t const weights = sizes_.channels * sizes_.filter_rows * sizes_.filter_columns;
  return {.multiply_adds = out * weights, .hbm_bytes = 2 * (in + out + sizes_.filters * weights), .dm_bytes = 2 * (in + out)};
}

}  // namespace tcp::kernels
