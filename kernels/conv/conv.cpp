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

ConvTiling::Steps steps_of(std::int64_t size, std::int64_t filter, const ConvSizes& s) {
  ConvTiling::Steps t;
  t.results = (size + 2 * s.padding - s.dilation * (filter - 1) - 1) / s.stride + 1;
  t.step = filter == 1 ? s.stride : std::gcd(s.stride, s.dilation);
  t.stride = s.stride / t.step;
  t.dilation = filter == 1 ? 1 : s.dilation / t.step;
  return t;
}
/// Positions that `results` results look at.
std::int64_t reach(const ConvTiling::Steps& t, std::int64_t results, std::int64_t filter) {
  return t.stride * (results - 1) + t.dilation * (filter - 1) + 1;
}

/// A slice's bytes of a tiling, and about how long it takes.
class Candidate {
 public:
  Candidate(const Device& device, const ConvSizes& s, ConvTiling tiling) : device_(device), s_(s), t(tiling) {
    t.blocks = t.rows.results / t.block_rows;
    t.row_columns = t.packets * t.packet_columns;
    std::int64_t const rows_together = t.block_rows * (t.blocks == 1 ? filters() : 1), unit = device.hbm.access_bytes.value / 2;
    t.row_columns = up_to(t.row_columns, unit / std::gcd(unit, rows_together));
    // A cluster has whole images, or part of one.
    std::int64_t const clusters = device.levels.clusters_per_chip, places = device.levels.slices_per_cluster / t.groups;
    std::int64_t const most_images = std::max<std::int64_t>(places / power_from(t.blocks) * clusters, 1);
    std::int64_t const rounds = ceil_of(s.images, most_images),
                       images = rounds == 1 ? s.images : up_to(ceil_of(s.images, rounds), std::min(clusters, most_images));
    t.step_blocks = std::min(images * t.blocks, clusters * places);
    if (t.step_blocks < s.images * t.blocks) t.step_blocks -= t.step_blocks % clusters;  // views of some blocks are cut evenly
    t.cluster_blocks = images > 1 ? ceil_of(images, clusters) * t.blocks : ceil_of(t.step_blocks, clusters);
  }
  std::int64_t filters() const { return t.filters_of_slice(device_); }
  /// Of a slice, which has its share of the channels.
  std::int64_t frame_bytes() const {
    return 2 * t.part_channels / t.ring * reach(t.rows, t.block_rows, s_.filter_rows) *
           up_to(reach(t.columns, t.packets * t.packet_columns, s_.filter_columns), row_of_dm);
  }
  std::int64_t filter_bytes() const { return 2 * filters() * t.parts * t.weights(); }
  std::int64_t steps() const {
    return t.step_blocks < t.blocks ? s_.images * ceil_of(t.blocks, t.step_blocks) : ceil_of(s_.images * t.blocks, t.step_blocks);
  }
  bool fits() const {
    if (t.step_blocks == 0) return false;
    std::int64_t const results = filters() * t.block_rows * t.row_columns;
    std::int64_t const sums = t.parts > 1 ? 3 * 4 * results : 0;
    return 2 * frame_bytes() + filter_bytes() + sums + 2 * 2 * results <= device_.dm.slice_capacity.value;
  }
  /// Transfers stand in one queue; of several steps one is computed while others are on their way.
  double cycles() const {
    std::int64_t const flits = ceil_of(reach(t.columns, t.packet_columns, s_.filter_columns), flit);
    std::int64_t const of_a_row = std::max(flits, t.reuse * s_.filter_columns / t.together);
    auto const computing = static_cast<double>(t.block_rows * t.packets * t.parts * t.part_channels * s_.filter_rows * of_a_row);
    std::int64_t const slices = t.step_blocks * t.groups, results = 2 * filters() * t.block_rows * t.row_columns;
    double const loading = moving(frame_bytes() * t.parts * slices, t.parts), storing = moving(results * slices, 1);
    double const more = static_cast<double>(steps() - 1) * std::max(loading + storing, computing);
    return moving(filter_bytes() * slices, t.parts) + loading + computing + storing + more;
  }

