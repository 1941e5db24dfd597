// The generator: the commands of a product under a mapping, for each of its bands, tiles and parts.
//
// Slices compute by axes of their own, all whole: what is loaded is padded where the product ends inside, and then
// given these names (relabel), so that nothing after the load knows of odd sizes. The store gives the names back.
//
//   Kc Kr Ko   cluster, slice of a ring and step of a slice, of the kept axis
//   Sc Sg Sr So   cluster, group, slice of a ring and step of a slice, of the streamed axis
//   Bc Bs      cluster and slices of a batch
//   L          a part of the summed axis
//   Ik, Is, Ib a band of the kept axis, a tile of the streamed axis, and some batches, as they are in HBM
//
// A convolution has also:
//
//   Ni Yi Xi Ck   images, their places and channels in HBM, zeros around them included
//   Bh Bw      blocks of pixels, as many as a slice keeps;  Wh Ww, Yw Xw: the places that one of them sees
//   Pr Pc      pixels of a slice
//   Kp         rings of a group, past which the same filters stream
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "mapper/epilogue.hpp"
#include "mapper/windows.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/mapper/kernel.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::mapper {
namespace {

using dyn::map;
using formula::Operation;

/// What the axes of a product are called in HBM: as in the formula, but that names of mappings begin with an
/// uppercase letter.
struct Names {
  explicit Names(const Product& p) {
    if (p.windows) images = axis(p, p.windows->image_axis, p.windows->images);
    rows = axis(p, p.row_axis, p.windows ? p.windows->down.pixels : p.rows);
    if (p.windows) across = axis(p, p.windows->across.axis, p.windows->across.pixels);
    columns = axis(p, p.column_axis, p.columns);
    depth = axis(p, p.summed_axis, p.depth);
    batches = axis(p, p.batch_axis, p.batches);
    if (!p.windows) return;
    places_down = own("Yi", p.windows->down.places);
    places_across = own("Xi", p.windows->across.places);
    channels = own("Ci", p.windows->channels);
    weights = own("Wi", p.windows->down.weights * p.windows->across.weights);
  }
  /// A name for one of the kernel's own axes, that no axis of the formula has.
  Mapping own(std::string name, std::int64_t size) const {
    if (size == 1) return dyn::one;
    return dyn::axis(free(std::move(name)), size);
  }
  std::string free(std::string name) const {
    while (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) name += "_";
    return name;
  }

  Mapping rows, columns, depth, batches;
  Mapping images, across, places_down, places_across, channels, weights;  // of a convolution

 private:
  Mapping axis(const Product& p, int a, std::int64_t size) {
    if (a < 0) return dyn::one;
    std::string name = p.formula.axes[static_cast<std::size_t>(a)].name;
    name[0] = static_cast<char>(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0]);
    if (name[0] == '_') name[0] = 'X';
    taken_.push_back(free(name));
    return size == 1 ? dyn::one : dyn::axis(taken_.back(), size);
  }
  std::vector<std::string> taken_;
};

/// An operand or the result in HBM: batches around the steps of its own axis, or within them.
Mapping with_batches(const Mapping& batches, bool within, const Mapping& own, const Mapping& last) {
  return within ? map(own, batches, last) : map(batches, own, last);
}
Mapping layout_of_b(const Product& p, const Names& n, const Mapping& columns, const Sizes& z, std::int64_t block) {
  if (block > 0) return map(n.batches, n.depth / block, columns, n.depth % block);
  return with_batches(n.batches, p.batches_in_b, columns, n.depth.pad(z.padded_depth));
}

Mapping padded_to(const Mapping& m, std::int64_t size) { return m.size == size ? m : m.pad(size); }
Mapping with_zeros(const Mapping& m, std::int64_t before, std::int64_t size) {
  if (before > 0) return m.pad_left(before).pad_zero(size);
  return m.size == size ? m : m.pad_zero(size);
}
/// An image in HBM.
Mapping layout_of_image(const Names& n, const Product& p, const StoredImage& stored) {
  const ImageWindows& w = *p.windows;
  return map(n.images, with_zeros(n.places_down, w.down.before, stored.rows), with_zeros(n.places_across, w.across.before, stored.pitch),
             with_zeros(n.channels, 0, w.stored_channels));
}
Mapping layout_of_filters(const Device& device, const Names& n, const KernelMapping& m, const Sizes& z) {
  const ImageWindows& w = *m.product.windows;
  std::int64_t const block = m.decisions.block;
  if (block > 0) return map(n.depth / block, n.columns, padded_to(n.depth % block, stored_share(device, m.product, m.decisions)));
  if (w.channels == w.stored_channels) return map(n.columns, n.depth.pad(z.padded_depth));
  return map(n.columns, map(n.weights, n.channels.pad_zero(w.stored_channels)).pad(z.padded_depth));
}

class Generator {
 public:
  Generator(Context& ctx, const Device& device, const ProductKernel& kernel, const std::vector<dyn::Tensor>& inputs)
      : ctx_(ctx),
        device_(device),
        p_(kernel.mapping().product),
        d_(kernel.mapping().decisions),
        z_(device, p_, d_),
        names_(p_),
        passes_(passes_of(p_, kernel.mapping().decisions.parts.size() > 1)) {
    std::vector<int> const order = kernel.inputs();
    for (std::size_t i = 0; i < order.size(); ++i) inputs_.emplace(order[i], inputs[i]);
    kept_ = inputs_.at(z_.keeps_a() ? p_.a : p_.b);
    streamed_ = inputs_.at(z_.keeps_a() ? p_.b : p_.a);
    chip_ = kept_.levels()[Level::chip];
    wide_columns_ = named("Cw", z_.padded_columns);
    columns_of_b_ = names_.columns;
    if (z_.columns_of_b != p_.columns) {
      columns_of_b_ = named("Bw", z_.columns_of_b);
      dyn::Tensor& b = z_.keeps_a() ? streamed_ : kept_;
      b = b.relabel(chip_, layout_of_b(p_, names_, columns_of_b_, z_, d_.block));
    }
    if (p_.windows) name_windows(kernel.mapping());
    c_ = dyn::Tensor::hbm(ctx_, p_.result, chip_, result_in_hbm(wide_columns_));
  }

