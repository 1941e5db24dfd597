// The borders. All of them see an image as some images, some channels of them, and the rows that a step looks at.
#include "kernels/conv/border.hpp"

#include <algorithm>

#include "kernels/conv/walk.hpp"
#include "kernels/parts/counts.hpp"
#include "kernels/parts/views.hpp"
#include "tcp/mapping/algebra.hpp"

namespace tcp::kernels::conv {
namespace {

using dyn::map;

constexpr ScalarType bf16_type = ScalarType::bf16;

/// What all of them need: views of the image under names of our own.
class Images : public Border {
 public:
  Images(Context& ctx, const Device& device, const ConvSizes& s, const ConvTiling& t, const dyn::Tensor& image)
      : ctx_(ctx), device_(device), s_(s), t_(t), chip_(image.levels()[Level::chip]), image_(usable(image)) {}

 protected:
  Mapping images() const { return dyn::axis("Xn", s_.images); }
  Mapping channels() const { return dyn::axis("Xk", s_.channels); }
  Mapping image_rows() const { return dyn::axis("Xy", s_.rows); }
  /// Some images in HBM under the names of a step.
  Mapping of_image(const Axes& a, const Mapping& rows, const Mapping& column) const {
    std::int64_t const pitch = image_.levels()[Level::element].size / (s_.images * s_.channels * s_.rows);
    return map(a.image.pad(s_.images), a.channel.pad(s_.channels), rows, column.pad(pitch));
  }
  /// The images and channels of a step.
  dyn::Tensor some_images(const Axes& a, const Step& step) const {
    return some_of(some_of(image_, images(), t_.step_images, step.image), channels(), a.channel.size, step.part * t_.part_channels);
  }
  /// Rows, as a window over blocks and the rows of each.
  Mapping rows_of(const Axes& a) const {
    Slide const below[] = {{a.block, t_.block_rows * t_.rows.stride * t_.rows.step}, {a.loaded_row, t_.rows.step}};
    return slide_over(below);
  }
  /// The first row of the image that a step looks at; it may be above the image.
  std::int64_t top_of(const Step& step) const { return step.block * t_.block_rows * t_.rows.stride * t_.rows.step - s_.padding - t_.ahead; }
  /// Room for what a slice computes with.
  dyn::Tensor room(const Axes& a) const {
    return dyn::Tensor::dm(ctx_, bf16_type, chip_, a.cluster, a.shares(), map(a.channel % a.share, a.loaded_row, a.loaded_column));
  }

  Context& ctx_;
  const Device& device_;
  const ConvSizes& s_;
  const ConvTiling& t_;
  Mapping chip_;
  dyn::Tensor image_;

 private:
  /// The image under names of our own, its rows in whole rows of DM.
  dyn::Tensor usable(const dyn::Tensor& image) const {
    std::int64_t const lines = s_.images * s_.channels * s_.rows, given = image.levels()[Level::element].size / lines;
    Mapping const line = map(images(), channels(), image_rows()), x = dyn::axis("Xx", s_.columns);
    dyn::Tensor const plain = image.reshape(map(line, x.pad(given)));
    return given % t_.dm_row == 0 ? plain : plain.to_hbm(ctx_.tdma, map(line, x.pad(t_.image_columns)));
  }
};

/// No border, and every column is computed with: blocks go to their slices as they are.
class WholeRows : public Images {
 public:
  using Images::Images;

  dyn::Tensor fetch(const Axes&, const Step&) const override { return {}; }
  dyn::Tensor make(const Axes& a, const Step& step, const dyn::Tensor&) const override {
    Mapping const blocks = dyn::axis("Bt", t_.blocks), w = dyn::axis("W", s_.columns);
    return some_of(some_images(a, step).reshape(of_image(a, map(blocks, a.row), w)), blocks, t_.step_blocks, step.block)
        .reshape(of_image(a, map(a.block.pad(t_.blocks), a.row), w))
        .to_dm(ctx_.tdma, a.cluster, a.shares(), map(a.channel % a.share, a.row, map(a.packet, a.column)));
  }
  dyn::Tensor finish(const Axes&, const Step&, const dyn::Tensor& made) const override { return made; }
};

/// No border, but blocks share rows: each gets all that it looks at, with room for the last window of a row.
class NoBorder : public Images {
 public:
  using Images::Images;