 private:
  double moving(std::int64_t bytes, std::int64_t transfers) const {
    return static_cast<double>(bytes) * static_cast<double>(device_.clocks.core_mhz) / static_cast<double>(hbm_mb_per_s(device_)) +
           static_cast<double>(transfers * device_.dma.startup.value);
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
  t.rows = steps_of(s.rows, s.filter_rows, s);
  t.columns = steps_of(s.columns, s.filter_columns, s);
  t.packet_columns = lanes / t.columns.stride;
  t.packets = ceil_of(t.columns.results, t.packet_columns);
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
    if (t.pointwise && t.part_channels != s.channels) return;
    if (t.reuse * t.weights() > (t.parts == 1 ? of_a_row : of_a_row / 2)) return;
    for (t.block_rows = 1; t.block_rows <= t.rows.results; ++t.block_rows)
      if (t.rows.results % t.block_rows == 0) consider();
  };
  auto const search = [&] {
    for (t.reuse = 1; t.reuse <= most_reuse; t.reuse *= 2) {
      t.groups = power_from(ceil_of(s.filters, t.filters_of_slice(device)));
      if (t.groups > device.levels.slices_per_cluster) continue;
      for (t.ring = 1; t.ring <= t.groups && t.ring <= power_from(s.channels); t.ring *= 2)
        for (std::int64_t parts = 1; parts <= s.channels; parts *= 2) with_channels(parts);
    }
  };
  // A single column fills no row of DM that could be committed by itself.
  t.pointwise = t.taps == 1 && s.stride == 1 && s.padding == 0 && s.columns > 1;
  search();
  if (std::exchange(t.pointwise, false) && least_cycles == 0) search();
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

/// The axes, named by what they count, and mappings made of them.
struct Parts {
  Parts(const Device& device, const ConvSizes& s, const ConvTiling& t)
      : sizes(s),
        tiling(t),
        block(dyn::axis("U", s.images * t.blocks)),
        part(dyn::axis("Ko", t.parts)),
        in_ring(axis_of("Ring", t.ring)),
        channel(dyn::axis("Ki", t.part_channels)),
        group(map(axis_of("Beside", t.groups / t.ring), in_ring)),
        mine(dyn::axis("C", t.filters_of_slice(device))),
        filter(map(group, mine)),
        row(dyn::axis("Hi", t.block_rows)),
        packet(dyn::axis("Wo", t.packets)),
        column(dyn::axis("Wi", t.packet_columns)),
        filter_row(dyn::axis("Fh", s.filter_rows)),
        filter_column(dyn::axis("Fw", s.filter_columns)) {
    Slide const below[] = {{row, t.rows.stride}, {filter_row, t.rows.dilation}};
    Slide const across[] = {{packet, t.columns.stride * t.packet_columns}, {column, t.columns.stride}, {filter_column, t.columns.dilation}};
    Slide const in_packet[] = {{column, t.columns.stride}, {filter_column, t.columns.dilation}};
    if (t.pointwise) {  // nothing slides
      Mapping const all = dyn::axis("W", t.columns.results).pad(t.packets * t.packet_columns);
      packet = all / t.packet_columns;
      column = window = all % t.packet_columns;
      image = map(row, all);
    } else {
      window = slide_over(in_packet);
      Mapping const whole = slide_over(across);
      image = map(slide_over(below), whole.pad(up_to(whole.size, row_of_dm)));
    }
    weights = map(map(channel, filter_row, filter_column).pad(t.weights() / t.spacing), dyn::one.pad_zero(t.spacing));

    weight = dyn::axis("P", t.weights() / t.spacing);
    between = axis_of("Ps", t.spacing);
    dense = map(weight, between);
    std::int64_t const eight = device.levels.rows_per_slice, clusters = device.levels.clusters_per_chip;
    Mapping const blocks = t.step_blocks == block.size ? block : block.resize(t.step_blocks);
    std::int64_t const in_cluster = t.cluster_blocks;
    cluster = blocks.pad(clusters * in_cluster) / in_cluster;
    // Blocks that leave slices idle leave them everywhere, so that all DMA engines take part.
    std::int64_t const places = device.levels.slices_per_cluster / t.groups;
    // Images begin at powers of two, for engines that serve so many slices.
    std::int64_t const images = ceil_of(in_cluster, t.blocks), of_image = power_from(std::min(in_cluster, t.blocks)),
                       used = power_from(images) * of_image;
    Mapping const here = blocks.pad(clusters * in_cluster) % in_cluster;
    Mapping const of_images =
        images == 1 ? here.pad(of_image) : map((here / t.blocks).pad(power_from(images)), (here % t.blocks).pad(of_image));
    place = map(of_images, dyn::one.pad(places / used));
    slice = map(place, group);
    share = t.part_channels / t.ring;
    made_by = mine % eight;
    again = mine / eight;
    sums = map(mine, row, packet, column);
    results = map(mine, row, map(packet, column).pad(t.row_columns));
    columns = dyn::axis("W", t.columns.results).pad(t.row_columns);
  }
  dyn::Tensor blocks_of(const dyn::Tensor& t, std::int64_t first) const {
    return tiling.pointwise ? results_of(t, first) : some_of(t, block, tiling.step_blocks, first);
  }
  /// How results lie: images, filters, rows, columns.
  Mapping made() const { return map(block / tiling.blocks, filter, block % tiling.blocks, row, columns); }
  /// An image that needs no frame, with rows of so many columns.
  Mapping plain_image(std::int64_t row_columns) const {
    return map(block / tiling.blocks, part, channel, block % tiling.blocks, row, dyn::axis("W", tiling.columns.results).pad(row_columns));
  }
  /// Results of a slice, without the columns that fill up the last packet.
  dyn::Tensor plain(const dyn::Tensor& done) const {
    if (tiling.pointwise) return done;
    Mapping const all = dyn::axis("Wa", tiling.packets * tiling.packet_columns);
    return some_of(done.reshape(map(mine, row, all.pad(columns.size))), all, tiling.columns.results, 0).reshape(map(mine, row, columns));
  }
  dyn::Tensor results_of(const dyn::Tensor& y, std::int64_t first) const {
    std::int64_t const images = ceil_of(tiling.step_blocks, tiling.blocks), in_image = std::min(tiling.step_blocks, tiling.blocks);
    return some_of(some_of(y, block / tiling.blocks, images, first / tiling.blocks), block % tiling.blocks, in_image,
                   first % tiling.blocks);
  }
  /// Of the ring's slices each has some channels.
  Mapping shares() const { return map(place, axis_of("Beside", tiling.groups / tiling.ring), channel / share); }
  dyn::Tensor part_of(const dyn::Tensor& t, std::int64_t which) const { return tiling.parts == 1 ? t : t.tile(part, 1, which); }

