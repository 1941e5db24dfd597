// Convolutions: an image's pixels stay in the TRF, as many of them in a slice as Rows work together, and the filters
// stream past them. So every weight is loaded once for a ring of slices, and handed round; pixels are loaded with all
// that they see.
#include "mapper/windows.hpp"

#include <algorithm>
#include <bit>

namespace tcp::mapper {
namespace {

std::int64_t power_from(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}
bool power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

}  // namespace

BlockPlaces::BlockPlaces(const Device& device, std::int64_t down, std::int64_t across, bool over_clusters, std::int64_t slots)
    : slots_(slots), over_clusters_(over_clusters), left_{down, across} {
  if (over_clusters) cluster_ = take(0);
  // Engines, and the DMNs of each: bits of the slice, as far as they are not groups.
  auto const units = static_cast<std::uint64_t>(std::max<std::int64_t>(slots / device.levels.slices_per_dmn, 1));
  for (int i = 0; i < std::countr_zero(units); ++i) inner_.insert(inner_.begin(), take(i % 2 == 0 ? 1 : 0));
  padded_[0] = power_from(left_[0]);
  padded_[1] = power_from(left_[1]);
  if (over_clusters) take_coarse(cluster_);
  for (Bit& bit : inner_) take_coarse(bit);
}

BlockPlaces::Bit BlockPlaces::take(int of) {
  for (int side : {of, 1 - of})
    if (left_[side] % 2 == 0) {
      left_[side] /= 2;
      return {side, false, exact_[side]++};
    }
  return {};
}
void BlockPlaces::take_coarse(Bit& bit) {
  if (bit.of >= 0) return;
  int const side = padded_[0] >> coarse_[0] >= padded_[1] >> coarse_[1] ? 0 : 1;
  if (padded_[side] >> coarse_[side] > 1) bit = {side, true, coarse_[side]++};
}

std::int64_t BlockPlaces::of_busiest_dmn() const { return rest(0) * rest(1); }

Mapping BlockPlaces::bit_of(const Bit& bit, const Mapping (&axis)[2]) const {
  if (bit.of < 0) return Mapping{}.pad(2);
  const Mapping& of = axis[bit.of];
  if (!bit.coarse) return bit.number == 0 ? of % 2 : of / (std::int64_t{1} << bit.number) % 2;
  std::int64_t const all = padded_[bit.of], half = all >> (bit.number + 1);
  Mapping const base = (exact_[bit.of] == 0 ? of : of / (std::int64_t{1} << exact_[bit.of])).pad(all);
  return bit.number == 0 ? base / half : base % (2 * half) / half;
}

BlockPlaces::Places BlockPlaces::of(const Mapping& down, const Mapping& across) const {
  const Mapping axis[2] = {down, across};
  Mapping inner, last;
  for (const Bit& bit : inner_) inner = pair(inner, bit_of(bit, axis));
  for (int side : {0, 1}) {
    Mapping const base = exact_[side] == 0 ? axis[side] : axis[side] / (std::int64_t{1} << exact_[side]);
    last = pair(last, coarse_[side] == 0 ? base : base.pad(padded_[side]) % (padded_[side] >> coarse_[side]));
  }
  return {over_clusters_ ? bit_of(cluster_, axis) : Mapping{}, pair(inner, last.pad(slots_ >> inner_.size()))};
}

ImageBand image_band(const Product& p, const Decisions& d, std::size_t which) {
  const ImageWindows& w = *p.windows;
  ImageBand band;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < which; ++i) start += d.bands[i].length;
  band.image = start / w.down.pixels;
  band.first = start % w.down.pixels;
  band.images = std::max<std::int64_t>(d.bands[which].length / w.down.pixels, 1);
  band.rows = d.bands[which].length / band.images;
  band.blocks_down = ceil_div(band.rows, d.pixel_rows);
  band.blocks_across = ceil_div(w.across.pixels, d.pixel_columns);
  band.loaded_rows = w.down.reach(band.blocks_down * d.pixel_rows);
  band.loaded_columns = w.across.reach(band.blocks_across * d.pixel_columns);
  band.window_rows = w.down.reach(d.pixel_rows);
  band.window_columns = w.across.reach(d.pixel_columns);
  return band;
}

StoredImage stored_image(const Product& p, const Decisions& d) {
  const ImageWindows& w = *p.windows;
  StoredImage stored{w.down.before + w.down.places, w.across.before + w.across.places, 0};
  for (std::size_t i = 0; i < d.bands.size(); ++i) {
    ImageBand const b = image_band(p, d, i);
    stored.rows = std::max(stored.rows, b.first * w.down.stride + b.loaded_rows);
    stored.columns = std::max(stored.columns, b.loaded_columns);
  }
  stored.pitch = std::max(stored.columns, d.image_columns);
  return stored;
}

