// The kernel: layouts in HBM, and the passes of a step. How an image is cut is decided in search.cpp; walk.cpp and
// border.cpp do what differs between images.
#include "kernels/conv/conv.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/conv/border.hpp"
#include "kernels/conv/walk.hpp"
#include "kernels/parts/counts.hpp"
#include "kernels/parts/sums.hpp"
#include "kernels/parts/views.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

using dyn::map;

namespace conv {
namespace {

/// The last ones do some images or blocks again.
std::vector<Step> steps_of(const ConvSizes& s, const ConvTiling& t) {
  std::vector<Step> all;
  for (std::int64_t n = 0; n < s.images; n += t.step_images)
    for (std::int64_t b = 0; b < t.blocks; b += t.step_blocks)
      for (std::int64_t k = 0; k < t.parts; ++k)
        all.push_back({std::min(n, s.images - t.step_images), std::min(b, t.blocks - t.step_blocks), k});
  return all;
}

/// By main, which fetches faster, as long as it is idle.
dyn::Tensor load_weights(Context& ctx, const Axes& a, const dyn::Tensor& filter, TrfAddress half, bool main_is_idle) {
  std::int64_t const flit = a.tiling.flit;
  Mapping const time = map(a.made_by, a.again, a.dense / flit), packet = a.dense % flit;
  dyn::Tensor const all = (main_is_idle ? dyn::main(ctx) : dyn::sub(ctx))
                              .begin(filter)
                              .fetch(ScalarType::bf16, time, packet)
                              .collect(time, packet)
                              .to_trf(a.made_by, map(a.again, a.dense), half);
  std::int64_t const used = a.channel.size * a.sizes.filter_rows * a.sizes.filter_columns;
  return some_of(all, a.weight, used, 0).reshape(map(a.again, a.weights));
}

/// The sums over one part of the channels.
dyn::Stream multiplied(Context& ctx, const Axes& a, const dyn::Tensor& windows, const dyn::Tensor& weights) {
  ConvTiling const& t = a.tiling;
  Mapping const time = map(a.row, a.packet, a.channel, a.filter_row);
  bool const plain = t.together == a.sizes.filter_columns;  // no column is looked at twice
  Mapping const own = map(a.row, a.packet, a.channel % a.share, a.filter_row);
  Mapping const flits_of = a.window.pad(std::max(round_up(a.window.size, t.flit), t.packet));
  auto fetched = dyn::main(ctx).begin(windows).fetch(ScalarType::bf16, own, flits_of);
  if (t.ring > 1)
    fetched = std::move(fetched).switch_to(SwitchConfig::Broadcast01{.slice1 = t.ring, .slice0 = 1, .time0 = a.share * a.sizes.filter_rows},
                                           a.slice, time);
  auto flits =
      plain ? std::move(fetched).collect(map(time, flits_of / t.flit), flits_of % t.flit) : std::move(fetched).collect(time, flits_of);
  Mapping const lane = map(a.lane_column, t.together == 2 ? a.filter_column % 2 : dyn::one.pad(t.spacing));
  Mapping const columns = a.column_out();
  return std::move(flits)
      .align(weights, map(time, a.filter_column / t.together, a.again), lane)
      .contract(a.lane_column)
      .accumulate(AccumulationKind::Sequential, map(a.row, a.packet, a.again, a.made_by, columns / t.lanes), columns % t.lanes);
}

/// The kernel while it is recorded.
class ConvRun {
 public:
  ConvRun(Context& ctx, const Device& device, const ConvSizes& s, const ConvTiling& t, const Walk& walk, const Border& border,
          const dyn::Tensor& filter, const dyn::Tensor& result)
      : ctx_(ctx),
        device_(device),
        s_(s),
        t_(t),
        walk_(walk),
        border_(border),
        axes_(device, s, t, walk, t.part_channels),
        of_last_(device, s, t, walk, t.last_channels(s)),
        steps_(steps_of(s, t)),
        filter_(filter),
        result_(result.reshape(map(images(), axes_.filter, blocks(), axes_.block_row, axes_.columns))) {}

  /// Three steps overlap: the image of one arrives, the border of the next is made, one is computed with.
  void record() {
    dyn::Tensor const first = fetched(0);
    filters_.push_back(load_filter(0));  // while the border of the first image is made
    dyn::Tensor now, next = made(0, first), arriving = fetched(1);
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      Step const& s = steps_[at];
      dyn::Tensor const after_next = fetched(at + 2);
      now = border_.finish(axes_of(s), s, next);
      load_weights_of(at);
      if (at + 1 < steps_.size()) next = made(at + 1, arriving);  // queued before what this step stores
      arriving = after_next;
      compute(s, now);
    }
  }

