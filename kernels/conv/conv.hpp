// Convolution of images: y[n, c, h, w] = sum over k, fh, fw of x[n, k, s h + d fh - p, s w + d fw - p] * f[c, k, fh, fw], with stride s, dilation d and zeros for p
// rows and columns around the image.
//
//   kernels::Conv2d const conv(rngd, {.images = 8, .channels = 64, .filters = 64, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3, .padding = 1});
//   auto const y = conv(ctx, x, filter);
//
// Images are plain, [image, channel, row, column], in HBM before and after: layers follow on each other in one launch. Columns may be padded, as those of a result are.
//
// A packet of the Contraction Engine holds neighbouring columns of one row. It is fetched once and multiplied by each weight of a row of the filter, shifted by
// as many columns as the weights lie apart (shift-reuse); a Row of the engine makes a channel of the result. Everything else is added over time.
//
// The border of zeros is made in DM: each channel of an image goes into a slice, into the middle of a tensor whose edges are zeros. From there a transfer hands blocks
// of rows, each with all rows that its results look at, to the slices that compute them: the tensor's rows are read as a window over blocks and the rows of a
// block. There in turn rows and columns are read as windows over results and weights. Where a slice computes with all rows of an image, it makes their border itself. A
// pointwise convolution (1 x 1, stride 1, no padding, `tiling().pointwise`) looks at no neighbours and needs none of that.
//
// With stride 1 the border at the end of a row serves the next row as well, and the rows of a block can be one long row (`tiling().flat`): of small images, a packet holds
// several rows.
//
// Slices that make different filters of one block need the same channels: each has a share of them, and the Switch Engine hands the shares round while they are
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
  /// Of one direction: results lie `stride` apart among the positions that are loaded, weights `dilation`, and these positions `step` apart in the image.
  struct Steps {
    std::int64_t results = 1, stride = 1, dilation = 1, step = 1;
  };
  Steps rows, columns;
  std::int64_t block_rows = 1, blocks = 1;  // rows of the result that a slice makes at once, and how many such blocks an image has
  bool flat = false;  // the rows of a block are one long row: a packet may hold the end of one and the begin of the next
  std::int64_t packet_columns = 32, packets = 1;  // columns of the result in a packet, and packets of a row
  std::int64_t row_columns = 32;                  // of the result in HBM: what a slice writes there is whole units
  std::int64_t image_columns = 4;                 // of the image, in whole rows of DM
  std::int64_t lead = 0;                          // columns of zeros in front of it, likewise; the border is the last of them
  std::int64_t loaded_rows = 1, ahead = 0;    // of a block: all that a slice holds, and how many of them above the first that is looked at
  std::int64_t loaded_columns = 4;            // all that a slice holds of a row
  std::int64_t part_channels = 1, parts = 1;  // channels that are added at once; the last part may have fewer
  std::int64_t reuse = 1;                     // how often a packet is used, each time for the filters of all Rows
  std::int64_t step_images = 1, step_blocks = 1;  // computed at once: whole images, or some blocks of one
  std::int64_t groups = 1, ring = 1;              // slices that make the filters of a block, and how many of them hand the channels round
  bool edged = false;                             // a border is made, or columns are filled up to whole rows of DM
  bool pointwise = false;                         // 1 x 1, of every row and column, all channels at once: nothing slides
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

  /// How images best lie in HBM: [image, channel, row, column], columns in whole rows of DM, or in whole packets. Other names and any other padding of the columns will do as well; rows
  /// that do not begin with a row of DM are copied first, which is slow.
  Mapping image_layout() const;
  /// From weights [filters, channels, filter rows, filter columns].
  dyn::HostTensor filter(const dyn::HostTensor& weights) const;
  Mapping filter_layout() const;
  /// How the result lies in HBM: [image, filter, row, column], columns padded; and as a host wants it.
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
