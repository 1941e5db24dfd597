// Sums and parts over 2, 4 or 8 chips, of matrices of any size, bf16, f32 or i32.
//
//                     every chip has                      every chip gets
//   ReduceScatter     a matrix of its own                 its part of the sum of all
//   AllGather         its part of a matrix                all of it
//   AllReduce         a matrix of its own                 the sum of all
//
// What crosses PCIe is what the book's tables move: part b of chip a's matrix goes from chip a to chip b, n - 1 of n
// parts of each chip; chip b adds them up, and an AllReduce sends every sum to the n - 1 others. No way of adding moves
// less than these 2 (n - 1) / n matrices a chip. The tables take a command for each rotation (`Moves::rotations`): each
// chip cuts off the part that another one wants, chip_slice, and passes it on, chip_shuffle. `Moves::at_once` says the
// same in one DMA, so that small matrices wait for one start-up instead of n - 1.
//
// The order of a sum is part of the result. At once: chip 0 + chip 1 + ..., on every chip; in rotations: the adder
// itself first, then the chips after it, as in the book. Both add in f32 (i32: modulo 2^32) and round once. All chips
// get the same bits from an AllReduce: every part is added on one chip.
//
// The axis that counts the chips before the sum is not to be called Row, Col, I, J, Of or X: these are the kernels'
// own.
#pragma once

#include <vector>

#include "kernels/rows/rows.hpp"
#include "kernels/work/work.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

enum class Split : std::uint8_t { rows, columns };
enum class Moves : std::uint8_t { at_once, rotations };

/// How a matrix falls into one part per chip, and the parts into tiles, so that one is added while the next one is on
/// its way.
class Parts {
 public:
  /// Refused, by throwing: chips other than 2, 4 and 8; sizes below 1 or beyond HBM, parts that cannot be cut into
  /// tiles; types that are not added.
  Parts(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Split split, Where at);

  const Device& device() const { return device_; }
  ScalarType type() const { return type_; }
  std::int64_t chips() const { return chips_; }
  Split split() const { return split_; }
  /// The matrix, as it is on a chip that has all of it.
  Mapping whole() const { return rows_layout(device_, type_, row_, column_); }
  /// Which chip has which part, and how it is stored. The last parts are smaller, or empty, where the sizes do not
  /// divide.
  Mapping part_chip() const;
  Mapping part() const;
  /// All parts are equal.
  bool divides() const;
  std::int64_t bytes() const;

  /// Some rows (of parts of columns) or columns (of parts of rows) of all parts, and where they lie in DM, counted by
  /// axes of their own.
  struct Tile {
    std::int64_t start, length;
    Mapping row, column;                  // of the tile in the matrix
    Mapping chip, part_row, part_column;  // of its parts in HBM
    Mapping cluster, slice;               // and in DM
    Mapping in_slice_row, in_slice_column;
    Mapping live_column;  // as a stream counts it: flits without any element are left out
  };
  std::vector<Tile> tiles() const;
  /// A view of the matrix, or of the parts, as the tile counts it.
  dyn::Tensor tile_of_whole(const dyn::Tensor& matrix, const Tile& tile) const;
  dyn::Tensor tile_of_parts(const dyn::Tensor& parts, const Tile& tile) const;

 private:
  Tile tile(std::int64_t start, std::int64_t length) const;
  std::int64_t unit() const { return padded_columns(device_, type_, 1); }
  std::int64_t step_bytes() const;
  std::int64_t tile_length() const;

  Device device_;
  ScalarType type_;
  std::int64_t chips_;
  Split split_;
  Mapping row_, column_;
  std::int64_t part_size_ = 0;  // rows or columns of a part
};

/// sum[part of chip c] = part c of x[chip 0] + x[chip 1] + ...
class ReduceScatter {
 public:
  ReduceScatter(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns,
                Split split = Split::columns, Moves moves = Moves::at_once, Where at = std::source_location::current());

  const Parts& parts() const { return parts_; }
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x) const;
  Work work() const;

 private:
  Parts parts_;
  Moves moves_;
};

/// The parts side by side, on all chips.
class AllGather {
 public:
  AllGather(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns,
            Split split = Split::columns, Where at = std::source_location::current());

  const Parts& parts() const { return parts_; }
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& parts) const;
  Work work() const;

 private:
  Parts parts_;
};

/// ReduceScatter, then AllGather. Parts are of rows or of columns, as divides better.
class AllReduce {
 public:
  AllReduce(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns,
            Moves moves = Moves::at_once, Where at = std::source_location::current());

  const Parts& parts() const { return parts_; }
  Mapping layout() const { return parts_.whole(); }
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x) const;
  Work work() const;

 private:
  Parts parts_;
  Moves moves_;
};

}  // namespace tcp::kernels
