// How the rows of a matrix lie over slices while something is computed row by row, and the parts of such kernels that
// they have in common.
//
// A row is in one slice, or over `across` neighbouring ones: where there are few rows, so that all slices have
// something to do; and where a row is longer than a slice should hold, because what belongs to its columns (weights)
// must fit into the VRF. The rows go over the groups of slices of both clusters, `per_slice` of them in each group, and
// step after step: while one step is computed, the next is loaded and the one before is stored.
//
//     8,192 columns over 8 slices:     slice 0     C = 0 ... 1023      of rows 0 and 1        slice 8     the same columns of rows 2 and 3
//     two rows in each                 slice 1     C = 1024 ... 2047   of rows 0 and 1        ...
//
// Every step has the same number of rows; the last one begins earlier instead of being shorter, and does some rows
// again.
//
// A sum over a row is the intra-slice reduce of each slice's part, then the inter-slice reduce of these. Columns that
// do not exist are left out by the Valid Count Generator, which cannot count lanes by the slice: over several slices a
// packet then holds the largest power of two of columns that divides the row.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "kernels/rows/rows.hpp"
#include "kernels/work/work.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

/// The longest row, and the most rows.
inline constexpr std::int64_t longest_row = 28'672, most_rows = std::int64_t{1} << 20;

/// What a kernel does with a row.
struct RowNeeds {
  std::int64_t matrices = 2;                // that are read or written
  std::int64_t passes = 1;                  // through the Vector Engine
  bool reduces = false;                     // slices of a row pass numbers round
  std::int64_t dm_column_bytes = 8;         // for each column of a row: what is loaded, computed and stored at the same time
  std::int64_t column_unit = 1;             // columns that stay in one slice together
  std::int64_t vrf_column_bytes = 0;        // for each column that a slice holds
  std::int64_t vrf_row_bytes = 0;           // for each row
  std::int64_t most_per_slice = most_rows;  // rows
};

struct RowSpread {
  std::int64_t rows = 0, columns = 0;
  std::int64_t across = 1;     // slices of a row
  std::int64_t share = 0;      // columns of a row in a slice, the last ones may have fewer
  std::int64_t per_slice = 1;  // rows of a slice, in one step
  std::int64_t step_rows = 0;  // rows of a step

  std::int64_t steps() const { return ceil_div(rows, step_rows); }
  /// The row that a step begins with.
  std::int64_t first_row(std::int64_t step) const { return std::min(step * step_rows, rows - step_rows); }
  /// Columns that a reduce takes at once.
  std::int64_t packet() const;
  bool operator==(const RowSpread&) const = default;
};

/// Refused: no row, more than most_rows, rows of no column and of more than longest_row.
Expected<RowSpread> spread_rows(const Device& device, std::int64_t rows, std::int64_t columns, const RowNeeds& needs, Where at = {});

/// The decisions, one per line.
std::string text_of(const RowSpread& spread);

/// Reads and writes so many matrices of bf16, once each.
Work work_on_rows(const RowSpread& spread, std::int64_t matrices);

/// Mappings of a step, and what is done with its rows.
class RowStep {
 public:
  RowStep(const Device& device, const RowSpread& spread) : RowStep(device, spread, dyn::axis("C", spread.columns)) {}
  /// With columns counted by a group of axes, all of them there.
  RowStep(const Device& device, const RowSpread& spread, const Mapping& columns);

  const RowSpread& spread() const { return spread_; }
  const Mapping& row() const { return row_; }        // an axis
  const Mapping& column() const { return column_; }  // the axis C, or a group
  const Mapping& cluster() const { return cluster_; }
  const Mapping& slice() const { return slice_; }
  const Mapping& mine() const { return mine_; }  // rows of a slice
  const Mapping& held() const { return held_; }  // columns of a slice in memory, in whole units of HBM
  const Mapping& own() const { return own_; }    // columns of a slice in a stream, in whole flits of f32