  dyn::Tensor fetch(const Axes&, const Step&) const override { return {}; }
  dyn::Tensor make(const Axes& a, const Step& step, const dyn::Tensor&) const override {
    dyn::Tensor const all = some_images(a, step);
    Mapping const rows = rows_of(a), column = dyn::axis("Xr", t_.image_columns);
    dyn::Tensor const loaded = room(a);
    dyn::dma(
        ctx_.tdma, some_of(all, image_rows(), rows.size, top_of(step)).reshape(of_image(a, rows.pad(s_.rows), column)),
        some_of(loaded, a.loaded_column, column.size, 0).reshape(map(a.channel % a.share, a.loaded_row, column.pad(a.loaded_column.size))));
    return loaded;
  }
  dyn::Tensor finish(const Axes&, const Step&, const dyn::Tensor& made) const override { return made; }
};

/// Makes borders: puts rows of images into the middle of a tensor whose edges are zeros.
class Bordered : public Images {
 public:
  using Images::Images;

  /// The rows alone, or where the transfer can do it, in their border.
  dyn::Tensor fetch(const Axes& a, const Step& step) const override {
    Image const x = image_of(a, step);
    Place const p = place(a);
    return needs_pass(x) ? arrived(a, p, x) : edged(a, p, x, {});
  }

 protected:
  /// Where the border is made.
  struct Place {
    Mapping row, channel, cluster, slice;  // channels of a slice
  };
  virtual Place place(const Axes& a) const = 0;

  /// What was fetched, in its border.
  dyn::Tensor with_border(const Axes& a, const Step& step, const dyn::Tensor& fetched) const {
    Image const x = image_of(a, step);
    return needs_pass(x) ? edged(a, place(a), x, fetched) : fetched;
  }

 private:
  /// The rows that are looked at begin at `top`; `height` of them, from `first` on, are rows of the image.
  struct Image {
    dyn::Tensor all;
    std::int64_t top, first, height;
  };
  Image image_of(const Axes& a, const Step& step) const {
    std::int64_t const top = top_of(step);
    std::int64_t const first = std::clamp<std::int64_t>(top, 0, s_.rows);
    std::int64_t const last = std::clamp<std::int64_t>(top + rows_of(a).size, 0, s_.rows);
    return {some_images(a, step), top, first, last - first};
  }
  bool needs_pass(const Image& x) const { return x.height > 0 && !goes_straight(device_, s_); }

  /// Rows of an image as they arrive, where their border is to be.
  dyn::Tensor arrived(const Axes& a, const Place& p, const Image& x) const {
    Mapping const row = dyn::axis("Yr", x.height), column = dyn::axis("Xo", s_.columns);
    return some_of(x.all, image_rows(), x.height, x.first)
        .reshape(of_image(a, row.pad(s_.rows), column))
        .to_dm(ctx_.tdma, p.cluster, p.slice, map(p.channel, row, column.pad(t_.image_columns)));
  }
  /// Rows as they arrived, with zeros in the columns that fill up a row of DM.
  dyn::Tensor filled(const Place& p, const Image& x, const dyn::Tensor& rows) const {
    if (s_.columns == t_.image_columns) return rows;
    Mapping const row = dyn::axis("Yr", x.height), zeros = dyn::axis("Xo", s_.columns).pad_zero(t_.image_columns);
    Mapping const wide = zeros % widest(t_, zeros.size), time = map(p.channel, row, zeros / wide.size);
    return dyn::main(ctx_)
        .begin(rows)
        .fetch(bf16_type, time, wide)
        .collect(time, wide.pad_zero(t_.flit))
        .commit(map(p.channel, row, zeros));
  }
  /// An image in the middle of zeros; `middle`: its rows if they have arrived, otherwise they are fetched here.
  dyn::Tensor edged(const Axes& a, const Place& p, const Image& x, const dyn::Tensor& middle) const {
    dyn::Tensor const all = dyn::Tensor::dm(ctx_, bf16_type, chip_, p.cluster, p.slice, map(p.channel, p.row, a.loaded_column));
    std::int64_t const above = x.height > 0 ? x.first - x.top : p.row.size, right = t_.lead + t_.image_columns;
    fill(a, p, all, {0, above}, {0, t_.loaded_columns});
    if (x.height <= 0) return all;
    fill(a, p, all, {above + x.height, p.row.size}, {0, t_.loaded_columns});
    fill(a, p, all, {above, above + x.height}, {0, t_.lead});
    fill(a, p, all, {above, above + x.height}, {right, t_.loaded_columns});
    Mapping const row = dyn::axis("Yr", x.height), column = dyn::axis("Xr", t_.image_columns);
    Mapping const wide = column % widest(t_, column.size);
    dyn::Tensor const to = some_of(some_of(all, p.row, x.height, above), a.loaded_column, t_.image_columns, t_.lead)
                               .reshape(map(p.channel, row.pad(p.row.size), column.pad(t_.loaded_columns)));
    if (middle) copy(filled(p, x, middle).reshape(map(p.channel, row, column)), map(p.channel, row, column / wide.size), wide, to);
    else dyn::dma(ctx_.tdma, some_of(x.all, image_rows(), x.height, x.first).reshape(of_image(a, row.pad(s_.rows), column)), to);
    return all;
  }
  /// Within each slice.
  void copy(const dyn::Tensor& from, const Mapping& time, const Mapping& packet, const dyn::Tensor& to) const {
    dyn::main(ctx_).begin(from).fetch(bf16_type, time, packet).collect(time, packet.pad(t_.flit)).commit_view(to);
  }
  struct Range {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
  };
  /// Zeros: a few of them, fetched again and again.
  void fill(const Axes& a, const Place& p, const dyn::Tensor& all, const Range& rows, const Range& columns) const {
    if (rows.size() <= 0 || columns.size() <= 0) return;
    std::int64_t const wide = widest(t_, columns.size());
    Mapping const k = dyn::axis("Zk", p.channel.size), y = dyn::axis("Zr", rows.size()), x = dyn::axis("Zc", columns.size() / wide),
                  some = dyn::axis("Zl", wide);
    dyn::Tensor const zeros = dyn::Tensor::dm(ctx_, bf16_type, chip_, p.cluster, p.slice, some);
    dyn::memset(ctx_, zeros, 0);
    dyn::Tensor const to = some_of(some_of(all, p.row, rows.size(), rows.begin), a.loaded_column, columns.size(), columns.begin);
    copy(zeros, map(k, y, x), some, to.reshape(map(k, y.pad(p.row.size), map(x, some).pad(t_.loaded_columns))));
  }
};

/// Each slice makes the border of the images that it computes with, when it is about to.
class BorderInPlace : public Bordered {
 public:
  using Bordered::Bordered;