  dyn::Tensor run() {
    for (std::size_t round = 0; round < static_cast<std::size_t>(z_.rounds()); ++round)
      for (std::size_t b = 0; b < d_.bands.size(); ++b) add_steps(round, b);
    std::size_t loaded = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::size_t const until = std::min(steps_.size(), i + 1 + static_cast<std::size_t>(d_.ahead));
      if (i == 0) {
        load(steps_[loaded++]);
        fill(steps_[0]);
      }
      while (loaded < until) load(steps_[loaded++]);
      if (i > 0) fill(steps_[i]);
      compute(steps_[i]);
      keep_next_numbers(i);
      release(i);
    }
    Mapping const whole = result_in_hbm(names_.columns.pad(z_.padded_columns));
    return z_.padded_columns == p_.columns ? c_.reshape(whole) : c_.relabel(chip_, whole);
  }

 private:
  struct Step {
    std::size_t round, band, tile, part;
    bool operator==(const Step&) const = default;
  };
  struct Key {
    std::size_t round, band, tile, part;
    auto operator<=>(const Key&) const = default;
  };

  Mapping named(const char* name, std::int64_t size) const { return names_.own(name, size); }
  Mapping result_in_hbm(const Mapping& columns) const {
    return with_batches(names_.batches, p_.batches_in_result, map(names_.images, names_.rows, names_.across), columns);
  }

  // The steps, in the order in which they are computed.

  void add_steps(std::size_t round, std::size_t band) {
    std::size_t const tiles = d_.bands[band].tiles.size(), parts = d_.parts.size();
    bool const parts_outside = d_.outer == OuterLoop::parts;
    for (std::size_t outer = 0; outer < (parts_outside ? parts : tiles); ++outer)
      for (std::size_t inner = 0; inner < (parts_outside ? tiles : parts); ++inner)
        steps_.push_back({round, band, parts_outside ? inner : outer, parts_outside ? outer : inner});
  }
  const Band& band(const Step& s) const { return d_.bands[s.band]; }
  std::int64_t part(const Step& s) const { return d_.parts[s.part]; }
  std::int64_t part_begin(std::size_t part) const {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < part; ++i) at += d_.parts[i];
    return at;
  }
  bool several_parts() const { return d_.parts.size() > 1; }

  // The axes of slices.

  struct Axes {
    Mapping cluster, idle, group, ring, own;  // as computed
    Mapping row, lanes_of_own;                // of own: what stands in Rows, and how many times
    Mapping out, in_ring, tile;               // of the streamed axis: step of a slice, and of its ring; both
    Mapping slice;
  };
  Axes axes(const Band& b, std::int64_t tile) const {
    Axes a;
    a.cluster = d_.clusters == OverClusters::kept       ? named("Kc", z_.clusters_kept)
                : d_.clusters == OverClusters::streamed ? named("Sc", z_.clusters_streamed)
                : d_.clusters == OverClusters::batches  ? named("Bc", z_.clusters_batches)
                                                        : dyn::one.pad(device_.levels.clusters_per_chip);
    std::int64_t const idle = z_.idle(b);
    a.idle = idle_and(idle, named("Bs", d_.batches));
    a.group = named("Sg", b.groups);
    a.ring = named("Kr", b.ring);
    if (p_.windows) {
      a.idle = named("Kp", idle);
      a.own = map(named("Pr", d_.pixel_rows), named("Pc", d_.pixel_columns));
      a.row = a.own % d_.row;
      a.lanes_of_own = a.own / d_.row;
      std::int64_t const filters = ring_shares(b, tile).filters;
      a.in_ring = named("Sr", filters);
      a.out = named("So", tile / filters);
      a.tile = map(a.out, a.in_ring);
      a.slice = in_slices(a, a.group, a.ring);
      return a;
    }
    a.own = named("Ko", z_.own(b));
    a.row = a.own % d_.row;
    a.lanes_of_own = a.own / d_.row;
    a.in_ring = named("Sr", b.ring);
    a.out = named("So", tile / b.ring);
    a.tile = map(a.out, a.in_ring);
    a.slice = map(a.idle, a.group, a.ring);
    return a;
  }

  static Mapping idle_and(std::int64_t idle, const Mapping& batches) { return map(idle == 1 ? dyn::one : dyn::one.pad(idle), batches); }

  /// The batches of a step, and their places: a cluster, and slices of a band's.
  struct SomeBatches {
    Mapping from, cluster, slot;
  };
  SomeBatches batches(const Step& s) const {
    Mapping const from = named("Ib", z_.batches_of(s.round)), y = padded_to(from, z_.batch_room());
    return {from, y / d_.batches, y % d_.batches};
  }
  Mapping idle_slices(const Step& s) const { return idle_and(z_.idle(band(s)), batches(s).slot); }
  Mapping cluster_of(const Step& s, const Axes& a) const { return d_.clusters == OverClusters::batches ? batches(s).cluster : a.cluster; }
  dyn::Tensor tile_of_batches(const dyn::Tensor& t, const Step& s) const {
    std::int64_t const live = z_.batches_of(s.round);
    return live == p_.batches ? t : t.tile(names_.batches, live, static_cast<std::int64_t>(s.round) * z_.batch_room());
  }

  /// Groups and rings in the order in which slices count them; a group of a convolution has several rings.
  Mapping in_slices(const Axes& a, const Mapping& group, const Mapping& ring) const {
    return p_.windows ? map(group, a.idle, ring) : map(a.idle, group, ring);
  }

  // Loading.

  /// Some batches, steps of the operand's own axis, and a part of the summed axis, as [batches, own, part # row].
  dyn::Tensor part_of(const dyn::Tensor& operand, const Step& step, bool is_a, const AxisStretch& s, const Mapping& own, std::int64_t at,
                      const Mapping& l) const {
    const Mapping& all = is_a ? names_.rows : columns_of_b_;
    dyn::Tensor t = tile_of_batches(operand, step);
    Mapping const some = padded_to(batches(step).from, p_.batches);
    if (s.live != all.size) t = t.tile(all, s.live, s.start);
    if (in_blocks(is_a)) {
      Mapping const blocks = names_.depth / d_.block;
      if (l.size != p_.depth) t = t.tile(blocks, l.size / d_.block, at / d_.block);
      Mapping const in_block = p_.windows ? padded_to(l % d_.block, stored_share(device_, p_, d_)) : l % d_.block;
      return t.reshape(map(some, (l / d_.block).pad(blocks.size), own.pad(all.size), in_block));
    }
    if (l.size != p_.depth) t = t.tile(names_.depth, l.size, at);
    return t.reshape(with_batches(some, is_a ? p_.batches_in_a : p_.batches_in_b, own.pad(all.size), l.pad(z_.padded_depth)));
  }
  bool in_blocks(bool is_a) const { return !is_a && d_.block > 0; }
  /// A slice's own steps of an operand, with their part of the summed axis, in DM.
  Mapping in_slice(bool is_a, const Mapping& own, const Mapping& l, std::int64_t depth) const {
    return in_blocks(is_a) ? map(l / d_.block, own, l % d_.block) : map(own, l.pad(depth));
  }

  void load(const Step& s) {
    if (d_.kept_first) load_kept(s);
    load_streamed(s);
    load_kept(s);
    if (!several_parts()) load_numbers(s);
  }
  void load_kept(const Step& s) {
    if (p_.windows) return load_windows(s);
    Key const key{s.round, s.band, 0, s.part};
    if (kept_dm_.count(key) > 0) return;
    const Band& b = band(s);
    AxisStretch const stretch = z_.band(s.band);
    bool const whole = d_.kept_at_once && several_parts();
    std::int64_t const length = whole ? p_.depth : part(s), at = whole ? 0 : part_begin(s.part);
    Axes const a = axes(b, b.tiles[0]);
    Mapping const l = whole ? names_.depth : named("L", length), i = named("Ik", stretch.live);
    std::int64_t const own = z_.own(b), round_share = d_.fill == TrfFill::round ? z_.share(b, part(s)) : 0;
    Dealt const x = dealt(b, i, own, stretch.live);
    Mapping const cluster = d_.clusters == OverClusters::kept ? x.cluster : cluster_of(s, a), idle = idle_slices(s);
    const Mapping &in_ring = x.in_ring, &mine = x.mine;
    dyn::Tensor const source = part_of(kept_, s, z_.keeps_a(), stretch, i, at, l);
    if (d_.fill == TrfFill::round) {
      std::int64_t const depth = z_.kept_depth(b, part(s));
      Mapping const shares = l.pad(depth);
      dyn::Tensor const t = source.to_dm(ctx_.tdma, cluster, map(idle, shares / round_share, in_ring), map(mine, shares % round_share));
      kept_dm_[key] = t.relabel(chip_, a.cluster, map(a.idle, shares / round_share, a.ring), map(a.own, shares % round_share));
      return;
    }
    std::int64_t const depth = round_up(length, z_.packet);
    dyn::Tensor const t = source.to_dm(ctx_.tdma, cluster, map(idle, a.group, in_ring), in_slice(z_.keeps_a() == true, mine, l, depth));
    dyn::Tensor const named_t = t.relabel(chip_, a.cluster, a.slice, in_slice(z_.keeps_a() == true, a.own, l, depth));
    if (!whole) {
      kept_dm_[key] = named_t;
      return;
    }
    for (std::size_t k = 0; k < d_.parts.size(); ++k) {
      Mapping const of_part = named("L", d_.parts[k]);
      kept_dm_[{s.round, s.band, 0, k}] = part_in_dm(named_t, z_.keeps_a(), a.own, of_part, depth, k);
    }
  }
  /// The kept axis of a band, padded to whole slices and clusters.
  struct Dealt {
    Mapping cluster, in_ring, mine;
  };
  /// Rows are dealt to the slices of a ring one by one, so that neighbours in HBM go to different slices, and the two
  /// DMNs of an engine take turns. As few slices as will do, so that all of them have as many rows where that is
  /// possible. Columns are dealt in runs, so that a slice stores neighbours.
  Dealt dealt(const Band& b, const Mapping& axis, std::int64_t run, std::int64_t live) const {
    if (!z_.keeps_a()) {
      Mapping const x = axis.pad(z_.clusters_kept * b.ring * run);
      return {x / (b.ring * run), x / run % b.ring, x % run};
    }
    std::int64_t const own = z_.own(b), used = z_.used(b, live), dmn = device_.levels.slices_per_dmn;
    Mapping const x = axis.pad(z_.clusters_kept * used * own);
    auto const padded = [](const Mapping& m, std::int64_t n) { return m.size == n ? m : m.pad(n); };
    if (b.ring < 2 * dmn) return {x / (used * own), padded(x % used, b.ring), x / used % own};
    std::int64_t const engines = b.ring / (2 * dmn), of_dmn = used / (2 * engines);
    return {x / (used * own), map(x / (2 * of_dmn) % engines, x % 2, padded(x / 2 % of_dmn, dmn)), x / used % own};
  }

  /// One part of what was loaded at once.
  dyn::Tensor part_in_dm(const dyn::Tensor& all, bool is_a, const Mapping& own, const Mapping& l, std::int64_t depth, std::size_t k) const {
    std::int64_t const at = part_begin(k);
    if (in_blocks(is_a)) {
      Mapping const blocks = names_.depth / d_.block;
      return all.tile(blocks, l.size / d_.block, at / d_.block).reshape(map((l / d_.block).pad(blocks.size), own, l % d_.block));
    }
    return all.tile(names_.depth, l.size, at).reshape(map(own, l.pad(depth)));
  }
  void load_streamed(const Step& s) {
    if (p_.windows) return load_filters(s);
    Key const key{s.round, s.band, s.tile, s.part};
    if (streamed_dm_.count(key) > 0) return;
    const Band& b = band(s);
    std::int64_t const tile = b.tiles[s.tile];
    AxisStretch const stretch = z_.tile(b, s.tile);
    bool const whole = d_.streamed_at_once && several_parts();
    std::int64_t const length = whole ? p_.depth : part(s), at = whole ? 0 : part_begin(s.part);
    Axes const a = axes(b, tile);
    Mapping const l = whole ? names_.depth : named("L", length), i = named("Is", stretch.live);
    Mapping const y = i.pad(z_.tile_room(b, tile));
    Mapping const cluster = d_.clusters == OverClusters::streamed ? y / (b.groups * tile) : cluster_of(s, a);
    Mapping const group = y / tile % b.groups, in_ring = y % b.ring, mine = y / b.ring % (tile / b.ring);
    std::int64_t const depth = whole ? round_up(length, z_.packet) : streamed_depth(b, length);
    dyn::Tensor const source = part_of(streamed_, s, !z_.keeps_a(), stretch, i, at, l);
    dyn::Tensor const t = source.to_dm(ctx_.tdma, cluster, map(idle_slices(s), group, in_ring), in_slice(!z_.keeps_a(), mine, l, depth));
    dyn::Tensor const named_t = t.relabel(chip_, a.cluster, map(a.idle, a.group, a.in_ring), in_slice(!z_.keeps_a(), a.out, l, depth));
    if (!whole) {
      streamed_dm_[key] = named_t;
      return;
    }
    for (std::size_t k = 0; k < d_.parts.size(); ++k)
      streamed_dm_[{s.round, s.band, s.tile, k}] = part_in_dm(named_t, !z_.keeps_a(), a.out, named("L", d_.parts[k]), depth, k);
  }
  /// How much of the summed axis a slice multiplies of a part.
  std::int64_t streamed_depth(const Band& b, std::int64_t part) const {
    bool const in_order = d_.fill != TrfFill::round || b.ring == 1;
    return in_order ? z_.packets(part) * z_.packet : z_.kept_depth(b, part);
  }

  // Loading for a convolution.

  void name_windows(const KernelMapping& m) {
    stored_ = stored_image(p_, d_);
    kept_ = kept_.relabel(chip_, map(named("Ni", p_.windows->images), named("Yi", stored_.rows), named("Xi", stored_.pitch),
                                     named("Ck", p_.windows->stored_channels)));
    if (m.decisions.block == 0 && p_.windows->channels != p_.windows->stored_channels)
      streamed_ = streamed_.relabel(chip_, map(names_.columns, names_.depth.pad(z_.padded_depth)));
  }
  Mapping window_over(const Mapping& outer, std::int64_t step, const Mapping& inner, std::int64_t inner_step) const {
    Slide const both[] = {{outer, step}, {inner, inner_step}};
    return slide_over(both);
  }
  BlockPlaces::Places places_of(const Band& b, const ImageBand& image, const Mapping& down, const Mapping& across) const {
    return BlockPlaces(device_, image.images * image.blocks_down, image.blocks_across, d_.clusters == OverClusters::kept,
                       z_.slices / b.groups)
        .of(down, across);
  }
  /// What the pixels of a slice see.
  void load_windows(const Step& s) {
    Key const key{0, s.band, 0, 0};
    if (kept_dm_.count(key) > 0) return;
    const Band& b = band(s);
    const ImageWindows& w = *p_.windows;
    ImageBand const image = image_band(p_, d_, s.band);
    Axes const a = axes(b, b.tiles[0]);
    dyn::Tensor t = kept_;
    Mapping const images = named("Ni", w.images), rows = named("Yi", stored_.rows), columns = named("Xi", stored_.pitch);
    Mapping const channels = named("Ck", w.stored_channels);
    if (w.images != image.images) t = t.tile(images, image.images, image.image);
    if (image.loaded_rows != stored_.rows) t = t.tile(rows, image.loaded_rows, image.first * w.down.stride);
    if (image.loaded_columns != stored_.pitch) t = t.tile(columns, image.loaded_columns, 0);
    Mapping const down = named("Bh", image.blocks_down), across = named("Bw", image.blocks_across);
    Mapping const window_rows = named("Wh", image.window_rows), window_columns = named("Ww", image.window_columns);
    Mapping const some = named("Nb", image.images);
    t = t.reshape(map(padded_to(some, w.images), padded_to(window_over(down, d_.pixel_rows * w.down.stride, window_rows, 1), stored_.rows),
                      padded_to(window_over(across, d_.pixel_columns * w.across.stride, window_columns, 1), stored_.pitch), channels));
    BlockPlaces::Places const places = places_of(b, image, map(down, some), across);
    Mapping const cluster = d_.clusters == OverClusters::kept ? places.cluster : a.cluster;
    kept_dm_[key] =
        t.to_dm(ctx_.tdma, cluster, map(a.group, places.slots), map(window_rows, window_columns, channels))
            .relabel(chip_, a.cluster, a.slice, map(named("Yw", image.window_rows), named("Xw", image.window_columns), channels));
  }
  /// Filters, and shares of the weights of each, over the slices of a ring. All bands use what the first one loaded.
  void load_filters(const Step& s) {
    Key const key{0, 0, s.tile, s.part};
    if (streamed_dm_.count(key) > 0) return;
    const Band& b = band(s);
    std::int64_t const tile = b.tiles[s.tile], length = part(s);
    RingShares const r = ring_shares(b, tile);
    AxisStretch const stretch = z_.tile(b, s.tile);
    Axes const a = axes(b, tile);
    Mapping const l = named("L", length), i = named("Is", stretch.live), y = i.pad(z_.tile_room(b, tile));
    Mapping const cluster = d_.clusters == OverClusters::streamed ? y / (b.groups * tile) : a.cluster;
    Mapping const in_tile = y % tile, share = l % (length / r.shares);
    dyn::Tensor const source = part_of(streamed_, s, false, stretch, i, part_begin(s.part), l);
    streamed_dm_[key] = source
                            .to_dm(ctx_.tdma, cluster, map(y / tile % b.groups, a.idle, in_tile % r.filters, l / share.size),
                                   map(in_tile / r.filters, share))
                            .relabel(chip_, a.cluster, map(a.group, a.idle, a.in_ring, l / share.size), map(a.out, share));
  }
  /// The TRF of a convolution: for each pixel what each weight is multiplied with.
  dyn::Tensor windows_in_trf(const Step& s, const Axes& a, TrfAddress where) {
    const ImageWindows& w = *p_.windows;
    ImageBand const image = image_band(p_, d_, s.band);
    std::int64_t const of_row = w.across.weights * w.stored_channels, rows = part(s) / of_row, first = part_begin(s.part) / of_row;
    dyn::Tensor from = kept_dm_.at({0, s.band, 0, 0});
    Mapping const all = named("Yw", image.window_rows), l = named("L", part(s));
    std::int64_t const seen = (d_.pixel_rows - 1) * w.down.stride + (rows - 1) * w.down.dilation + 1;
    if (seen != image.window_rows) from = from.tile(all, seen, first * w.down.dilation);
    Mapping const down = window_over(named("Pr", d_.pixel_rows), w.down.stride, l / of_row, w.down.dilation);
    Mapping const across =
        window_over(named("Pc", d_.pixel_columns), w.across.stride, l / w.stored_channels % w.across.weights, w.across.dilation);
    bool const wide = z_.fills_wide(band(s), part(s));
    std::int64_t const taken = wide ? z_.packet : z_.flit;
    return main(wide)
        .begin(from.reshape(map(padded_to(down, image.window_rows), padded_to(across, image.window_columns), l % w.stored_channels)))
        .fetch(p_.type, map(a.row, a.lanes_of_own, l / taken), l % taken)
        .collect(map(a.row, a.lanes_of_own, l / z_.flit), l % z_.flit)
        .to_trf(a.row, map(a.lanes_of_own, l), where);
  }

  dyn::TuContext main(bool wide) const { return wide ? dyn::main_dual(ctx_) : dyn::main(ctx_); }

  // The TRF.

  void fill(const Step& s) {
    const Band& b = band(s);
    Key const key{s.round, s.band, 0, s.part};
    bool const half = halves();
    std::size_t const slot = half ? next_half(key) : 0;
    if (in_trf_[slot] && in_trf_[slot]->key == key) return;
    TrfAddress const where = !half ? TrfAddress::Full : slot == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf;
    Axes const a = axes(b, b.tiles[s.tile]);
    Mapping const l = named("L", part(s));
    Mapping const& row = a.row;
    Mapping const& g = a.lanes_of_own;
    if (p_.windows) {
      in_trf_[slot].reset();
      in_trf_[slot] = {key, windows_in_trf(s, a, where)};
      return;
    }
    dyn::Tensor const& from = kept_dm_.at(key);
    std::int64_t const depth = z_.kept_depth(b, part(s));
    Mapping const all = l.pad(depth);
    bool const wide = z_.fills_wide(b, part(s));
    std::int64_t const taken = wide ? z_.packet : z_.flit;
    in_trf_[slot].reset();
    if (d_.fill == TrfFill::round) {
      std::int64_t const share = z_.share(b, part(s));
      if (b.ring == 1) {
        auto stream = main(wide).begin(from).fetch(p_.type, map(row, g, all % share / taken), all % taken);
        if (b.groups > 1)
          stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = b.groups, .slice0 = 1, .time0 = share / taken}, a.slice,
                                               map(row, g, all / taken));
        in_trf_[slot] = {key, std::move(stream).collect(map(row, g, all / z_.flit), all % z_.flit).to_trf(row, map(g, all), where)};
        return;
      }
      Mapping const packets = round_packets(all, share);
      // In whole packets, whatever the channels: the two flits of one would come apart.
      auto stream = main(wide).begin(from).fetch(p_.type, map(row, g, all % share / z_.packet), all % z_.packet);
      if (b.groups > 1)
        stream = std::move(stream).switch_to(SwitchConfig::Broadcast1{.slice1 = b.groups, .slice0 = b.ring}, a.slice,
                                             map(row, g, all % share / z_.packet, all / share));
      in_trf_[slot] = {key, std::move(stream)
                                .collect(map(row, g, packets, all % z_.packet / z_.flit), all % z_.flit)
                                .to_trf(row, map(g, packets, all % z_.packet), where)};
      return;
    }
    auto const tu = d_.fill == TrfFill::sub ? dyn::sub(ctx_) : main(wide);
    in_trf_[slot] = {key, tu.begin(from)
                              .fetch(p_.type, map(row, g, all / taken), all % taken)
                              .collect(map(row, g, all / z_.flit), all % z_.flit)
                              .to_trf(row, map(g, all), where)};
  }
  /// Packets of a part in the order in which shares are handed round a ring.
  static Mapping round_packets_of(const Mapping& all, std::int64_t share, std::int64_t packet) {
    return map(all % share / packet, all / share);
  }
  Mapping round_packets(const Mapping& all, std::int64_t share) const { return round_packets_of(all, share, z_.packet); }

  bool halves() const {
    std::size_t count = 0;
    bool fit = true;
    for (const Band& b : d_.bands)
      for (std::int64_t k : d_.parts) {
        ++count;
        fit &= z_.trf_bytes(b, k) <= device_.trf.slice_capacity.value / device_.trf.halves;
      }
    return (count > 1 || z_.rounds() > 1) && fit;
  }
  /// The half that has it, or else the one that was filled longer ago.
  std::size_t next_half(const Key& key) {
    for (std::size_t i = 0; i < 2; ++i)
      if (in_trf_[i] && in_trf_[i]->key == key) return i;
    last_half_ = 1 - last_half_;
    return last_half_;
  }
  const dyn::Tensor& weights(const Step& s) const {
    for (const auto& each : in_trf_)
      if (each && each->key == Key{s.round, s.band, 0, s.part}) return each->tensor;
    TCP_BUG_UNLESS(false, "the TRF was filled for another step");
  }

  // Computing.

  dyn::Stream multiplied(const Step& s, const Axes& a) {
    const Band& b = band(s);
    if (p_.windows) return multiplied_with_filters(s, a);
    std::int64_t const depth = streamed_depth(b, part(s));
    Mapping const l = named("L", part(s)).pad_zero(depth);
    bool const permuted = d_.fill == TrfFill::round && b.ring > 1 && b.groups > 1;
    Mapping const packets = permuted ? round_packets(l, z_.share(b, part(s))) : l / z_.packet;
    auto stream =
        main(d_.dual).begin(streamed_dm_.at({s.round, s.band, s.tile, s.part})).fetch(p_.type, map(a.out, packets), l % z_.packet);
    if (b.ring > 1)
      stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = b.ring, .slice0 = 1, .time0 = depth / z_.packet}, a.slice,
                                           map(a.tile, packets));
    auto aligned = std::move(stream)
                       .collect(map(a.tile, packets, l % z_.packet / z_.flit), l % z_.flit)
                       .align(weights(s), map(a.tile, packets, a.lanes_of_own), l % z_.packet);
    return (p_.maximum ? std::move(aligned).contract_max(dyn::one) : std::move(aligned).contract(dyn::one))
        .accumulate(AccumulationKind::Interleaved, map(a.tile, a.lanes_of_own), lanes(a));
  }
  dyn::Stream multiplied_with_filters(const Step& s, const Axes& a) {
    const Band& b = band(s);
    Mapping const l = named("L", part(s));
    std::int64_t const share = part(s) / ring_shares(b, b.tiles[s.tile]).shares;
    auto stream =
        main(d_.dual).begin(streamed_dm_.at({0, 0, s.tile, s.part})).fetch(p_.type, map(a.out, l % share / z_.packet), l % z_.packet);
    if (b.ring > 1)
      stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = b.ring, .slice0 = 1, .time0 = share / z_.packet}, a.slice,
                                           map(a.tile, l / z_.packet));
    return std::move(stream)
        .collect(map(a.tile, l / z_.flit), l % z_.flit)
        .align(weights(s), map(a.tile, l / z_.packet, a.lanes_of_own), l % z_.packet)
        .contract(dyn::one)
        .accumulate(AccumulationKind::Interleaved, map(a.tile, a.lanes_of_own), lanes(a));
  }
  Mapping lanes(const Axes& a) const {
    std::int64_t const all = device_.vector.lanes;
    return d_.row < all ? a.row.pad(all) : a.row;
  }

  void compute(const Step& s) {
    const Band& b = band(s);
    Axes const a = axes(b, b.tiles[s.tile]);
    bool const last = s.part + 1 == d_.parts.size();
    if (last) load_numbers(s);
    if (!several_parts()) {
      keep_numbers(s);
      auto sums = multiplied(s, a);
      if (passes_[0].empty()) return finish(s, a, later_passes(s, a, std::move(sums)));
      return finish(s, a, later_passes(s, a, with_steps(s, a, passes_[0], narrow(a, std::move(sums)))));
    }
    Key const key{s.round, s.band, s.tile, 0};
    auto sums = multiplied(s, a);
    Mapping const held = held_sums(a);
    if (s.part == 0) {
      sums_[key] = std::move(sums).commit(held, place(s, 0));
      return;
    }
    dyn::Tensor const more = std::move(sums).commit(held, place(s, 1));
    if (last) keep_numbers(s);
    dyn::Tensor const before = sums_.at(key);
    sums_.erase(key);
    auto added = added_up(s, a, before, more, last ? passes_[0] : EpiloguePass{});
    if (!last) sums_[key] = std::move(added).commit(held, place(s, s.part % 2 == 1 ? 2 : 0));
    else finish(s, a, later_passes(s, a, std::move(added)));
  }
  Mapping held_sums(const Axes& a) const { return map(a.tile, a.lanes_of_own, lanes(a)); }
  dyn::Stream added_up(const Step& s, const Axes& a, const dyn::Tensor& one, const dyn::Tensor& other, const EpiloguePass& steps) const {
    Mapping const both = dyn::axis(names_.free("X"), 2), time = map(a.tile, a.lanes_of_own), eight = lanes(a);
    std::string const x = names_.free("X");
    auto groups = dyn::main(ctx_)
                      .begin_interleaved(x, one, other)
                      .fetch(one.type(), map(time, both), eight)
                      .collect(map(time, both), eight)
                      .vector_init()
                      .vector_intra_slice_unzip(x, map(time, dyn::one.pad(2)), time);
    if (is_integer(p_.type)) return std::move(groups).vector_fxp_zip(FxpBinaryOp::AddFxp).vector_final();
    std::int64_t const narrow_lanes = device_.vector.narrow_lanes;
    return with_steps(
        s, a, steps, std::move(groups).vector_split(map(time, eight / narrow_lanes), eight % narrow_lanes).vector_fp_zip(FpBinaryOp::AddF));
  }
  /// Three places for the sums of a tile at the end of DM, of which the two that are added are neighbours: a pass
  /// that reads two tensors is taken to read all that is between them.
  Address place(const Step& s, std::int64_t which) const {
    const Band& b = band(s);
    auto const bytes = [&](std::size_t tile) { return b.tiles[tile] * b.reuse * device_.vector.lanes * 4; };
    std::int64_t from_end = 0, largest = 0;
    for (std::size_t t = 0; t < b.tiles.size(); ++t) {
      largest = std::max(largest, bytes(t));
      if (t <= s.tile) from_end += 3 * bytes(t);
    }
    std::int64_t const mine = d_.outer == OuterLoop::tiles ? largest : bytes(s.tile);
    if (d_.outer == OuterLoop::tiles) from_end = 3 * largest;
    return device_.dm.slice_capacity.value - from_end + which * mine;
  }

  // What follows the sum.

  /// Sums on their way through the Vector Engine, four lanes at a time.
  dyn::Stream narrow(const Axes& a, dyn::Stream sums) const {
    Mapping const time = map(a.tile, a.lanes_of_own), eight = lanes(a);
    std::int64_t const narrow_lanes = device_.vector.narrow_lanes;
    return std::move(sums)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split(map(time, eight / narrow_lanes), eight % narrow_lanes);
  }
  dyn::Stream with_steps(const Step& s, const Axes& a, const EpiloguePass& steps, dyn::Stream stream) const {
    std::size_t i = 0;
    for (; i < steps.size() && !steps[i].at_end; ++i) stream = with_step(s, steps[i].step, std::move(stream));
    stream = std::move(stream).vector_concat(map(a.tile, a.lanes_of_own), lanes(a));
    for (; i < steps.size(); ++i) stream = std::move(stream).vector_clip(at_end(steps[i].step), argument(s, steps[i].step));
    return std::move(stream).vector_final();
  }
  static ClipBinaryOpF32 at_end(const EpilogueStep& step) {
    switch (step.operation) {
      case Operation::add:
      case Operation::sub: return ClipBinaryOpF32::Add;
      case Operation::min: return ClipBinaryOpF32::Min;
      default: return ClipBinaryOpF32::Max;
    }
  }
  dyn::Operand argument(const Step& s, const EpilogueStep& step) const {
    if (step.tensor >= 0) return numbers_.at({s.round, s.band, s.tile, static_cast<std::size_t>(step.tensor)});
    return static_cast<float>(step.operation == Operation::sub ? -step.number : step.number);
  }
  dyn::Stream with_step(const Step& s, const EpilogueStep& step, dyn::Stream stream) const {
    auto const function = [&](FpUnaryOp op) { return std::move(stream).vector_fp_unary(op); };
    switch (step.operation) {
      case Operation::add: return std::move(stream).vector_fp_binary(FpBinaryOp::AddF, argument(s, step));
      case Operation::sub:
        return std::move(stream).vector_fp_binary(step.tensor < 0 ? FpBinaryOp(FpBinaryOp::AddF) : FpBinaryOp(FpBinaryOp::SubF),
                                                  argument(s, step));
      case Operation::mul: return std::move(stream).vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), argument(s, step));
      case Operation::gelu:
        return std::move(stream)
            .vector_stash()
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 0.70710678f)
            .vector_fp_unary(FpUnaryOp::Erf)
            .vector_fp_ternary(FpTernaryOp::FmaF, 0.5f, 0.5f)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash);
      case Operation::silu:
        return std::move(stream)
            .vector_stash()
            .vector_fp_unary(FpUnaryOp::Sigmoid)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash);
      case Operation::exp: return function(FpUnaryOp::Exp);
      case Operation::sqrt: return function(FpUnaryOp::Sqrt);
      case Operation::tanh: return function(FpUnaryOp::Tanh);
      case Operation::sigmoid: return function(FpUnaryOp::Sigmoid);
      case Operation::erf: return function(FpUnaryOp::Erf);
      case Operation::log: return function(FpUnaryOp::Log);
      case Operation::sin: return function(FpUnaryOp::Sin);
      case Operation::cos: return function(FpUnaryOp::Cos);
      default: TCP_BUG_UNLESS(false, "product_of accepts no other steps");
    }
  }
  /// The passes after the one that made the sums, each from DM to the next.
  dyn::Stream later_passes(const Step& s, const Axes& a, dyn::Stream sums) const {
    Mapping const time = map(a.tile, a.lanes_of_own), eight = lanes(a);
    for (std::size_t i = 1; i < passes_.size(); ++i) {
      dyn::Tensor const between = std::move(sums).commit(held_sums(a));
      sums =
          with_steps(s, a, passes_[i], narrow(a, dyn::main(ctx_).begin(between).fetch(ScalarType::f32, time, eight).collect(time, eight)));
    }
    return sums;
  }
  /// What a tile needs of the tensors with a number for each row or column, in VRF.
  void load_numbers(const Step& s) {
    const Band& b = band(s);
    Axes const a = axes(b, b.tiles[s.tile]);
    for (const EpilogueStep& step : p_.after) {
      if (step.tensor < 0) continue;
      Key const key{s.round, s.band, s.tile, static_cast<std::size_t>(step.tensor)};
      if (numbers_.count(key) > 0) continue;
      bool const of_kept = step.of_columns != z_.keeps_a();
      const Mapping& all = step.of_columns ? names_.columns : names_.rows;
      std::int64_t const tile = b.tiles[s.tile], own = z_.own(b);
      bool const alike = std::all_of(b.tiles.begin(), b.tiles.end(), [&](std::int64_t t) { return t == tile; });
      if (!of_kept && b.tiles.size() > 1 && alike) {
        load_numbers_of_all_tiles(s, step.tensor, all, a);
        continue;
      }
      AxisStretch stretch = of_kept ? z_.band(s.band) : z_.tile(b, s.tile);
      stretch.live = std::min(stretch.live, all.size - stretch.start);
      dyn::Tensor of_stretch = inputs_.at(step.tensor);
      if (stretch.live != all.size) of_stretch = of_stretch.tile(all, stretch.live, stretch.start);
      Mapping const i = named("Iv", stretch.live);
      of_stretch = of_stretch.reshape(i.pad(round_up(all.size, z_.unit_in)));
      Mapping cluster = a.cluster, slice, element;
      Mapping const& mine = of_kept ? a.own : a.tile;
      std::int64_t const eights = round_up(mine.size, device_.vector.lanes);
      if (of_kept) {
        Dealt const x = dealt(b, i, own, z_.band(s.band).live);
        if (d_.clusters == OverClusters::kept) cluster = x.cluster;
        slice = map(a.idle, a.group, x.in_ring);
        element = x.mine;
      } else {
        Mapping const y = i.pad(z_.tile_room(b, tile));
        if (d_.clusters == OverClusters::streamed) cluster = y / (b.groups * tile);
        slice = in_slices(a, y / tile % b.groups, a.ring);
        element = y % tile;
      }
      if (eights != mine.size) element = element.pad(eights);
      Mapping const held = eights == mine.size ? mine : mine.pad(eights);
      numbers_[key] = of_stretch.to_dm(ctx_.tdma, cluster, slice, element).relabel(chip_, a.cluster, a.slice, held);
    }
  }
  /// What all tiles of a band need, by one transfer.
  void load_numbers_of_all_tiles(const Step& s, int tensor, const Mapping& all, const Axes& a) {
    const Band& b = band(s);
    std::int64_t const tile = b.tiles[0], room = z_.tile_room(b, tile), eights = round_up(tile, device_.vector.lanes);
    auto const count = static_cast<std::int64_t>(b.tiles.size());
    Mapping const i = named("Iv", all.size), y = i.pad(count * room), which = named("St", count);
    Mapping const cluster = d_.clusters == OverClusters::streamed ? y / (b.groups * tile) % z_.clusters_streamed : a.cluster;
    Mapping const mine = eights == tile ? y % tile : (y % tile).pad(eights), held = eights == tile ? a.tile : a.tile.pad(eights);
    dyn::Tensor const dm = inputs_.at(tensor)
                               .reshape(i.pad(round_up(all.size, z_.unit_in)))
                               .to_dm(ctx_.tdma, cluster, in_slices(a, y / tile % b.groups, a.ring), map(y / room, mine))
                               .relabel(chip_, a.cluster, a.slice, map(which, held));
    for (std::int64_t t = 0; t < count; ++t)
      numbers_[{s.round, s.band, static_cast<std::size_t>(t), static_cast<std::size_t>(tensor)}] =
          dm.tile(which, 1, t).reshape(map(dyn::one.pad(count), held));
  }
  /// From DM into VRF, just before they are needed: the sub context would wait for them with what main needs of it.
  void keep_numbers(const Step& s) {
    std::int64_t const lanes_at_once = device_.vector.lanes;
    Axes const a = axes(band(s), band(s).tiles[s.tile]);
    for (const EpilogueStep& step : p_.after) {
      auto const found = numbers_.find({s.round, s.band, s.tile, static_cast<std::size_t>(std::max(step.tensor, 0))});
      if (step.tensor < 0 || found == numbers_.end() || found->second.memory() != Memory::Dm) continue;
      Mapping const& mine = step.of_columns != z_.keeps_a() ? a.own : a.tile;
      std::int64_t const eights = round_up(mine.size, lanes_at_once);
      Mapping const held = eights == mine.size ? mine : mine.pad(eights);
      found->second = dyn::sub(ctx_)
                          .begin(found->second)
                          .fetch(ScalarType::f32, held / lanes_at_once, held % lanes_at_once)
                          .collect(held / lanes_at_once, held % lanes_at_once)
                          .to_vrf(held);
    }
  }

  /// Those of the next tile while main ends this one alone, if VRF has room for both.
  void keep_next_numbers(std::size_t done) {
    std::size_t const last = d_.parts.size() - 1;
    if (steps_[done].part != last || (passes_.size() < 2 && !several_parts())) return;
    std::size_t next = done + 1;
    while (next < steps_.size() && steps_[next].part != last) ++next;
    if (next == steps_.size() || steps_[next].round != steps_[done].round || steps_[next].band != steps_[done].band ||
        steps_[next].tile == steps_[done].tile)
      return;
    std::int64_t bytes = 0;
    for (const EpilogueStep& step : p_.after)
      if (step.tensor >= 0)
        bytes += 2 * 4 * round_up(std::max(z_.own(band(steps_[next])), band(steps_[next]).tiles[steps_[next].tile]), device_.vector.lanes);
    if (bytes <= device_.vrf.slice_capacity.value) keep_numbers(steps_[next]);
  }

  // The result.

  void finish(const Step& s, const Axes& a, dyn::Stream sums) {
    const Band& b = band(s);
    std::int64_t const tile = b.tiles[s.tile], own = z_.own(b), neighbours = z_.neighbours(b, tile);
    std::int64_t const out_flit = device_.flit.bytes.value / z_.of_result;
    bool const cast = p_.result == ScalarType::bf16;
    Mapping const wide = cast ? a.row.pad(out_flit) : lanes(a);
    if (cast) sums = std::move(sums).cast(ScalarType::bf16, wide);
    if (p_.windows) return store_pixels(s, a, std::move(sums));
    AxisStretch const rows = z_.keeps_a() ? z_.band(s.band) : z_.tile(b, s.tile),
                      columns = z_.keeps_a() ? z_.tile(b, s.tile) : z_.band(s.band);
    Mapping const i = named("Ir", rows.live), j = named("Ic", columns.stored), idle = idle_slices(s);
    std::int64_t const written = z_.written(b, tile);
    Mapping slice, element;  // of the result, by the names of HBM
    Mapping y;               // the streamed axis
    Dealt x;
    dyn::Tensor out;
    if (z_.keeps_a()) {
      std::int64_t const rows_at_once = cast ? 4 : 2;
      x = dealt(b, i, own, rows.live);
      y = j.pad(z_.clusters_streamed * b.groups * written);
      std::int64_t const padded = round_up(own, neighbours);
      Mapping const of_own = padded == own ? a.own : a.own.pad(padded);
      Mapping const columns_of_slice = written == tile ? a.tile : a.tile.pad(written);
      out = std::move(sums)
                .transpose(map(a.tile / rows_at_once, a.own), (a.tile % rows_at_once).pad(out_flit))
                .commit(map(of_own, columns_of_slice));
      Mapping const mine = padded == own ? x.mine : x.mine.pad(padded);
      slice = map(idle, y / written % b.groups, x.in_ring);
      element = map(mine, y % written);
      if (neighbours > 1) {
        std::int64_t const each = padded / neighbours;
        Mapping const beside = a.group % neighbours, together = a.group / neighbours;
        Mapping const flits = tile >= out_flit ? a.tile / out_flit : dyn::one,
                      in_flit = tile >= out_flit ? a.tile % out_flit : a.tile.pad(out_flit);
        out = main(false)
                  .begin(out)
                  .fetch(p_.result, of_own, a.tile)
                  .switch_to(SwitchConfig::InterTranspose{.slice1 = neighbours, .slice0 = b.ring, .time0 = each},
                             map(a.idle, together, of_own / each, a.ring), map(of_own % each, beside))
                  .collect(map(of_own % each, beside, flits), in_flit)
                  .commit(map(of_own % each, beside, a.tile));
        slice = map(idle, y / (tile * neighbours) % (b.groups / neighbours), mine / each, x.in_ring);
        element = map(mine % each, y % (tile * neighbours));
      }
    } else {
      x = dealt(b, j, written, columns.stored);
      y = i.pad(z_.tile_room(b, tile));
      Mapping const columns_of_slice = written == own ? a.own : a.own.pad(written);
      out = std::move(sums).commit(map(a.tile, columns_of_slice));
      slice = map(idle, y / tile % b.groups, x.in_ring);
      element = map(y % tile, x.mine);
      if (neighbours > 1) {
        std::int64_t const share = tile / neighbours;
        Mapping const beside = a.ring % neighbours, together = a.ring / neighbours;
        Mapping const flits = own >= out_flit ? a.own / out_flit : dyn::one,
                      in_flit = own >= out_flit ? a.own % out_flit : a.own.pad(out_flit);
        out = main(false)
                  .begin(out)
                  .fetch(p_.result, map(a.tile % share, a.tile / share), a.own)
                  .switch_to(SwitchConfig::InterTranspose{.slice1 = neighbours, .slice0 = 1, .time0 = 1},
                             map(a.idle, a.group, together, a.tile / share), map(a.tile % share, beside))
                  .collect(map(a.tile % share, beside, flits), in_flit)
                  .commit(map(a.tile % share, beside, a.own));
        Mapping const all = j.pad(z_.clusters_kept * b.ring * own);
        slice = map(idle, y / tile % b.groups, all / (own * neighbours) % (b.ring / neighbours), y % tile / share);
        element = map(y % tile % share, all % (own * neighbours));
      }
    }
    std::int64_t const streamed_in_cluster = b.groups * (z_.keeps_a() ? written : tile);
    Mapping const cluster = d_.clusters == OverClusters::kept       ? x.cluster
                            : d_.clusters == OverClusters::streamed ? y / streamed_in_cluster
                                                                    : cluster_of(s, a);
    dyn::Tensor to = tile_of_batches(c_, s);
    if (rows.live != p_.rows) to = to.tile(names_.rows, rows.live, rows.start);
    if (columns.stored != z_.padded_columns) to = to.tile(wide_columns_, columns.stored, columns.start);
    dyn::dma(
        ctx_.tdma, out.relabel(chip_, cluster, slice, element),
        to.reshape(with_batches(padded_to(batches(s).from, p_.batches), p_.batches_in_result, i.pad(p_.rows), j.pad(z_.padded_columns))));
  }

  void store_pixels(const Step& s, const Axes& a, dyn::Stream sums) {
    const Band& b = band(s);
    ImageBand const image = image_band(p_, d_, s.band);
    std::int64_t const tile = b.tiles[s.tile], at_once = p_.result == ScalarType::bf16 ? 4 : 2;
    std::int64_t const out_flit = device_.flit.bytes.value / z_.of_result;
    AxisStretch stretch = z_.tile(b, s.tile);
    // A tile that has all filters fills up what is stored of them.
    bool const alone = b.tiles.size() == 1 && b.groups * z_.clusters_streamed == 1;
    std::int64_t const written = alone ? std::max(tile, z_.padded_columns) : tile;
    stretch.stored = alone ? z_.padded_columns : std::min(z_.tile_room(b, tile), z_.padded_columns - stretch.start);
    dyn::Tensor const out = std::move(sums)
                                .transpose(map(a.tile / at_once, a.own), (a.tile % at_once).pad(out_flit))
                                .commit(map(a.own, padded_to(a.tile, written)));
    Mapping const ih = named("Ih", image.rows), iw = named("Iw", p_.windows->across.pixels), j = named("Ic", stretch.stored);
    Mapping const h = padded_to(ih, image.blocks_down * d_.pixel_rows), w = padded_to(iw, image.blocks_across * d_.pixel_columns);
    Mapping const y = padded_to(j, alone ? written : z_.tile_room(b, tile));
    Mapping const some = named("In", image.images);
    BlockPlaces::Places const places = places_of(b, image, map(h / d_.pixel_rows, some), w / d_.pixel_columns);
    Mapping const cluster = d_.clusters == OverClusters::kept ? places.cluster : y / (b.groups * tile);
    Mapping const group = alone ? dyn::one : y / tile % b.groups, mine = alone ? y : y % tile;
    dyn::Tensor to = c_;
    if (p_.windows->images != image.images) to = to.tile(names_.images, image.images, image.image);
    if (image.rows != p_.windows->down.pixels) to = to.tile(names_.rows, image.rows, image.first);
    if (stretch.stored != z_.padded_columns) to = to.tile(wide_columns_, stretch.stored, stretch.start);
    dyn::dma(
        ctx_.tdma, out.relabel(chip_, cluster, map(group, places.slots), map(h % d_.pixel_rows, w % d_.pixel_columns, mine)),
        to.reshape(map(padded_to(some, p_.windows->images), padded_to(ih, p_.windows->down.pixels), iw, padded_to(j, z_.padded_columns))));
  }

  /// What no later step needs is let go, and its room with it.
  void release(std::size_t done) {
    Step const& s = steps_[done];
    if (p_.windows) return release_windows(done);
    streamed_dm_.erase({s.round, s.band, s.tile, s.part});
    if (s.part + 1 == d_.parts.size())
      std::erase_if(numbers_, [&](const auto& each) {
        return each.first.round == s.round && each.first.band == s.band && each.first.tile == s.tile;
      });
    for (std::size_t i = done + 1; i < steps_.size(); ++i)
      if (steps_[i].round == s.round && steps_[i].band == s.band && steps_[i].part == s.part) return;
    kept_dm_.erase({s.round, s.band, 0, s.part});
  }

  void release_windows(std::size_t done) {
    Step const& s = steps_[done];
    if (s.part + 1 == d_.parts.size())
      std::erase_if(numbers_, [&](const auto& each) { return each.first.band == s.band && each.first.tile == s.tile; });
    if (done + 1 == steps_.size() || steps_[done + 1].band != s.band) kept_dm_.erase({0, s.band, 0, 0});
  }

  struct InTrf {
    Key key;
    dyn::Tensor tensor;
  };

  Context& ctx_;
  const Device& device_;
  const Product& p_;
  const Decisions& d_;
  Sizes z_;
  Names names_;
  std::map<int, dyn::Tensor> inputs_;
  dyn::Tensor kept_, streamed_, c_;
  StoredImage stored_{};
  Mapping chip_, wide_columns_, columns_of_b_;
  std::vector<Step> steps_;
  std::map<Key, dyn::Tensor> kept_dm_, streamed_dm_, sums_, numbers_;
  std::vector<EpiloguePass> passes_;
  std::array<std::optional<InTrf>, 2> in_trf_;
  std::size_t last_half_ = 1;
};

}  // namespace

