// One tile of a product: its axes, named by what they count, and the commands that are recorded for it. run.cpp decides
// when which of them is recorded.
//
// A tile counts by axes of its own, to which views of A, B and C are reshaped: I, J and L where M, N and K are the
// whole. The slices among which the Switch Engine passes A around must be counted by a whole axis; so J is made of
// clusters, rings, slices of a ring and columns of a slice.
#pragma once

#include "kernels/tiling/tiling.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels::gemm {

struct Tile {
  Tile(const Device& device, const GemmTiling& t);

  /// A part of K, padded to whole packets, of zeros if these are multiplied.
  Mapping part(std::int64_t k, bool zeros) const;
  /// Parts of K that are loaded together.
  Mapping parts(std::int64_t count) const;
  /// One part of K of those that were loaded together.
  dyn::Tensor one_of(const dyn::Tensor& all, std::int64_t count, std::int64_t which) const;

  const Device* device;
  GemmTiling tiling;
  std::int64_t rows_of_group, neighbours;
  Mapping i, j, rows, cluster, ranges, group, rings, idle, beside, in_ring, own, slice;
  Mapping by_row, groups;  // of `own`: the column of each Row, and the groups of so many columns
  Mapping mine;            // rows of A in the order in which a slice sees them
  Mapping sums;            // of a slice
  Mapping done;            // rows of C, of which each of the slices that divide K finishes some
};

// Loading.

/// A slice's share of A: some rows, or some of K of some rows.
dyn::Tensor load_a(Context& ctx, const Tile& t, const dyn::Tensor& a, std::int64_t k, std::int64_t count);
/// All of A into every slice, by the Switch Engine: a transfer would read HBM again for every copy.
dyn::Tensor spread(Context& ctx, const Tile& t, const dyn::Tensor& a, std::int64_t k, std::int64_t count);
/// The columns of B, in DM as in HBM: column after column, or block after block. `number`: the one to take if `b` has
/// several matrices to choose from.
dyn::Tensor load_b(Context& ctx, const Tile& t, const dyn::Tensor& b, const dyn::Tensor& number, std::int64_t k, std::int64_t count,
                   std::int64_t block);
/// One part of B into half of the TRF, by the sub context, which works while main multiplies with the other half.
dyn::Tensor load_weights(Context& ctx, const Tile& t, const dyn::Tensor& b, std::int64_t k, TrfAddress half);

// Computing.

/// The sums of one part of K, f32 or i32.
dyn::Stream multiplied(Context& ctx, const Tile& t, const dyn::Tensor& a, const dyn::Tensor& weights, std::int64_t k);
/// These added to the sums of the parts before.
dyn::Stream added_part(Context& ctx, const Tile& t, const dyn::Tensor& sum, const dyn::Tensor& part);

// Where slices divide K.

/// The sums of all ranges of K next to each other: slices that divided K divide the rows now. This is a transfer, as a
/// ring of the switch would have to go round all slices for every row.
dyn::Tensor exchanged(Context& ctx, const Tile& t, const dyn::Tensor& sums);
/// The sum over all ranges.
dyn::Stream sum_of_ranges(Context& ctx, const Tile& t, const dyn::Tensor& exchanged_sums);

/// The finished sums, ready to be stored: bf16 of f32, i32 as they are. Neighbouring slices exchange columns, so that
/// each has whole units of HBM.
dyn::Tensor finished(Context& ctx, const Tile& t, dyn::Stream sums);

}  // namespace tcp::kernels::gemm