  dyn::Tensor make(const Axes&, const Step&, const dyn::Tensor& fetched) const override { return fetched; }
  dyn::Tensor finish(const Axes& a, const Step& step, const dyn::Tensor& made) const override {
    return with_border(a, step, made).reshape(map(a.channel % a.share, a.loaded_row, a.loaded_column));
  }

 private:
  Place place(const Axes& a) const override { return {dyn::axis("Fr", a.loaded_row.size), a.channel % a.share, a.cluster, a.shares()}; }
};

/// Channels get their border in as many slices as possible; then a transfer hands blocks of rows to the slices that
/// compute them, each with all rows that it looks at.
class BorderApart : public Bordered {
 public:
  using Bordered::Bordered;

  dyn::Tensor make(const Axes& a, const Step& step, const dyn::Tensor& fetched) const override {
    dyn::Tensor const loaded = room(a);
    dyn::dma(ctx_.tdma, with_border(a, step, fetched).reshape(map(place(a).channel, rows_of(a), a.loaded_column)), loaded);
    return loaded;
  }
  dyn::Tensor finish(const Axes&, const Step&, const dyn::Tensor& made) const override { return made; }

 private:
  Place place(const Axes& a) const override {
    Spread const spread(device_, t_, a.channel.size);
    std::int64_t const clusters = device_.levels.clusters_per_chip;
    Mapping const all = a.image.pad(clusters * spread.images), own = a.channel % spread.channels / spread.together;
    Mapping const images = (spread.by_image ? all % spread.images : a.image).pad(power_of_two_from(spread.images));
    Mapping const channels = own.pad(power_of_two_from(own.size));
    Mapping const cluster = spread.by_image     ? all / spread.images
                            : spread.by_channel ? a.channel / spread.channels
                                                : dyn::one.pad(clusters);
    Mapping const idle = dyn::one.pad(device_.levels.slices_per_cluster / images.size / channels.size);
    return {dyn::axis("Fr", rows_of(a).size), a.channel % spread.together, cluster, map(images, channels, idle)};
  }
};

}  // namespace

std::unique_ptr<const Border> border_of(Context& ctx, const Device& device, const ConvSizes& s, const ConvTiling& t,
                                        const dyn::Tensor& image) {
  if (t.walk == ConvWalk::pointwise) return std::make_unique<WholeRows>(ctx, device, s, t, image);
  switch (t.border) {
    case ConvBorder::none: return std::make_unique<NoBorder>(ctx, device, s, t, image);
    case ConvBorder::in_place: return std::make_unique<BorderInPlace>(ctx, device, s, t, image);
    case ConvBorder::apart: return std::make_unique<BorderApart>(ctx, device, s, t, image);
  }
  return nullptr;
}

}  // namespace tcp::kernels::conv