  /// A new matrix in HBM, on the chips of another.
  dyn::Tensor result(Context& ctx, const dyn::Tensor& like) const;
  dyn::Tensor load(Context& ctx, const dyn::Tensor& matrix, std::int64_t step) const;
  void store(Context& ctx, const dyn::Tensor& from, const dyn::Tensor& matrix, std::int64_t step) const;
  /// Something that every row has alike, a number for each column, into the VRF of all slices.
  dyn::Tensor keep_columns(Context& ctx, const dyn::Tensor& vector) const;

  /// Rows on their way through the Vector Engine, four columns at a time. For what does not reduce.
  dyn::Stream begin(Context& ctx, const dyn::Tensor& rows) const;
  /// Two matrices of one type in one stream, told apart by groups, zipped later.
  dyn::Stream begin_both(Context& ctx, const dyn::Tensor& first, const dyn::Tensor& second) const;
  /// The rows in f32, made by the sub context.
  dyn::Tensor as_f32(Context& ctx, const dyn::Tensor& rows) const;
  /// To eight columns at a time: the clip stage.
  dyn::Stream widen(dyn::Stream stream) const;
  /// Out of the Vector Engine, into DM.
  dyn::Tensor finish(dyn::Stream widened, ScalarType type = ScalarType::bf16) const;

  /// For what reduces.
  dyn::Stream begin_reduce(Context& ctx, const dyn::Tensor& rows) const;
  /// One number a row, in all slices of the row.
  dyn::Tensor reduce(dyn::Stream stream, ReduceOp op) const;
  /// Such numbers once more through the Vector Engine, four lanes wide, of which the first counts.
  dyn::Stream begin_numbers(Context& ctx, const dyn::Tensor& numbers) const;
  dyn::Tensor finish_numbers(dyn::Stream stream) const;
  /// Into the VRF, to be used with every column of the row.
  dyn::Tensor keep_numbers(Context& ctx, const dyn::Tensor& numbers) const;

 private:
  dyn::Tensor part_of(const dyn::Tensor& matrix, std::int64_t step) const;

  Device device_;
  RowSpread spread_;
  std::int64_t padded_;
  Mapping row_, column_, cluster_, slice_, mine_, held_, own_;
  Mapping reduced_;                    // slices after a reduce: each has the row's number
  Mapping all_clusters_, all_slices_;  // that hold rows, each with a copy of what rows have alike
};

/// x * x.
dyn::Stream squared(dyn::Stream x);

/// A kernel for so many rows of so many columns.
class RowKernel {
 public:
  const RowSpread& spread() const { return spread_; }
  Mapping row() const { return dyn::axis("R", spread_.rows); }
  Mapping column() const { return dyn::axis("C", spread_.columns); }
  /// How its matrices lie in HBM, and what belongs to columns. The axes of an argument may have other names.
  Mapping layout() const { return rows_layout(device_, ScalarType::bf16, row(), column()); }
  Mapping column_layout() const { return rows_layout(device_, ScalarType::bf16, dyn::one, column()); }

 protected:
  /// Refused, by throwing: sizes that spread_rows refuses.
  RowKernel(const Device& device, std::int64_t rows, std::int64_t columns, const RowNeeds& needs, Where at);
  RowKernel(const Device& device, const RowSpread& spread) : device_(device), spread_(spread) {}

  const Device& device() const { return device_; }
  RowStep step() const { return RowStep(device_, spread_); }

 private:
  Device device_;
  RowSpread spread_;
};

/// The usual course of a kernel: every step of the inputs goes through `body`, whose result is stored; loads run a step
/// ahead.
using RowBody = std::function<dyn::Tensor(const std::vector<dyn::Tensor>& step)>;
dyn::Tensor for_each_step(Context& ctx, const RowStep& rows, const std::vector<dyn::Tensor>& matrices, const RowBody& body);

}  // namespace tcp::kernels
