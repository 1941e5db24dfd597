// Convolution of images: y[n, c, h, w] = sum over k, fh, fw of x[n, k, s h + d fh - p, s w + d fw - p] * f[c, k, fh,
// fw], with stride s, dilation d and zeros for p rows and columns around the image.
//
//   kernels::Conv2d const conv(rngd, {.images = 8, .channels = 64, .filters = 64, .rows = 56, .columns = 56,
//                                     .filter_rows = 3, .filter_columns = 3, .padding = 1});
//   auto const y = conv(ctx, x, filter);
//
// Images are plain, [image, channel, row, column], in HBM before and after: layers follow on each other in one launch.
// Columns may be padded, as those of a result are.
//
// A packet of the Contraction Engine holds neighbouring columns of one row. It is fetched once and multiplied by each
// weight of a row of the filter, shifted by as many columns as the weights are apart (shift-reuse); a Row of the engine
// makes a channel of the result. Everything else is added over time.
//
// The border of zeros is made in DM: each channel of an image goes into a slice, into the middle of a tensor whose
// edges are zeros. From there a transfer hands blocks of rows, each with all rows that its results look at, to the
// slices that compute them: the tensor's rows are read as a window over blocks and the rows of a block. There in turn
// rows and columns are read as windows over results and weights. tiling.hpp describes what differs from that: other
// ways to make a border (ConvBorder), and other ways to walk over a row (ConvWalk).
//
// Slices that make different filters of one block need the same channels: each has a share of them, and the Switch
// Engine passes the shares around while they are multiplied. Weights are loaded once, into every slice that needs them,
// and stay in its DM; where all channels are added at once, in its TRF.
//
// The order of the sum is part of the result: `together()` neighbouring weights are added first, these then one after
// the other over channels, rows and columns of the filter, for each part of the channels; and the parts one after the
// other.
#pragma once

#include "kernels/conv/tiling.hpp"
#include "kernels/work/work.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

class Conv2d {
 public:
  /// Refused, by throwing: what tile_conv refuses.
  Conv2d(const Device& device, const ConvSizes& sizes, Where at = std::source_location::current());

  const ConvSizes& sizes() const { return sizes_; }
  const ConvTiling& tiling() const { return tiling_; }
  /// Rows and columns of the result.
  std::int64_t rows() const { return tiling_.rows.results; }
  std::int64_t columns() const { return tiling_.columns.results; }

  /// The best layout of images in HBM: [image, channel, row, column], columns in whole rows of DM, or in whole packets.
  /// Axes may have other names, and columns any other padding; rows that do not begin with a row of DM are copied
  /// first, which is slow.
  Mapping image_layout() const;
  /// From weights [filters, channels, filter rows, filter columns].
  dyn::HostTensor filter(const dyn::HostTensor& weights) const;
  Mapping filter_layout() const;
  /// The layout of the result in HBM: [image, filter, row, column], columns padded; and without padding, for a host.
  Mapping result_layout() const;
  Mapping host_layout() const;

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& image, const dyn::Tensor& filter) const;
  Work work() const;

 private:
  Device device_;
  ConvSizes sizes_;
  ConvTiling tiling_;
};

}  // namespace tcp::kernels