 private:
  Mapping images() const { return dyn::axis("N", s_.images); }
  Mapping blocks() const { return dyn::axis("Bt", t_.blocks); }
  const Axes& axes_of(const Step& s) const { return s.part + 1 == t_.parts ? of_last_ : axes_; }
  dyn::Tensor fetched(std::size_t at) const { return at < steps_.size() ? border_.fetch(axes_of(steps_[at]), steps_[at]) : dyn::Tensor(); }
  dyn::Tensor made(std::size_t at, const dyn::Tensor& fetched) const { return border_.make(axes_of(steps_[at]), steps_[at], fetched); }
  dyn::Tensor load_filter(std::int64_t part) const {
    return some_of(filter_, dyn::axis("Ko", t_.parts), 1, part).to_dm(ctx_.tdma, axes_.cluster, axes_.slice, map(axes_.mine, axes_.dense));
  }
  /// All weights stay in the TRF, or those of parts of the channels take turns in its halves.
  void load_weights_of(std::size_t at) {
    Step const& s = steps_[at];
    auto const part = static_cast<std::size_t>(s.part);
    if (filters_.size() <= part) filters_.push_back(load_filter(s.part));
    bool const whole = t_.parts == 1;
    if (whole && at > 0) return;
    TrfAddress const half = whole ? TrfAddress::Full : at % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf;
    weights_ = load_weights(ctx_, axes_of(s), filters_[part], half, at == 0);
  }
  /// Adds the sums of a part of the channels to those of the parts before; the last one is stored.
  void compute(const Step& s, const dyn::Tensor& loaded) {
    Axes const& a = axes_of(s);
    auto sums = multiplied(ctx_, a, walk_.windows(a, loaded), weights_);
    if (s.part > 0) {
      auto const part = std::move(sums).commit(axes_.sums);
      sums = added(ctx_, device_, sum_, part, axes_.sums / t_.lanes, axes_.sums % t_.lanes);
    }
    if (s.part + 1 < t_.parts) {
      sum_ = std::move(sums).commit(axes_.sums);
      return;
    }
    auto const done = std::move(sums).cast(ScalarType::bf16, (axes_.column_out() % t_.lanes).pad(t_.flit)).commit(axes_.results);
    dyn::dma(ctx_.tdma, walk_.plain(ctx_, axes_, done), result_of(s));
  }
  dyn::Tensor result_of(const Step& s) const {
    return some_of(some_of(result_, images(), t_.step_images, s.image), blocks(), t_.step_blocks, s.block)
        .reshape(map(axes_.image.pad(s_.images), axes_.filter, axes_.block.pad(t_.blocks), axes_.block_row, axes_.columns));
  }

  Context& ctx_;
  const Device& device_;
  const ConvSizes& s_;
  const ConvTiling& t_;
  const Walk& walk_;
  const Border& border_;
  Axes axes_, of_last_;  // for all parts of the channels but the last, and for that one
  std::vector<Step> steps_;
  dyn::Tensor filter_, result_;
  std::vector<dyn::Tensor> filters_{};  // parts of them, loaded once
  dyn::Tensor weights_{}, sum_{};
};

}  // namespace
}  // namespace conv

Conv2d::Conv2d(const Device& device, const ConvSizes& sizes, Where at)
    : device_(device), sizes_(sizes), tiling_(value_or_throw(tile_conv(device, sizes, at))) {}

Mapping Conv2d::image_layout() const {
  bool const pointwise = tiling_.walk == ConvWalk::pointwise;
  return map(dyn::axis("N", sizes_.images), dyn::axis("K", sizes_.channels), dyn::axis("Y", sizes_.rows),
             dyn::axis("X", sizes_.columns).pad(pointwise ? tiling_.loaded_columns : tiling_.image_columns));
}
Mapping Conv2d::filter_layout() const {
  conv::Axes const a(device_, sizes_, tiling_, *conv::walk_of(tiling_), tiling_.part_channels);
  return map(dyn::axis("Ko", tiling_.parts), a.filter, a.dense);
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
  // Slices make filters by whole groups; a copy drops those that do not exist.
  std::int64_t const made = tiling_.groups * tiling_.filters_of_slice(device_);
  bool const whole = made == sizes_.filters;
  Mapping const images = dyn::axis("N", sizes_.images), made_filters = dyn::axis("Fa", made), h = dyn::axis("H", rows());
  Mapping const row_columns = dyn::axis("W", columns()).pad(tiling_.row_columns);
  auto const walk = conv::walk_of(tiling_);
  auto const border = conv::border_of(ctx, device_, sizes_, tiling_, image);
  dyn::Tensor const y = dyn::Tensor::hbm(ctx, ScalarType::bf16, image.levels()[Level::chip],
                                         whole ? result_layout() : map(images, made_filters, h, row_columns));
  conv::ConvRun(ctx, device_, sizes_, tiling_, *walk, *border, filter, y).record();
  if (whole) return y;
  Mapping const padded = map(images, dyn::axis("F", sizes_.filters).pad(made_filters.size), h, row_columns);
  return y.tile(made_filters, sizes_.filters, 0).reshape(padded).to_hbm(ctx.tdma, result_layout());
}

Work Conv2d::work() const {
  std::int64_t const element = element_bytes(ScalarType::bf16);
  std::int64_t const in = sizes_.images * sizes_.channels * sizes_.rows * sizes_.columns;
  std::int64_t const out = sizes_.images * sizes_.filters * rows() * columns();
  std::int64_t const weights = sizes_.channels * sizes_.filter_rows * sizes_.filter_columns;
  return {.multiply_adds = out * weights, .hbm_bytes = element * (in + out + sizes_.filters * weights), .dm_bytes = element * (in + out)};
}

}  // namespace tcp::kernels