RingShares ring_shares(const Band& b, std::int64_t tile) {
  std::int64_t const shares = std::max<std::int64_t>(b.ring / std::max<std::int64_t>(tile, 1), 1);
  return {b.ring / shares, shares};
}

std::int64_t stored_share(const Device& device, const Product& p, const Decisions& d) {
  return round_up(d.block, device.hbm.access_bytes.value / bytes_of(p.type));
}

namespace {

class WindowCheck {
 public:
  WindowCheck(const Device& device, const KernelMapping& m, Where at)
      : device_(device), p_(m.product), d_(m.decisions), w_(*p_.windows), z_(device, p_, d_), at_(at) {}

  Verdict all() {
    if (auto v = whole(); !v) return v;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < d_.bands.size(); ++i) {
      std::int64_t const length = d_.bands[i].length, all = w_.down.pixels;
      bool const of_one = length >= 1 && rows % all + length <= all,
                 of_some = rows % all == 0 && length % all == 0 && power_of_two(length / all);
      if (!of_one && !of_some)
        return illegal(text("a band of ", length, " rows of pixels"), "a band has rows of one image, or 2, 4, 8 ... whole images");
      rows += d_.bands[i].length;
      if (rows > w_.images * w_.down.pixels) break;
      if (auto v = band(i); !v) return v;
    }
    if (rows != w_.images * w_.down.pixels)
      return illegal(text("the bands have ", rows, " rows of pixels, and the images have ", w_.images * w_.down.pixels),
                     "bands follow each other until the last image ends");
    return accept();
  }

