// What the parts of the contraction hand to one another: panels of packed factors, and kernels that contract two of
// them.
//
// A panel holds some rows (or columns) over a block of k, transposed: [unit][row]. A unit is 32 bits: one f32, one i32,
// two i16 or four i8 of neighbouring k. The lanes of a vector are different outputs, so that each lane sums in the
// order of the chip while all of them run at once. AMX wants its rows otherwise: a run of units at a time,
// [run][row][unit].
#pragma once

#include <cstdint>
#include <span>

#include "exec/vector/contraction/products.hpp"
#include "tcp/support/round.hpp"

namespace tcp::vector::kernels {

enum class Unit : std::uint8_t { f32, i32, pair, quad };

constexpr int products_of(Unit unit) { return unit == Unit::quad ? 4 : unit == Unit::pair ? 2 : 1; }

/// Biased exponents of the numbers in a panel that are not zero. Law: if both panels' ranges may_fuse, no product of
/// theirs overflows or is subnormal, so that it is exact, and a product fused with the following sum gives the same
/// bits.
struct ExponentRange {
  int least = 999, greatest = 0;

  void take(const ExponentRange& other) {
    least = other.least < least ? other.least : least;
    greatest = other.greatest > greatest ? other.greatest : greatest;
  }
};
constexpr bool may_fuse(const ExponentRange& a, const ExponentRange& b) {
  return a.greatest < 255 && b.greatest < 255 && a.greatest + b.greatest <= 380 && a.least + b.least >= 128;
}

/// Units that a row of so many k takes while it is packed.
constexpr std::int64_t padded_length(std::int64_t ks) { return round_up(ks, 16) + 16; }

/// Rows [first, first + count) of a factor over [first_k, first_k + ks).
struct PackedBlock {
  const Factor* factor = nullptr;
  bool second = false;  // of the two: where nothing or zero lies, the first has the value and the second 1
  const Leaf* leaves = nullptr;
  Join join = Join::add;
  NumericModel model = NumericModel::rngd;
  Unit unit = Unit::f32;
  bool unsigned_bytes = false;  // quads: each value plus 128
  int run = 1;                  // units of a row side by side; the last run ends in zeros
  std::int64_t first = 0, count = 0;
  std::int64_t first_k = 0, ks = 0;
  int width = 0;                 // rows of a panel; those that do not exist are zero
  std::int64_t panel_units = 0;  // between the beginnings of two panels, counted in units of all rows
  std::uint32_t* panels = nullptr;
  ExponentRange* ranges = nullptr;  // of f32: one a panel, `range_stride` apart
  std::int64_t range_stride = 1;
  std::int32_t* sums = nullptr;  // of signed quads: the sum of each row is added
  std::byte* scratch = nullptr;  // pack_scratch(...) bytes
};
std::size_t pack_scratch(int width, std::int64_t ks);
void pack(const PackedBlock& block);

/// Joins `count` steps (f32 sums) or units (all others) into the accumulators of a tile: [row][column].
using TileKernel = void (*)(std::int64_t count, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators);

struct TileKernels {
  Unit unit = Unit::f32;
  int rows = 4, columns = 32;
  TileKernel fused = nullptr;  // of f32 sums; equal to `separate` in all others
  TileKernel separate = nullptr;
  std::uint32_t start = 0;        // what the accumulators begin with
  bool unsigned_columns = false;  // quads: the bytes of columns are 128 too large
  int run = 1;                    // of the panels of rows
  void (*begin)() = nullptr;      // what a thread does before it calls the kernels, and after that; nullptr: nothing
  void (*end)() = nullptr;
  enum class Finish : std::uint8_t { nothing, canonical_nan, from_key } finish = Finish::nothing;
};

/// The kernels for the running processor.
TileKernels tile_kernels(ScalarType type, Join join, int depth, NumericModel model);

/// Turns accumulators into results. Law: in place is fine.
void finish_line(TileKernels::Finish finish, const std::uint32_t* accumulators, std::int32_t subtract, std::uint32_t* out,
                 std::int64_t count);

/// Packets of some columns of bf16 and of a row or two, which are widened: of each packet the 16 numbers at even k
/// before those at odd k.
constexpr int columns_at_once = 16;
struct FewColumns {
  std::int64_t packets = 0;  // of each column
  const float* rows = nullptr;
  std::int64_t row_stride = 0;
  const std::int64_t* offset = nullptr;      // how far each packet lies behind its column's beginning, in bytes
  const std::byte* const* column = nullptr;  // columns_at_once of them, and those that come after them
  int ahead = 1;                             // which of those is to be had ready next
  float* sums = nullptr;                     // of packets: as many of a column as a vector holds, then those of the next
  std::int64_t sums_stride = 0;              // between rows
};
constexpr int most_rows_at_once = 4;
using PacketsKernel = void (*)(const FewColumns& in);
/// few_rows.cpp: whether columns are better read where they lie, and the contraction that does so. Needs: what a
/// RoundingScope leaves to the processor.
bool suits_few_rows(const Contraction& contraction);
void contract_few_rows(const Contraction& contraction, std::span<const Apart> products, Workspace& workspace);

/// Assembly for AVX-512: 4 rows, 32 columns; and with VNNI, 6 rows and 64 columns of quads, the columns unsigned.
/// nullptr: not for this machine or depth.
TileKernel avx512_tree(int depth, bool fused);
TileKernel avx512_quads();
/// For AMX: 32 rows and 32 columns of signed quads, in runs of 16. False: not for this machine.
bool take_amx_quads(TileKernels& kernels);

}  // namespace tcp::vector::kernels