Mapping ProductKernel::layout_of(int tensor) const {
  const Product& p = mapping_.product;
  Names const names(p);
  Sizes const z(device_, p, mapping_.decisions);
  if (p.windows && tensor == p.a) return layout_of_image(names, p, stored_image(p, mapping_.decisions));
  if (p.windows && tensor == p.b) return layout_of_filters(device_, names, mapping_, z);
  if (tensor == p.a) return with_batches(names.batches, p.batches_in_a, names.rows, names.depth.pad(z.padded_depth));
  if (tensor == p.b)
    return layout_of_b(p, names, z.columns_of_b == p.columns ? names.columns : names.columns.pad(z.columns_of_b), z,
                       mapping_.decisions.block);
  for (const EpilogueStep& s : p.after)
    if (s.tensor == tensor) {
      Mapping const& of = s.of_columns ? names.columns : names.rows;
      return of.pad(round_up(of.size, z.unit_in));
    }
  return dyn::one;
}
Mapping ProductKernel::result_layout() const {
  Names const names(mapping_.product);
  Sizes const z(device_, mapping_.product, mapping_.decisions);
  return with_batches(names.batches, mapping_.product.batches_in_result, map(names.images, names.rows, names.across),
                      names.columns.pad(z.padded_columns));
}
Mapping ProductKernel::plain_of(int tensor) const {
  const Product& p = mapping_.product;
  Names const names(p);
  if (p.windows && tensor == p.a) return map(names.images, names.places_down, names.places_across, names.channels);
  if (p.windows && tensor == p.b)
    return p.windows->channels == p.windows->stored_channels ? map(names.columns, names.depth)
                                                             : map(names.columns, names.weights, names.channels);
  Mapping all;
  // Each index of a tensor is one axis.
  const formula::Formula& f = p.formula;
  auto const walk = [&](auto&& self, const formula::Expression& e) -> bool {
    if (e.operation == Operation::read && e.tensor == tensor) {
      for (const formula::AffineIndex& x : e.index) {
        int const axis = x.parts[0].axis;
        all = map(all, axis == p.row_axis      ? names.rows
                       : axis == p.column_axis ? names.columns
                       : axis == p.batch_axis  ? names.batches
                                               : names.depth);
      }
      return true;
    }
    for (const formula::Expression& of : e.of)
      if (self(self, of)) return true;
    return false;
  };
  walk(walk, f.statements[0].value);
  return all;
}
namespace {

/// Elements as they are, or with others between them: `to` gives the place of each.
template <class D>
void put(dyn::HostTensor& host, const std::vector<std::uint32_t>& bits, const std::function<std::int64_t(std::int64_t)>& to) {
  D* const data = host.data<D>();
  for (std::size_t i = 0; i < bits.size(); ++i)
    data[to(static_cast<std::int64_t>(i))] = D::from_bits(static_cast<decltype(D{}.bits)>(bits[i]));
}

}  // namespace