 private:
  Refusal illegal(const Text& what, const char* why) const {
    return refuse("mapper-illegal", at_).what(what).why(why).help("change that decision, or leave it to the search: tcp map");
  }
  Verdict whole() {
    if (d_.keep != KeptOperand::a)
      return illegal(text("keep: ", p_.tensor(p_.b).name), "a convolution keeps the pixels, and its filters stream");
    if (d_.clusters == OverClusters::one) return illegal("clusters: one", "both clusters work on a convolution");
    if (d_.row != device_.levels.rows_per_slice) return illegal(text("row: ", d_.row), "a pixel is in each of the 8 Rows");
    if (d_.fill != TrfFill::main) return illegal("fill", "the windows of a convolution go into the TRF by the main context: fill: main");
    if (d_.kept_at_once || d_.streamed_at_once) return illegal("loads at once", "windows are loaded once, and filters by part");
    if (!power_of_two(d_.pixel_rows) || !power_of_two(d_.pixel_columns) || d_.pixel_rows * d_.pixel_columns % d_.row != 0)
      return illegal(text("pixels: ", d_.pixel_rows, " ", d_.pixel_columns),
                     "a slice keeps 8, 16 or 32 pixels, powers of two in each direction");
    if (d_.image_columns > 1 << 20)
      return illegal(text("image: ", d_.image_columns), "rows of an image are its places, and up to 256 more");
    std::int64_t sum = 0, of_row = w_.across.weights * w_.stored_channels;
    for (std::int64_t k : d_.parts) {
      if (k < 1 || k % of_row != 0) return illegal(text("a part of ", k), "parts are whole rows of the filters, all channels included");
      sum += k;
    }
    if (sum != p_.depth)
      return illegal(text("the parts have ", sum, " steps, and the summed axes have ", p_.depth),
                     "parts follow each other until the axes end");
    if (d_.ahead < 0 || d_.ahead > 64) return illegal(text("ahead: ", d_.ahead), "0 to 64 tiles are loaded ahead");
    if (d_.block != 0) {
      if (p_.tensor(p_.b).stored.kind != formula::StoredAs::Kind::any)
        return illegal(text("stored: blocks ", d_.block), "the formula says how the operand is stored; {any} leaves it open");
      if (d_.block % z_.packet != 0 || w_.stored_channels != w_.channels)
        return illegal(text("stored: blocks ", d_.block), "blocks of filters are whole packets of channels that are all there");
    }
    if (d_.bands.empty()) return illegal("there is no band", "a band has rows of pixels");
    if (stored_image(p_, d_).pitch > stored_image(p_, d_).columns + 256)
      return illegal(text("image: ", d_.image_columns), "rows of an image are its places, and up to 256 more");
    return accept();
  }
  Verdict band(std::size_t which) {
    const Band& b = d_.bands[which];
    if (!power_of_two(b.ring) || !power_of_two(b.groups) || b.ring * b.groups > z_.slices)
      return illegal(text("ring ", b.ring, ", groups ", b.groups),
                     "rings and groups are powers of two, and divide the slices of a cluster");
    if (b.ring != d_.bands[0].ring || b.groups != d_.bands[0].groups || b.tiles != d_.bands[0].tiles)
      return illegal("bands of different rings", "all bands of a convolution divide its filters alike");
    if (b.reuse * d_.row != d_.pixel_rows * d_.pixel_columns || b.reuse > 4)
      return illegal(text("reuse ", b.reuse), "a slice keeps row x reuse pixels, at most 32");
    ImageBand const image = image_band(p_, d_, which);
    if (!BlockPlaces(device_, image.images * image.blocks_down, image.blocks_across, d_.clusters == OverClusters::kept,
                     z_.slices / b.groups)
             .fit())
      return illegal(text("a band of ", b.length, " rows of pixels"), "its blocks of pixels have a slice each");
    for (std::int64_t k : d_.parts)
      if (z_.trf_bytes(b, k) > device_.trf.slice_capacity.value)
        return illegal(text("a part of ", k, " for ", z_.own(b), " pixels in the TRF: ", z_.trf_bytes(b, k), " bytes"),
                       "a slice has 64 KB of TRF");
    std::int64_t covered = 0;
    for (std::int64_t tile : b.tiles) {
      if (auto v = filters(b, tile); !v) return v;
      if (covered >= p_.columns) return illegal(text("a tile of ", tile, " filters of padding"), "a tile has something to compute");
      covered += z_.tile_room(b, tile);
    }
    if (covered < p_.columns)
      return illegal(text("tiles for ", covered, " filters, of which there are ", p_.columns),
                     "tiles follow each other until the filters end");
    if (dm_bytes_of_windows(device_, p_, d_, which) > device_.dm.slice_capacity.value)
      return illegal(text("band ", which + 1, " takes ", dm_bytes_of_windows(device_, p_, d_, which), " bytes of DM"),
                     "a slice has 512 KB of DM");
    return accept();
  }
  Verdict filters(const Band& b, std::int64_t tile) const {
    std::int64_t const at_once = p_.result == ScalarType::bf16 ? 4 : 2, unit = std::max<std::int64_t>(at_once, 8 / z_.of_result);
    RingShares const r = ring_shares(b, tile);
    if (tile < 1 || tile % unit != 0 || tile % r.filters != 0)
      return illegal(text("a tile of ", tile, " filters on a ring of ", b.ring), "each slice of a ring loads as many filters of the tile");
    for (std::int64_t k : d_.parts)
      if (k / z_.packet % r.shares != 0 || (d_.block > 0 && k / r.shares != d_.block))
        return illegal(text("a part of ", k, " in ", r.shares, " shares"),
                       "shares of a filter are whole packets, and the blocks in which it is stored");
    bool const alone = b.tiles.size() == 1 && b.groups * z_.clusters_streamed == 1;
    if (!alone && tile % z_.unit_out != 0) return illegal(text("a tile of ", tile, " filters"), "a slice writes whole units of HBM");
    for (const EpilogueStep& s : p_.after)
      if (s.tensor >= 0 && (tile % 4 != 0 || round_up(tile, device_.vector.lanes) * 4 * static_cast<std::int64_t>(p_.after.size()) >
                                                 device_.vrf.slice_capacity.value))
        return illegal(text(tile, " numbers of ", p_.tensor(s.tensor).name, " in a slice"), "a slice has 8 KB of VRF");
    return accept();
  }

  const Device& device_;
  const Product& p_;
  const Decisions& d_;
  const ImageWindows& w_;
  Sizes z_;
  Where at_;
};

}  // namespace

Verdict check_windows(const Device& device, const KernelMapping& m, Where at) { return WindowCheck(device, m, at).all(); }

std::int64_t dm_bytes_of_windows(const Device& device, const Product& p, const Decisions& d, std::size_t which) {
  Sizes const z(device, p, d);
  const Band& b = d.bands[which];
  ImageBand const image = image_band(p, d, which);
  std::int64_t const window = image.window_rows * image.window_columns * p.windows->stored_channels * z.element;
  std::int64_t filters = 0, most = 0;
  for (std::int64_t tile : b.tiles) {
    filters += tile * p.depth / b.ring * z.element;
    most = std::max(most, tile);
  }
  std::int64_t const sums = std::int64_t{3} * 4 * b.reuse * device.vector.lanes * (d.parts.size() > 1 ? p.columns + most : 0);
  std::int64_t const between = p.after.empty() ? 0 : 4 * b.reuse * device.vector.lanes * most;
  // A window is loaded while another one is computed with.
  return 2 * window + 2 * filters + sums + between + 3 * z.own(b) * std::max(most, z.padded_columns) * z.of_result;
}

