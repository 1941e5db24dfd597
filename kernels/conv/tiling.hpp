// How a convolution is cut for the chip. Two strategies and a few sizes say it all:
//
//   ConvWalk    how packets walk over the columns of an image
//   ConvBorder  where the zeros around an image are made
//
// tiling.cpp makes a tiling of a choice of sizes, cost.cpp says what it takes, search.cpp lists the choices and takes
// the fastest that fits.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

struct ConvSizes {
  std::int64_t images = 1, channels = 1, filters = 1;
  std::int64_t rows = 1, columns = 1;  // of an image
  std::int64_t filter_rows = 1, filter_columns = 1;
  std::int64_t stride = 1, dilation = 1, padding = 0;
};

/// How packets walk over the columns of an image.
enum class ConvWalk : std::uint8_t {
  /// 1 x 1, stride 1, no padding: no neighbours are looked at, so packets are simply the columns of a row.
  pointwise,
  /// A packet is a window of a row: the columns that some neighbouring results look at. Each weight of a row of the
  /// filter is multiplied with the window shifted by one step.
  sliding,
  /// One column of the filter and stride 2: every other column is looked at, none of them twice. The columns between
  /// are fetched and skipped.
  skipping,
  /// Stride 1 and a border: the border at the end of a row serves as the one before the next row, and the rows of a
  /// block are one long row over which a window slides. Of small images a packet then holds several rows.
  flat,
};

/// Where the zeros around an image are made, and those that fill up its rows to whole rows of DM.
enum class ConvBorder : std::uint8_t {
  none,      // there are none: blocks of rows go from HBM to the slices that compute them
  in_place,  // a slice computes with all rows of an image, and makes their border itself
  apart,     // channels are spread over all slices, get their border there, and blocks of rows go from DM to DM
};

/// How a convolution is cut.
struct ConvTiling {
  /// In one direction: results are `stride` apart among the positions that are loaded, weights `dilation`, and these
  /// positions are `step` apart in the image.
  struct Steps {
    std::int64_t results = 1, stride = 1, dilation = 1, step = 1;

    /// Positions that some neighbouring results look at.
    std::int64_t reach(std::int64_t some, std::int64_t filter) const { return stride * (some - 1) + dilation * (filter - 1) + 1; }
  };
  Steps rows, columns;
  ConvWalk walk = ConvWalk::sliding;
  ConvBorder border = ConvBorder::none;

  std::int64_t block_rows = 1;                    // rows of the result that a slice makes at once,
  std::int64_t blocks = 1;                        // and how many such blocks an image has
  std::int64_t packet_columns = 32, packets = 1;  // columns of the result in a packet, and packets of a row
  std::int64_t row_columns = 32;                  // of the result in HBM: what a slice writes there is whole units
  std::int64_t image_columns = 4;                 // of the image, in whole rows of DM
  std::int64_t lead = 0;                          // columns of zeros before it; the border is the last of them
  std::int64_t loaded_rows = 1;                   // of a block: all that a slice holds,
  std::int64_t ahead = 0;                         // and how many of them are above the first that is looked at
  std::int64_t loaded_columns = 4;                // all that a slice holds of a row
  std::int64_t part_channels = 1, parts = 1;      // channels that are added at once; the last part may have fewer
  std::int64_t reuse = 1;                         // how often a packet is used, each time for the filters of all Rows
  std::int64_t step_images = 1, step_blocks = 1;  // computed at once: whole images, or some blocks of one
  std::int64_t groups = 1;                        // slices that make the filters of a block,
  std::int64_t ring = 1;                          // and how many of them pass the channels around
  std::int64_t together = 1;                      // weights that are added within a packet
  std::int64_t taps = 1;                          // weights of a filter for one channel
  std::int64_t spacing = 1;                       // each is followed by so many places less one

  // Elements of bf16 that are multiplied at once, that travel at once, and of a row of DM; lanes of the Vector Engine.
  std::int64_t packet = 32, flit = 16, dm_row = 4, lanes = 8;

  /// Places for the weights of a filter for a part of the channels: whole flits.
  std::int64_t weights() const { return round_up(part_channels * taps * spacing, flit); }
  std::int64_t filters_of_slice(const Device& device) const { return device.levels.rows_per_slice * reuse; }
  /// Channels of the last part.
  std::int64_t last_channels(const ConvSizes& s) const { return s.channels - (parts - 1) * part_channels; }
  /// Whether the columns of a row are one packet, which may then be shorter than others.
  bool one_packet() const {
    return packet_columns < packet / columns.stride || (packet_columns == columns.results && walk != ConvWalk::pointwise);
  }
};

/// Refused: no image, channel, filter, row or column; images smaller than the filter; strides and dilations but 1 and
/// 2; filters that reach over more than 17 columns or have more than 16 rows; more weights than a slice holds.
Expected<ConvTiling> tile_conv(const Device& device, const ConvSizes& sizes, Where at = {});

namespace conv {

/// What the search chooses; a tiling follows from it.
struct Choice {
  ConvWalk walk;
  std::int64_t reuse, ring, part_channels, block_rows;
};

/// What all tilings of a convolution have in common.
ConvTiling common_tiling(const Device& device, const ConvSizes& s);
/// The tiling of a choice. It may not fit (see `fits`).
ConvTiling tiling_of(const Device& device, const ConvSizes& s, const Choice& choice);

/// Slices that make the filters of a block, if each makes those of `reuse` times all Rows.
std::int64_t groups_of(const Device& device, const ConvSizes& s, std::int64_t reuse);
/// Rows that fill units of HBM are put between their borders by the transfer itself; shorter ones come all together,
/// and a pass takes them apart.
bool goes_straight(const Device& device, const ConvSizes& s);

/// Where the channels of some images are while their border is made apart: in both clusters, and in as many slices as
/// possible.
struct Spread {
  std::int64_t images = 1;                    // of a cluster
  std::int64_t channels = 1;                  // of a cluster
  std::int64_t together = 1;                  // channels of a slice
  bool by_image = false, by_channel = false;  // what tells the clusters apart; neither: one of them has all

  Spread(const Device& device, const ConvTiling& t, std::int64_t all);
};

/// Whether what a slice needs fits into its DM.
bool fits(const Device& device, const ConvSizes& s, const ConvTiling& t);
/// About how many cycles a tiling takes.
double cycles_of(const Device& device, const ConvSizes& s, const ConvTiling& t);

}  // namespace conv
}  // namespace tcp::kernels
