// Few rows of bf16 times many columns, as in a decode step: the columns are read once, where they lie, and nothing is
// packed. To pack a column would cost more than to multiply it.
//
// A vector of 32-bit words holds two neighbouring k per lane, so the first level of the tree is a sum of two products
// within each lane. From then on a level joins two vectors into one: sums of neighbouring lanes of the one, then of the
// other. After all levels the vector has one packet's sum of as many columns as it has lanes, in their order.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "exec/vector/contraction/panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/contraction/few_rows.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

constexpr int packet = 32, held = static_cast<int>(hn::MaxLanes(F()));  // by a vector

/// A packet of some rows: of each the numbers at even k, and then those at odd k.
template <int rows>
struct PacketRows {
  const float* even[rows];
  const float* odd[rows];
};
template <int rows>
struct Sums {
  VF of[rows];
};

/// Sums of neighbouring lanes, of `low` and then of `high`.
HWY_INLINE VF neighbours_of(VF low, VF high) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Add(low, high);
#else
  F const d;
  return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
#endif
}

/// The lanes from `first` on of a packet of one column, joined until they are one vector.
template <int rows, int lanes>
HWY_INLINE Sums<rows> column_sums(const PacketRows<rows>& a, const std::byte* column, int first) {
  F const d;
  I const words;
  Sums<rows> sums;
  if constexpr (lanes > held) {
    Sums<rows> const low = column_sums<rows, lanes / 2>(a, column, first),
                     high = column_sums<rows, lanes / 2>(a, column, first + lanes / 2);
    for (int r = 0; r < rows; ++r) sums.of[r] = neighbours_of(low.of[r], high.of[r]);
  } else {
    VI const pairs = hn::LoadU(words, reinterpret_cast<const std::int32_t*>(column) + first);
    VF const even = hn::BitCast(d, hn::ShiftLeft<16>(pairs)), odd = hn::BitCast(d, hn::And(pairs, hn::Set(words, ~0xffff)));
    for (int r = 0; r < rows; ++r)
      sums.of[r] = hn::Add(hn::Mul(even, hn::Load(d, a.even[r] + first)), hn::Mul(odd, hn::Load(d, a.odd[r] + first)));
  }
  return sums;
}

/// A packet of `columns` columns side by side, joined until they are one vector.
template <int rows, int columns>
HWY_INLINE Sums<rows> joined_columns(const PacketRows<rows>& a, const std::byte* const* column, std::int64_t offset) {
  if constexpr (columns == 1) {
    __builtin_prefetch(column[held] + offset);
    return column_sums<rows, packet / 2>(a, *column + offset, 0);
  } else {
    Sums<rows> const low = joined_columns<rows, columns / 2>(a, column, offset),
                     high = joined_columns<rows, columns / 2>(a, column + columns / 2, offset);
    Sums<rows> sums;
    for (int r = 0; r < rows; ++r) sums.of[r] = neighbours_of(low.of[r], high.of[r]);
    return sums;
  }
}

/// `column`: as many as a vector has lanes, and behind each of them the one that comes after it.
template <int rows>
void sum_columns(const FewRows& in, const std::byte* const* column, float* out) {
  F const d;
  Sums<rows> sums;
  for (int r = 0; r < rows; ++r) sums.of[r] = hn::Set(d, -0.0f);
  for (std::int64_t step = 0; step < in.steps; ++step) {
    PacketRows<rows> a;
    for (int r = 0; r < rows; ++r) {
      a.even[r] = in.rows + (step * rows + r) * packet;
      a.odd[r] = a.even[r] + packet / 2;
    }
    Sums<rows> const one = joined_columns<rows, held>(a, column, in.offset[step]);
    for (int r = 0; r < rows; ++r) sums.of[r] = hn::Add(sums.of[r], one.of[r]);
  }
  for (int r = 0; r < rows; ++r) hn::Store(sums.of[r], d, out + r * static_cast<std::ptrdiff_t>(hn::Lanes(d)));
}

}  // namespace

ColumnsKernel few_rows_of(int rows) {
  constexpr FewRowsKernel kernels[] = {sum_columns<1>, sum_columns<2>, sum_columns<3>, sum_columns<4>};
  static_assert(std::size(kernels) == most_rows_at_once);
  return {kernels[rows - 1], held};
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tcp::vector::kernels {

HWY_EXPORT(few_rows_of);

namespace {

constexpr int packet = 32, depth = 5;

/// Whether each packet of a factor lies side by side in memory.
bool has_whole_packets(const Factor& factor, std::int64_t steps) {
  for (std::int64_t k = 0; k < steps * packet; ++k)
    if (factor.inner[k] != factor.inner[k / packet * packet] + k % packet) return false;
  return true;
}

/// The rows as numbers, packet by packet: of each row the even k, and then the odd.
void widen(const Contraction& c, float* to) {
  for (std::int64_t step = 0; step < c.steps; ++step)
    for (std::int64_t r = 0; r < c.rows; ++r)
      for (int half = 0; half < 2; ++half)
        for (int k = half; k < packet; k += 2) {
          std::uint16_t bits;
          std::memcpy(&bits, c.a.cells + 2 * (c.a.outer[r] + c.a.inner[step * packet + k]), sizeof bits);
          *to++ = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
        }
}

}  // namespace

bool suits_few_rows(const Contraction& c) {
  return c.rows >= 1 && c.rows <= most_rows_at_once && c.columns >= 8 && c.join == Join::add && c.depth == depth && c.leaves == nullptr &&
         c.a.type == ScalarType::bf16 && c.b.type == ScalarType::bf16 && has_whole_packets(c.b, c.steps);
}

void contract_few_rows(const Contraction& c, Workspace& workspace) {
  ColumnsKernel const kernel = HWY_DYNAMIC_DISPATCH(few_rows_of)(static_cast<int>(c.rows));
  constexpr int most_lanes = 16;
  auto* const rows = reinterpret_cast<float*>(workspace.buffer(0, static_cast<std::size_t>(c.steps * c.rows * packet) * sizeof(float)));
  auto* const offset = reinterpret_cast<std::int64_t*>(workspace.buffer(1, static_cast<std::size_t>(c.steps) * sizeof(std::int64_t)));
  widen(c, rows);
  for (std::int64_t step = 0; step < c.steps; ++step) offset[step] = 2 * c.b.inner[step * packet];
  FewRows const in{c.steps, rows, offset};
  alignas(64) float sums[most_rows_at_once * most_lanes];
  std::array<const std::byte*, 2 * most_lanes> column{};
  for (std::int64_t first = 0; first < c.columns; first += kernel.lanes) {
    // After the last column comes the last again.
    for (std::int64_t i = 0; i < 2 * kernel.lanes; ++i)
      column[static_cast<std::size_t>(i)] = c.b.cells + 2 * c.b.outer[std::min(first + i, c.columns - 1)];
    kernel.run(in, column.data(), sums);
    std::int64_t const here = std::min<std::int64_t>(kernel.lanes, c.columns - first);
    for (std::int64_t r = 0; r < c.rows; ++r) {
      auto* const line = reinterpret_cast<std::uint32_t*>(sums) + r * kernel.lanes;
      finish_line(TileKernels::Finish::canonical_nan, line, 0, line, here);
      for (std::int64_t i = 0; i < here; ++i) c.out[c.out_row[r] + c.out_column[first + i]] = line[i];
    }
  }
}

}  // namespace tcp::vector::kernels

#endif