Estimate estimate_of_windows(const Device& device, const Product& p, const Decisions& d) {
  Sizes const z(device, p, d);
  const ImageWindows& w = *p.windows;
  std::int64_t const hbm = hbm_bytes_per_cycle(device), startup = device.dma.startup.value, dmn = device.dm.dmn_bytes_per_cycle.value;
  std::int64_t const unit = device.hbm.access_bytes.value;
  std::int64_t dma = 0, main = 0, first_ready = 0, last_store = 0, least_store = INT64_MAX;
  auto const packets = p.depth / z.packet;
  const Band& b = d.bands[0];
  std::int64_t const copies = z.slices / (b.ring * b.groups) * z.clusters_kept;
  // Filters, once.
  std::int64_t filters = 0;
  std::int64_t const parts = static_cast<std::int64_t>(d.parts.size());
  for (std::int64_t tile : b.tiles) {
    RingShares const r = ring_shares(b, tile);
    std::int64_t const run = p.depth / parts / r.shares * z.element, live = std::min(p.columns, z.tile_room(b, tile));
    filters += parts * (startup + live * r.shares * copies * round_up(run, unit) * (d.block > 0 || r.shares == 1 ? 4 : 7) / 4 / hbm);
  }
  dma += filters;
  for (std::size_t i = 0; i < d.bands.size(); ++i) {
    ImageBand const image = image_band(p, d, i);
    BlockPlaces const places(device, image.images * image.blocks_down, image.blocks_across, d.clusters == OverClusters::kept,
                             z.slices / b.groups);
    std::int64_t const window = image.window_rows * round_up(image.window_columns * w.stored_channels * z.element, unit);
    std::int64_t const all = image.blocks() * b.groups * z.clusters_streamed * window;
    std::int64_t const load = startup + std::max(all / hbm, places.of_busiest_dmn() * window / dmn);
    std::int64_t const stored = image.images * image.rows * w.across.pixels * z.padded_columns * z.of_result,
                       store = startup + stored / hbm;
    dma += load + store * static_cast<std::int64_t>(b.tiles.size());
    last_store = store;
    least_store = std::min(least_store, startup + stored / hbm / static_cast<std::int64_t>(b.tiles.size()));
    if (i == 0) first_ready = load + filters;
    main += z.trf_bytes(b, p.depth) / device.flit.bytes.value;
    for (std::int64_t tile : b.tiles) {
      std::int64_t const multiplying = tile * packets * std::max<std::int64_t>(b.reuse, d.dual ? 1 : 2);
      std::int64_t const leaving = z.own(b) * tile / (p.result == ScalarType::bf16 ? 4 : 2);
      main += std::max({multiplying, leaving, p.after.empty() ? 0 : 2 * tile * b.reuse});
      main += (parts - 1) * 2 * tile * b.reuse + static_cast<std::int64_t>(extra_passes(p, d)) * 2 * tile * b.reuse;
    }
  }
  Estimate e;
  e.dma = dma;
  e.main = main;
  std::int64_t const fill = z.trf_bytes(b, p.depth) / device.flit.bytes.value,
                     in_band = (main - fill) / static_cast<std::int64_t>(d.bands.size());
  e.cycles = d.bands.size() == 1 ? first_ready + in_band + last_store
                                 : std::max(dma, main) + in_band + (dma > main ? 0 : first_ready + last_store);
  // Transfers as they are at least, and the passes between the first loads and a store.
  std::int64_t images = 0;
  for (std::size_t i = 0; i < d.bands.size(); ++i) {
    ImageBand const image = image_band(p, d, i);
    images += image.blocks() * image.window_rows * image.window_columns;
  }
  std::int64_t const least = (images * w.stored_channels * z.element * b.groups * z.clusters_streamed +
                              p.columns * p.depth * z.element * copies + p.rows * p.columns * z.of_result) /
                                 hbm * 98 / 100 +
                             startup * static_cast<std::int64_t>(d.bands.size() * 2 + 1);
  e.bound = std::max(least, main - fill * static_cast<std::int64_t>(d.bands.size()) + 2 * startup + least_store);
  e.bound = std::min(e.bound, e.cycles);
  return e;
}