dyn::HostTensor ProductKernel::host_of(int tensor, const formula::Elements& plain, Where at) const {
  const Product& p = mapping_.product;
  std::int64_t count = 1;
  for (std::int64_t e : p.formula.extents(tensor)) count *= e;
  if (static_cast<std::int64_t>(plain.bits.size()) != count || plain.type != p.tensor(tensor).type)
    throw Refused(refuse("formula-arrays", at)
                      .what(p.tensor(tensor).name, " is ", count, " elements of ", p.tensor(tensor).type, ", and here are ",
                            plain.bits.size(), " of ", plain.type)
                      .why("an input has its formula's type, and an element for each place")
                      .help("give its elements row after row, as the formula's indices are written"));
  std::function<std::int64_t(std::int64_t)> to = [](std::int64_t i) { return i; };
  bool const image = p.windows && tensor == p.a, runs = p.windows && tensor == p.b && p.windows->channels != p.windows->stored_channels;
  if (image) {
    to = [&p, stored = stored_image(p, mapping_.decisions)](std::int64_t i) {
      const ImageWindows& w = *p.windows;
      std::int64_t const channel = i % w.channels, column = i / w.channels % w.across.places;
      std::int64_t const line = i / w.channels / w.across.places, row = line % w.down.places, number = line / w.down.places;
      return ((number * stored.rows + row + w.down.before) * stored.pitch + column + w.across.before) * w.stored_channels + channel;
    };
  } else if (runs) {
    std::int64_t const padded = Sizes(device_, p, mapping_.decisions).padded_depth;
    to = [&p, padded](std::int64_t i) {
      const ImageWindows& w = *p.windows;
      std::int64_t const weights = w.down.weights * w.across.weights, run = i / w.channels;
      return run / weights * padded + run % weights * w.stored_channels + i % w.channels;
    };
  }
  dyn::HostTensor host(plain.type, image || runs ? layout_of(tensor) : plain_of(tensor), at);
  switch (plain.type) {
    case ScalarType::bf16: put<bf16>(host, plain.bits, to); break;
    case ScalarType::f8e4m3: put<f8e4m3>(host, plain.bits, to); break;
    case ScalarType::f8e5m2: put<f8e5m2>(host, plain.bits, to); break;
    default: put<i8>(host, plain.bits, to);
  }
  return host;
}

