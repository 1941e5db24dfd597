// The axes of a step of a convolution, named by what they count, and the mappings made of them.
#pragma once

#include "kernels/conv/tiling.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels::conv {

class Walk;

/// For a part of so many channels.
struct Axes {
  Axes(const Device& device, const ConvSizes& s, const ConvTiling& t, const Walk& walk, std::int64_t channels);

  /// Columns of a packet as they leave the engine.
  Mapping column_out() const;
  /// The slices of a ring, each with its share of the channels.
  Mapping shares() const;

  const ConvSizes& sizes;
  const ConvTiling& tiling;
  Mapping image, block, in_ring, channel, group;
  Mapping mine, filter;    // filters of a slice, and all of them
  Mapping made_by, again;  // filters of a slice: by Row; how often a packet is used
  Mapping block_row;       // rows of a block
  Mapping filter_row, filter_column;
  Mapping loaded_row, loaded_column;  // of a block
  Mapping weights;                    // of one filter, a part of its channels
  Mapping weight, dense;              // the same as it is stored, zeros included
  Mapping cluster, place, slice;
  std::int64_t share = 1;  // channels that a slice of a ring loads

  // Named by the walk.
  Mapping row, packet, column;      // of the result, as they are computed
  Mapping lane_column;              // columns of a packet, lanes that are not used included
  Mapping window;                   // what is fetched at once
  Mapping rows, columns_looked_at;  // of what is loaded, as windows
  Mapping skipped;                  // columns between two that are looked at, and the first of these
  Mapping sums, results;            // of a slice, f32 and bf16
  Mapping columns;                  // of the result, filled up to whole units of HBM

 private:
  void spread_over_slices(const Device& device);
};

}  // namespace tcp::kernels::conv