std::vector<Decisions> placements_of_windows(const Device& device, const Product& p, bool dual) {
  const ImageWindows& w = *p.windows;
  std::vector<Decisions> made;
  std::int64_t const slices = device.levels.slices_per_cluster, clusters = device.levels.clusters_per_chip;
  std::int64_t const packet = device.contraction.mac_bytes.value / bytes_of(p.type), packets = p.depth / packet;
  std::int64_t const unit_out = device.hbm.access_bytes.value / bytes_of(p.result), row = device.levels.rows_per_slice;
  bool const free = p.tensor(p.b).stored.kind == formula::StoredAs::Kind::any && w.stored_channels == w.channels;
  // No more pixels in a direction than there are, but that there are as many as Rows.
  std::int64_t const some_down = std::min(power_from(w.down.pixels), row), some_across = std::min(power_from(w.across.pixels), row);
  std::int64_t const widest = std::max(power_from(w.across.pixels), row / some_down);
  std::int64_t const tallest = std::max(power_from(w.down.pixels), row / some_across);
  auto const bands_of = [&](Decisions& d, Band b) {
    std::int64_t const all = ceil_div(w.down.pixels, d.pixel_rows), across = ceil_div(w.across.pixels, d.pixel_columns);
    std::int64_t most = all;
    bool const over = d.clusters == OverClusters::kept;
    while (most > 0 && !BlockPlaces(device, most, across, over, slices / b.groups).fit()) --most;
    if (most == 0) return false;
    std::int64_t const count = ceil_div(all, most), each = ceil_div(all, count) * d.pixel_rows;
    d.bands.clear();
    // Whole images, as many as have room.
    std::int64_t together = 1;
    while (count == 1 && 2 * together <= w.images && BlockPlaces(device, 2 * together * all, across, over, slices / b.groups).fit())
      together *= 2;
    for (std::int64_t left = w.images; together > 1 && left > 0; left -= together) {
      while (together > left) together /= 2;
      b.length = together * w.down.pixels;
      d.bands.push_back(b);
    }
    if (!d.bands.empty()) return d.bands.size() <= 512;
    for (std::int64_t image = 0; image < w.images; ++image)
      for (std::int64_t at = 0; at < w.down.pixels; at += each) {
        b.length = std::min(each, w.down.pixels - at);
        d.bands.push_back(b);
      }
    return d.bands.size() <= 512;
  };
  for (std::int64_t reuse : {1, 2, 4})
    for (std::int64_t down = 1; down <= row * reuse; down *= 2)
      for (OverClusters over : {OverClusters::kept, OverClusters::streamed})
        for (std::int64_t groups = 1; groups <= slices; groups *= 2) {
          std::int64_t const split = groups * (over == OverClusters::streamed ? clusters : 1);
          std::int64_t of_group = round_up(ceil_div(p.columns, split), split > 1 ? unit_out : 8);
          if (split > 1 && (of_group - unit_out) * split >= p.columns) continue;  // groups without a filter
          for (std::int64_t filters = std::min(power_from(of_group), slices / groups); filters >= 1 && filters >= slices / groups / 16;
               filters /= 2)
            for (std::int64_t shares = 1; filters * shares * groups <= slices && packets % shares == 0; shares *= 2) {
              std::int64_t const tile = round_up(of_group, filters);
              if (shares > 1 && tile > filters) break;
              for (bool both : {true, false}) {
                if (both && !dual) continue;
                Decisions d;
                d.clusters = over;
                d.dual = both;
                d.row = row;
                d.pixel_rows = down;
                d.pixel_columns = row * reuse / down;
                if (d.pixel_columns > widest || down > tallest) continue;
                if (!bands_of(d, {0, filters * shares, groups, reuse, {tile}})) continue;
                std::int64_t const trf = device.trf.slice_capacity.value / (d.bands.size() > 1 ? 2 : 1);
                std::int64_t const whole = row * reuse * p.depth * bytes_of(p.type), tap_rows = w.down.weights;
                std::int64_t parts = 1;
                while (parts < tap_rows &&
                       (tap_rows % parts != 0 || whole / parts > (parts > 1 ? trf / 2 : device.trf.slice_capacity.value)))
                  ++parts;
                d.parts.assign(static_cast<std::size_t>(parts), p.depth / parts);
                for (std::int64_t block : {std::int64_t{0}, p.depth / parts / shares}) {
                  if (block > 0 && (!free || shares == 1)) continue;
                  d.block = block;
                  d.image_columns = stored_image(p, d).columns;
                  made.push_back(d);
                }
              }
            }
        }
  return made;
}

}  // namespace tcp::mapper
