// Convolution of images: y[n, c, h, w] = sum over k, fh, fw of x[n, k, s h + d fh - p, s w + d fw - p] * f[c, k, fh, fw], with stride s, dilation d and zeros for p
// rows and columns around the image.
//
//   kernels::Conv2d const conv(rngd, {.images = 8, .channels = 64, .filters = 64, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3, .padding = 1});
//   auto const y = conv(ctx, frame, filter);
//
// A packet of the Contraction Engine holds neighbouring columns of one row. It is fetched once and multiplied by each weight of a row of the filter, shifted by
// as many columns as the weights lie apart (shift-reuse); a Row of the engine makes a channel of the result. Everything else is added over time.
//
// Shifting within flits is what the engine does; into DM bytes go in eights. So the border of zeros, and the columns behind the image that fill the last packet,
// are part of the image as it lies in HBM: its frame, which `frame` makes on the host. It consists of blocks of rows, each with all rows that its results
// need, so that blocks of one image are computed by different slices. The result is plain, [image, filter, row, column], without the columns that filled a packet. Where stride and dilation are both 2, and where a filter is 1 wide, the frame holds only
// the columns (and rows) that are used. A pointwise convolution (1 x 1, stride 1, no padding, `tiling().pointwise`) needs no frame: it takes what another one made, in the same launch.
//
// Slices that make different filters of one block need the same channels: each loads a share of them, and the Switch Engine hands the shares round while they are
// multiplied. Weights are loaded once, into every slice that needs them, and stay in its DM; where all channels are added at once, in its TRF.
//
// The order of the sum is part of the result: `together()` neighbouring weights are added first, these then one after the other over channels, rows and columns
// of the filter, for each part of the channels; and the parts one after the other.
#pragma once

#include "kernels/work/work.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

struct ConvSizes {
  std::int64_t images = 1, channels = 1, filters = 1;
  std::int64_t rows = 1, columns = 1;  // of an image
  std::int64_t filter_rows = 1, filter_columns = 1;
  std::int64_t stride = 1, dilation = 1, padding = 0;
};

/// How a convolution is cut.
struct ConvTiling {
  /// Of one direction: results lie `stride` apart in the frame, weights `dilation`, and positions of the frame `step` apart in the image.
  struct Steps {
    std::int64_t results = 1, stride = 1, dilation = 1, step = 1;
  };
  Steps rows, columns;
  std::int64_t block_rows = 1, blocks = 1;        // rows of the result that a slice makes at once, and how many such blocks an image has
  std::int64_t packet_columns = 32, packets = 1;  // columns of the result in a packet, and packets of a row
  std::int64_t row_columns = 32;                  // of the result in HBM: what a slice writes there is whole units
  std::int64_t part_channels = 1, parts = 1;      // channels that are added at once; their number is filled up with zeros
  std::int64_t reuse = 1;                         // how often a packet is used, each time for the filters of all Rows
  std::int64_t step_blocks = 1;                   // blocks that are computed at once: of whole images, or of one
  std::int64_t cluster_blocks = 1;                // of them, in a cluster
  std::int64_t groups = 1, ring = 1;              // slices that make the filters of a block, and how many of them hand the channels round
  bool pointwise = false;                         // 1 x 1, of every row and column, all channels at once: the image needs no frame
  std::int64_t together = 1;                      // weights that are added within a packet
  std::int64_t taps = 1;                          // weights of a filter for one channel
  std::int64_t spacing = 1;                       // each is followed by so many places less one

  /// Places for the weights of a filter for a part of the channels: whole flits.
  std::int64_t weights() const { return (part_channels * taps * spacing + 15) / 16 * 16; }
  std::int64_t filters_of_slice(const Device& device) const { return device.levels.rows_per_slice * reuse; }
};

/// Refused: no image, channel, filter, row or column; images smaller than the filter; strides and dilations but 1 and 2; filters that reach
/// over more than 17 columns or have more than 16 rows; more weights than a slice holds.
Expected<ConvTiling> tile_conv(const Device& device, const ConvSizes& sizes, Where at = {});

class Conv2d {
 public:
  /// Refused, by throwing: what tile_conv refuses.
  Conv2d(const Device& device, const ConvSizes& sizes, Where at = std::source_location::current());

  const ConvSizes& sizes() const { return sizes_; }
  const ConvTiling& tiling() const { return tiling_; }
  /// Of the result.
  std::int64_t rows() const { return tiling_.rows.results; }
  std::int64_t columns() const { return tiling_.columns.results; }

  /// From images [images, channels, rows, columns] of bf16, however their axes are named.
  dyn::HostTensor frame(const dyn::HostTensor& images) const;
  /// Of a pointwise convolution: [image, channel, row, column # whole packets]. It takes rows padded to any multiple of 4 columns, so the result of another
  /// convolution as it is.
  Mapping frame_layout() const;
  /// From weights [filters, channels, filter rows, filter columns].
  dyn::HostTensor filter(const dyn::HostTensor& weights) const;
  Mapping filter_layout() const;
  /// How the result lies in HBM: [image, filter, row, column], columns in whole packets; and as a host wants it.
  Mapping result_layout() const;
  Mapping host_layout() const;

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& frame, const dyn::Tensor& filter) const;
  Work work() const;

 private:
  std::int64_t padded_columns() const { return tiling_.packets * tiling_.packet_columns; }

  Device device_;
  ConvSizes sizes_;
  ConvTiling tiling_;
};

}  // namespace tcp::kernels
