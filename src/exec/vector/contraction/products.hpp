// The contraction: each output is a sum (or maximum) of products, in the order of the chip.
//
//   out[r][c] = join over k of a[r][k] * b[c][k],   k = step * 2^depth + lane
//
// The products of the 2^depth lanes of a step are joined by the tree of adjacent pairs, then the steps one after the
// other, with one f32 rounding at every node; the accumulator starts from the first step. Integers wrap in i32, where
// the order cannot be seen.
//
// Operands lie anywhere: an element is found by adding an offset of its row (or column) and one of its k, so that
// transposed tensors, tiles, broadcasts (offset 0) and the shifted windows of a convolution are read where they are.
// Panels of both are packed into a workspace, block by block; while packing, the range of exponents decides whether a
// product may be fused with the sum above it, which is done only where no bit can tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tcp/scalar/format.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::vector::kernels {

enum class Join : std::uint8_t { add, max };

/// What a k holds, in all rows and columns: a product; zero padding, where the product is +0 whatever lies there; or
/// nothing, which takes no part.
enum class Leaf : std::uint8_t { product, zero, absent };

/// Bytes that an element takes in storage: its raw bits, in the low bits of one, two or four bytes. 4- and 5-bit values
/// take one, i9 two.
constexpr int cell_bytes(ScalarType type) {
  int const bits = scalar_info(type).bits;
  return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

/// Element (i, k) is cell outer[i] + inner[k] of `cells`; it is read even where no product is made of it.
struct Factor {
  ScalarType type = ScalarType::bf16;
  const std::byte* cells = nullptr;
  const std::int64_t* outer = nullptr;
  const std::int64_t* inner = nullptr;
  const std::shared_ptr<const void>* never_changes = nullptr;  // who keeps the cells as they are; null: nobody does
};

struct Contraction {
  Factor a, b;  // both integers of one size, or both of one floating type that is not f32
  std::int64_t rows = 0, columns = 0, steps = 0;
  int depth = 0;                 // 0 to 7
  const Leaf* leaves = nullptr;  // steps * 2^depth of them; nullptr: products all
  Join join = Join::add;
  NumericModel model = NumericModel::rngd;
  std::uint32_t* out = nullptr;  // f32 or i32
  const std::int64_t* out_row = nullptr;
  const std::int64_t* out_column = nullptr;  // output (r, c) is out[out_row[r] + out_column[c]]
};

/// Memory that contractions pack into; it grows to what the largest needed. One a thread.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// At least this many bytes, aligned to 64; what was there is lost.
  std::byte* buffer(int which, std::size_t bytes);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

/// Needs: at least one step. Outputs must not overlap the operands.
void contract(const Contraction& contraction, Workspace& workspace);

/// Contracts by up to so many threads; the bits are the same for every number of them.
void contract(const Contraction& contraction, int threads);

/// How far one of several products of the same shape lies from where a Contraction points: cells of the factors, words
/// of the output.
struct Apart {
  std::int64_t a = 0, b = 0, out = 0;
};
/// All of them, by up to so many threads.
void contract(const Contraction& contraction, std::span<const Apart> products, int threads);

/// The part of a contraction with these rows and columns only.
Contraction part(const Contraction& whole, std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns);

/// For pairs instead of all combinations: out[i] = join over k of a[i][k] * b[i][k]; `columns` and `out_column` are not
/// used.
void contract_pairs(const Contraction& contraction, Workspace& workspace);

}  // namespace tcp::vector::kernels