Mapping ProductKernel::plain_result() const {
  Names const names(mapping_.product);
  return with_batches(names.batches, mapping_.product.batches_in_result, map(names.images, names.rows, names.across), names.columns);
}
formula::SumOrder ProductKernel::order() const {
  const Decisions& d = mapping_.decisions;
  Sizes const z(device_, mapping_.product, d);
  formula::SumOrder order;
  order.packet = z.packet;
  order.parts = d.parts;
  if (const auto& w = mapping_.product.windows; w && w->channels != w->stored_channels) {
    order.run = w->channels;
    for (std::int64_t& part : order.parts) part = part / w->stored_channels * w->channels;
  }
  // Shares that are handed round a ring of rings come packet by packet.
  const Band& b = d.bands[0];
  if (d.fill == TrfFill::round && b.ring > 1) order.shares = b.groups;
  return order;
}

dyn::Tensor ProductKernel::operator()(Context& ctx, const std::vector<dyn::Tensor>& inputs) const {
  return Generator(ctx, device_, *this, inputs).run();
}

Expected<ProductKernel> make_kernel(const Device& device, KernelMapping mapping, Where at) {
  if (auto v = check_mapping(device, mapping, at); !v) return v.refusal();
  return ProductKernel(device, std::move(mapping));
}

Expected<ir::Verified> record(const Device& device, const ProductKernel& kernel) {
  const Product& p = kernel.mapping().product;
  std::vector<KernelInput> inputs;
  for (int t : kernel.inputs()) inputs.push_back({p.tensor(t).name, p.tensor(t).type, kernel.layout_of(t)});
  return record(device, inputs, kernel.result_layout().size * bytes_of(p.result),
                [&](Context& ctx, const std::vector<dyn::Tensor>& given) { return kernel(ctx, given); });
}