  const ConvSizes& sizes;
  const ConvTiling& tiling;
  Mapping block, part, in_ring, channel, group, mine, filter, row, packet, column, filter_row, filter_column;
  Mapping window;                  // what is fetched at once
  Mapping image;                   // a block of one channel
  Mapping weights;                 // of one filter, a part of its channels
  Mapping weight, between, dense;  // the same as it lies in memory, zeros included
  Mapping cluster, place, slice;
  std::int64_t share = 1;  // channels that a slice of a ring loads
  Mapping made_by, again;  // filters of a slice: the Rows; how often a packet is used
  Mapping sums, results;   // of a slice, f32 and bf16
  Mapping columns;         // of the result, filled up to whole units of HBM
};

/// Where each step begins: whole images, or blocks of one. The last of them do some blocks again.
std::vector<std::int64_t> first_blocks(const Parts& p) {
  ConvTiling const& t = p.tiling;
  std::vector<std::int64_t> all;
  std::int64_t const of = t.step_blocks < t.blocks ? t.blocks : p.block.size;
  for (std::int64_t from = 0; from < p.block.size; from += of)
    for (std::int64_t b = 0; b < of; b += t.step_blocks) all.push_back(from + std::min(b, of - t.step_blocks));
  return all;
}
/// By main, which fetches faster, as long as it has nothing else to do.
dyn::Tensor load_weights(Context& ctx, const Parts& p, const dyn::Tensor& filter, TrfAddress half, bool idle) {
  Mapping const time = map(p.made_by, p.again, p.dense / flit), packet = p.dense % flit;
  dyn::Tensor const all = (idle ? dyn::main(ctx) : dyn::sub(ctx))
                              .begin(filter)
                              .fetch(ScalarType::bf16, time, packet)
                              .collect(time, packet)
                              .to_trf(p.made_by, map(p.again, p.dense), half);
  std::int64_t const used = p.tiling.part_channels * p.sizes.filter_rows * p.sizes.filter_columns;
  return some_of(some_of(all, p.weight, used, 0), p.between, 1, 0).reshape(map(p.again, p.weights));
}
/// The sums over one part of the channels.
dyn::Stream multiplied(Context& ctx, const Parts& p, const dyn::Tensor& frame, const dyn::Tensor& weights) {
  ConvTiling const& t = p.tiling;
  Mapping const time = map(p.row, p.packet, p.channel, p.filter_row);
  bool const plain =
      t.together * t.packet_columns == p.window.size && t.together == p.sizes.filter_columns;  // no column is looked at twice
  Mapping const own = map(p.row, p.packet, p.channel % p.share, p.filter_row);
  auto fetched = dyn::main(ctx).begin(frame).fetch(ScalarType::bf16, own, p.window.pad(up_to(p.window.size, flit)));
  if (t.ring > 1)
    fetched = std::move(fetched).switch_to(SwitchConfig::Broadcast01{.slice1 = t.ring, .slice0 = 1, .time0 = p.share * p.sizes.filter_rows},
                                           p.slice, time);
  auto flits = plain ? std::move(fetched).collect(map(time, p.window / flit), p.window % flit)
                     : std::move(fetched).collect(time, p.window.pad(up_to(p.window.size, flit)));
  Mapping const lane = map(p.column, t.together == 2 ? p.filter_column % 2 : dyn::one.pad(t.spacing));
  return std::move(flits)
      .align(weights, map(time, p.filter_column / t.together, p.again), lane)
      .contract(p.column)
      .accumulate(AccumulationKind::Sequential, map(p.row, p.packet, p.again, p.made_by, p.column / 8), p.column % 8);
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

Mapping Conv2d::frame_layout() const {
  Parts const p(device_, sizes_, tiling_);
  return tiling_.pointwise ? p.plain_image(p.packet.size * p.column.size) : map(p.block, p.part, p.channel, p.image);
}
Mapping Conv2d::filter_layout() const {
  Parts const p(device_, sizes_, tiling_);
  return map(p.filter, p.part, p.dense);
}
Mapping Conv2d::result_layout() const {
  return map(dyn::axis("N", sizes_.images), dyn::axis("F", sizes_.filters), dyn::axis("H", rows()),
             dyn::axis("W", columns()).pad(tiling_.row_columns));
}
Mapping Conv2d::host_layout() const {
  return map(dyn::axis("N", sizes_.images), dyn::axis("F", sizes_.filters), dyn::axis("H", rows()), dyn::axis("W", columns()));
}

dyn::HostTensor Conv2d::frame(const dyn::HostTensor& images) const {
  ConvTiling const& t = tiling_;
  Parts const p(device_, sizes_, t);
  dyn::HostTensor made(ScalarType::bf16, map(p.block, p.part, p.channel, p.image));
  std::int64_t const down = reach(t.rows, t.block_rows, sizes_.filter_rows);
  std::int64_t const along = up_to(reach(t.columns, padded_columns(), sizes_.filter_columns), row_of_dm);
  bf16 const* const from = images.data<bf16>();
  bf16* to = made.data<bf16>();
  for (std::int64_t u = 0; u < sizes_.images * t.blocks; ++u)
    for (std::int64_t k = 0; k < t.parts * t.part_channels; ++k)
      for (std::int64_t y = 0; y < down; ++y, to += along) {
        std::int64_t const row = t.rows.step * (u % t.blocks * t.block_rows * t.rows.stride + y) - sizes_.padding;
        if (k >= sizes_.channels || row < 0 || row >= sizes_.rows) continue;
        bf16 const* const line = from + ((u / t.blocks * sizes_.channels + k) * sizes_.rows + row) * sizes_.columns;
        for (std::int64_t x = 0; x < along; ++x) {
          std::int64_t const column = t.columns.step * x - sizes_.padding;
          if (column >= 0 && column < sizes_.columns) to[x] = line[column];
        }
      }
  return made;
}
dyn::HostTensor Conv2d::filter(const dyn::HostTensor& weights) const {
  Parts const p(device_, sizes_, tiling_);
  dyn::HostTensor made(ScalarType::bf16, map(p.filter, p.part, p.dense));
  std::int64_t const k_of_part = tiling_.part_channels, taps = tiling_.taps;
  bf16 const* from = weights.data<bf16>();
  for (std::int64_t c = 0; c < sizes_.filters; ++c)
    for (std::int64_t k = 0; k < sizes_.channels; ++k) {
      bf16* const to = made.data<bf16>() + (c * tiling_.parts + k / k_of_part) * tiling_.weights();
      for (std::int64_t i = 0; i < taps; ++i, ++from) to[(k % k_of_part * taps + i) * tiling_.spacing] = *from;
    }
  return made;
}

dyn::Tensor Conv2d::operator()(Context& ctx, const dyn::Tensor& image, const dyn::Tensor& filter) const {
  Parts const p(device_, sizes_, tiling_);
  std::int64_t const lines = sizes_.images * p.part.size * p.channel.size * sizes_.rows;
  dyn::Tensor const frame = tiling_.pointwise ? image.reshape(p.plain_image(image.levels()[Level::element].size / lines)) : image;
  ConvTiling const& t = tiling_;
  bool const whole = p.filter.size == sizes_.filters;
  Mapping const images = dyn::axis("N", sizes_.images), made_filters = dyn::axis("Fa", p.filter.size), h = dyn::axis("H", rows());
  dyn::Tensor const y = dyn::Tensor::hbm(ctx, ScalarType::bf16, frame.levels()[Level::chip],
                                         whole ? result_layout() : map(images, made_filters, h, p.columns));
  dyn::Tensor const made = y.reshape(p.made());
  struct Step {
    std::int64_t block, part;
  };
  std::vector<Step> steps;
  for (std::int64_t b : first_blocks(p))
    for (std::int64_t k = 0; k < t.parts; ++k) steps.push_back({b, k});
  auto const load = [&](const Step& s) {
    return p.part_of(p.blocks_of(frame, s.block), s.part).to_dm(ctx.tdma, p.cluster, p.shares(), map(p.channel % p.share, p.image));
  };
  std::vector<dyn::Tensor> filters;  // parts of them, loaded once
  auto const load_filter = [&](std::int64_t k) { return p.part_of(filter, k).to_dm(ctx.tdma, p.cluster, p.slice, map(p.mine, p.dense)); };
  filters.push_back(load_filter(0));  // first, as they have to go through the sub context as well
  dyn::Tensor now, next = load(steps.front()), weights, sum;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    Step const& s = steps[at];
    now = std::move(next);
    if (filters.size() <= static_cast<std::size_t>(s.part)) filters.push_back(load_filter(s.part));
    if (t.parts == 1 && at == 0) weights = load_weights(ctx, p, filters[0], TrfAddress::Full, true);
    if (t.parts > 1)
      weights = load_weights(ctx, p, filters[static_cast<std::size_t>(s.part)],
                             at % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf, at == 0);
    if (at + 1 < steps.size()) next = load(steps[at + 1]);  // queued ahead of what this step stores
    auto sums = multiplied(ctx, p, now, weights);
    if (s.part > 0) {
      auto const part = std::move(sums).commit(p.sums);
      sums = added(ctx, p, sum, part);
    }
    if (s.part + 1 < t.parts) {
      sum = std::move(sums).commit(p.sums);
      continue;
    }
    auto const done = std::move(sums).cast(ScalarType::bf16, (p.column % 8).pad(flit)).commit(p.results);
    dyn::dma(ctx.tdma, p.plain(done), p.results_of(made, s.block));
  }
  if (whole) return y;
  Mapping const padded = map(images, dyn::axis("F", sizes_.filters).pad(made_filters.size), h, p.columns);
  return y.tile(made_filters, sizes_.filters, 0).reshape(padded).to_hbm(ctx.tdma, result_layout());
}

Work Conv2d::work() const {
  std::int64_t const in = sizes_.images * sizes_.channels * sizes_.rows * sizes_.columns;
  std::int64_t const out = sizes_.images * sizes_.filters * rows() * columns();
  std::int64_t const weights = sizes_.channels * sizes_.filter_rows * sizes_.filter_columns;
  return {.multiply_adds = out * weights, .hbm_bytes = 2 * (in + out + sizes_.filters * weights), .dm_bytes = 2 * (in + out)};
}

}  // namespace tcp::kernels