Expected<ir::Verified> record(const Device& device, const std::vector<KernelInput>& inputs, std::int64_t result_bytes,
                              const std::function<dyn::Tensor(Context&, const std::vector<dyn::Tensor>&)>& kernel) {
  // A session counts its users: the context is one, and takes it along.
  auto* const session = new detail::Session(device);
  Context ctx(session);
  try {
    // Tensors begin where a row of all channels of HBM begins.
    std::int64_t const row = device.hbm.row_bytes.value * device.hbm.stacks_per_chip * device.hbm.channels_per_stack;
    std::vector<dyn::Tensor> given;
    std::int64_t next = round_up(result_bytes, row);
    for (const KernelInput& input : inputs) {
      given.push_back(dyn::Tensor::declared(ctx, input.type, dyn::one, input.layout, next).named(input.name.c_str()));
      next += round_up(input.layout.size * bytes_of(input.type), row);
    }
    detail::Recording& recording = session->start(1, {});
    struct Stop {
      detail::Session& session;
      ~Stop() { session.stop(); }
    } const stop{*session};
    dyn::Tensor const held = kernel(ctx, given);
    recording.finish();
    auto verified = ir::verify(std::move(recording.module), device);
    if (!verified) return verified.refusal();
    return ir::placed(*std::move(verified));
  } catch (const Refused& refused) {
    return refused.refusal();
  }
}

}  // namespace tcp::mapper
