// Packing: rows of a factor, decoded to units, transposed into panels.
//
// A row is first brought together as cells (as it lies, if its k are neighbours), then decoded, then four rows at a
// time are transposed. Where not the k but the rows are neighbours and a unit is one number, no transpose is needed.
#include <cstring>

#include "exec/vector/contraction/panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/contraction/pack.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#ifndef TCP_CONTRACTION_PACK_ONCE
#define TCP_CONTRACTION_PACK_ONCE

namespace tcp::vector::kernels {
namespace {

/// The f32 of every one-byte floating-point cell.
struct ByteFloats {
  std::uint32_t bits[256];
};
const ByteFloats& byte_floats(ScalarType type);
std::uint32_t half_float(std::uint32_t bits);

}  // namespace
}  // namespace tcp::vector::kernels

#endif

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Where the k of a block lie relative to one another, found once for all rows.
struct Neighbours {
  bool rows_are_neighbours = false, ks_are_neighbours = false;
  bool by_runs = false;  // long enough to be copied run by run
};

Neighbours walk_of(const PackedBlock& b) {
  const std::int64_t* const inner = b.factor->inner + b.first_k;
  const std::int64_t* const outer = b.factor->outer + b.first;
  std::int64_t runs = 1;
  for (std::int64_t k = 1; k < b.ks; ++k) runs += inner[k] != inner[k - 1] + 1;
  Neighbours w;
  w.ks_are_neighbours = runs == 1;
  w.by_runs = runs * 8 <= b.ks;
  w.rows_are_neighbours = b.count > 1;
  for (std::int64_t i = 1; i < b.count && w.rows_are_neighbours; ++i) w.rows_are_neighbours = outer[i] == outer[i - 1] + 1;
  return w;
}

template <class Cell>
HWY_INLINE const Cell* gathered(const PackedBlock& b, const Neighbours& w, const Cell* row, Cell* scratch) {
  const std::int64_t* const inner = b.factor->inner + b.first_k;
  if (w.ks_are_neighbours) return row + inner[0];
  if (!w.by_runs) {
    for (std::int64_t k = 0; k < b.ks; ++k) scratch[k] = row[inner[k]];
    return scratch;
  }
  for (std::int64_t k = 0; k < b.ks;) {
    std::int64_t end = k + 1;
    while (end < b.ks && inner[end] == inner[end - 1] + 1) ++end;
    std::memcpy(scratch + k, row + inner[k], static_cast<std::size_t>(end - k) * sizeof(Cell));
    k = end;
  }
  return scratch;
}

HWY_INLINE void floats_of(const PackedBlock& b, const std::uint16_t* cells, std::int64_t n, std::uint32_t* out) {
  if (b.factor->type != ScalarType::bf16) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = half_float(cells[i]);
    return;
  }
  hn::ScalableTag<std::uint32_t> const d;
  hn::Rebind<std::uint16_t, decltype(d)> const half;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(half, cells + i))), d, out + i);
  for (; i < n; ++i) out[i] = static_cast<std::uint32_t>(cells[i]) << 16;
}
HWY_INLINE void floats_of(const PackedBlock& b, const std::uint8_t* cells, std::int64_t n, std::uint32_t* out) {
  const ByteFloats& table = byte_floats(b.factor->type);
  for (std::int64_t i = 0; i < n; ++i) out[i] = table.bits[cells[i]];
}

template <class Out, class Cell>
HWY_INLINE void integers_of(const PackedBlock& b, const Cell* cells, std::int64_t n, Out* out) {
  int const shift = 32 - scalar_info(b.factor->type).bits;
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = static_cast<Out>(static_cast<std::int32_t>(static_cast<std::uint32_t>(cells[i]) << shift) >> shift);
}
HWY_INLINE void integers_of(const PackedBlock& b, const std::uint8_t* cells, std::int64_t n, std::int8_t* out) {
  auto const flip = static_cast<std::uint8_t>(1u << (scalar_info(b.factor->type).bits - 1));
  auto const mask = static_cast<std::uint8_t>(2u * flip - 1u);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out);
  hn::ScalableTag<std::uint8_t> const d;
  auto const flips = hn::Set(d, flip), masks = hn::Set(d, mask);
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Sub(hn::Xor(hn::And(hn::LoadU(d, cells + i), masks), flips), flips), d, bytes + i);
  for (; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(((cells[i] & mask) ^ flip) - flip);
}

/// The sum of signed bytes. Law: of as many as a block has, no sum overflows.
HWY_INLINE std::int32_t sum_of(const std::int8_t* values, std::int64_t n) {
  std::int64_t i = 0;
  std::int32_t sum = 0;
#if HWY_TARGET != HWY_SCALAR
  hn::ScalableTag<std::uint8_t> const d;
  hn::Repartition<std::uint64_t, decltype(d)> const wide;
  auto const flips = hn::Set(d, std::uint8_t{128});
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sums = hn::Zero(wide);
  for (; i + lanes <= n; i += lanes)
    sums = hn::Add(sums, hn::SumsOf8(hn::Xor(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(values) + i), flips)));
  sum = static_cast<std::int32_t>(static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(wide, sums))) - 128 * i);
#endif
  for (; i < n; ++i) sum += values[i];
  return sum;
}
/// Each byte plus 128.
HWY_INLINE void make_unsigned(std::uint32_t* units, std::int64_t n) {
  hn::ScalableTag<std::uint32_t> const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Xor(hn::LoadU(d, units + i), hn::Set(d, 0x80808080u)), d, units + i);
  for (; i < n; ++i) units[i] ^= 0x80808080u;
}

/// Overwrites what is no product.
template <class Out>
HWY_INLINE void place_leaves(const PackedBlock& b, Out zero, Out absent, Out one, Out* out) {
  if (b.leaves == nullptr) return;
  for (std::int64_t k = 0; k < b.ks; ++k)
    if (Leaf const leaf = b.leaves[b.first_k + k]; leaf != Leaf::product) out[k] = b.second ? one : leaf == Leaf::zero ? zero : absent;
}

/// The exponents of some f32. In `rngd` a subnormal counts as zero; in `ieee` it has exponent 0, and forbids to fuse.
ExponentRange range_of(const std::uint32_t* floats, std::int64_t n, NumericModel model) {
  hn::ScalableTag<std::uint32_t> const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto const smallest = hn::Set(d, model == NumericModel::rngd ? 1u << 24 : 1u), one = hn::Set(d, 1u);
  auto least = hn::Set(d, 0xffffffffu), greatest = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto const size = hn::ShiftLeft<1>(hn::LoadU(d, floats + i));
    auto const seen = hn::IfThenElse(hn::Lt(size, smallest), hn::Zero(d), size);
    greatest = hn::Max(greatest, seen);
    least = hn::Min(least, hn::Sub(seen, one));
  }
  std::uint32_t low = hn::GetLane(hn::MinOfLanes(d, least)), high = hn::GetLane(hn::MaxOfLanes(d, greatest));
  for (; i < n; ++i) {
    std::uint32_t const size = floats[i] << 1, seen = size < (model == NumericModel::rngd ? 1u << 24 : 1u) ? 0 : size;
    high = seen > high ? seen : high;
    low = seen - 1 < low ? seen - 1 : low;
  }
  ExponentRange r;
  r.greatest = static_cast<int>(high >> 24);
  if (low != 0xffffffffu) r.least = static_cast<int>((low + 1) >> 24);
  if (r.least == 0) r.least = -999;
  return r;
}

/// Four rows of n units, `row_stride` apart, to [unit][width].
void transpose_four(const std::uint32_t* rows, std::int64_t row_stride, std::int64_t n, std::uint32_t* out, std::int64_t width) {
  std::int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  hn::Full128<std::uint32_t> const d;
  hn::Full128<std::uint64_t> const wide;
  for (; k + 4 <= n; k += 4) {
    auto const r0 = hn::LoadU(d, rows + k), r1 = hn::LoadU(d, rows + row_stride + k), r2 = hn::LoadU(d, rows + 2 * row_stride + k),
               r3 = hn::LoadU(d, rows + 3 * row_stride + k);
    auto const a = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1)), b = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
    auto const c = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3)), e = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
    std::uint32_t* const at = out + k * width;
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, a, c)), d, at);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, a, c)), d, at + width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, b, e)), d, at + 2 * width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, b, e)), d, at + 3 * width);
  }
#endif
  for (; k < n; ++k)
    for (int r = 0; r < 4; ++r) out[k * width + r] = rows[r * row_stride + k];
}

void transpose_two(const std::uint32_t* rows, std::int64_t row_stride, std::int64_t n, std::uint32_t* out, std::int64_t width) {
  for (std::int64_t k = 0; k < n; ++k) {
    std::uint32_t const both[] = {rows[k], rows[row_stride + k]};
    std::memcpy(out + k * width, both, sizeof(both));
  }
}

/// Needs: an even count.
void transpose_rows(const std::uint32_t* rows, std::int64_t row_stride, int count, std::int64_t n, std::uint32_t* out, std::int64_t width) {
  int r = 0;
  for (; r + 4 <= count; r += 4) transpose_four(rows + r * row_stride, row_stride, n, out + r, width);
  for (; r + 2 <= count; r += 2) transpose_two(rows + r * row_stride, row_stride, n, out + r, width);
}

constexpr std::uint32_t one_f32 = 0x3f800000, minus_zero_f32 = 0x80000000, nan_f32 = 0x7fc00000;

/// One row, decoded to units.
template <class Cell>
HWY_INLINE void decode(const PackedBlock& b, const Cell* cells, std::int64_t row, std::uint32_t* out) {
  switch (b.unit) {
    case Unit::f32:
      floats_of(b, cells, b.ks, out);
      place_leaves<std::uint32_t>(b, 0, b.join == Join::add ? minus_zero_f32 : nan_f32, one_f32, out);
      return;
    case Unit::i32: {
      auto* const values = reinterpret_cast<std::int32_t*>(out);
      integers_of(b, cells, b.ks, values);
      place_leaves<std::int32_t>(b, 0, b.join == Join::add ? 0 : INT32_MIN, 1, values);
      return;
    }
    case Unit::pair: {
      auto* const values = reinterpret_cast<std::int16_t*>(out);
      values[b.ks / 2 * 2] = values[b.ks / 2 * 2 + 1] = 0;
      integers_of(b, cells, b.ks, values);
      place_leaves<std::int16_t>(b, 0, 0, 1, values);
      return;
    }
    case Unit::quad: {
      auto* const values = reinterpret_cast<std::int8_t*>(out);
      std::memset(values + b.ks / 4 * 4, 0, 4);
      if constexpr (sizeof(Cell) == 1) integers_of(b, cells, b.ks, values);
      place_leaves<std::int8_t>(b, 0, 0, 1, values);
      if (b.sums != nullptr) b.sums[row] += sum_of(values, b.ks);
      if (b.unsigned_bytes) make_unsigned(out, ceil_div(b.ks, 4));
      return;
    }
  }
}

/// Rows of n units, `row_stride` apart, to [run][row][unit].
void put_runs(const std::uint32_t* rows, std::int64_t row_stride, int count, std::int64_t n, std::uint32_t* out, int run) {
  for (std::int64_t k = 0; k < n; k += run)
    for (int r = 0; r < count; ++r, out += run) std::memcpy(out, rows + r * row_stride + k, static_cast<std::size_t>(run) * 4);
}

template <class Cell>
void pack_rows(const PackedBlock& b, const Neighbours& w) {
  auto const* const cells = reinterpret_cast<const Cell*>(b.factor->cells);
  std::int64_t const units = ceil_div(b.ks, products_of(b.unit)), whole = round_up(units, std::int64_t{b.run}),
                     row_stride = padded_length(b.ks);
  auto* const rows = reinterpret_cast<std::uint32_t*>(b.scratch);
  auto* const row_cells = reinterpret_cast<Cell*>(rows + b.width * row_stride);
  for (std::int64_t first = 0; first < b.count; first += b.width) {
    std::uint32_t* const panel = b.panels + first * b.panel_units;
    auto const here = static_cast<int>(b.count - first < b.width ? b.count - first : b.width);
    ExponentRange range;
    // So many rows at once, and what they become, stay in the first-level cache.
    int const group = b.run > 1 || b.width % 16 != 0 ? b.width : 16;
    for (int begin = 0; begin < b.width; begin += group) {
      for (int r = begin; r < begin + group; ++r) {
        std::uint32_t* const row = rows + (r - begin) * row_stride;
        if (r >= here) {
          std::memset(row, 0, static_cast<std::size_t>(whole) * 4);
          continue;
        }
        decode(b, gathered(b, w, cells + b.factor->outer[b.first + first + r], row_cells), b.first + first + r, row);
        if (b.ranges != nullptr) range.take(range_of(row, units, b.model));
        std::memset(row + units, 0, static_cast<std::size_t>(whole - units) * 4);
      }
      if (b.run > 1) put_runs(rows, row_stride, b.width, units, panel, b.run);
      else transpose_rows(rows, row_stride, group, units, panel + begin, b.width);
    }
    if (b.ranges != nullptr) b.ranges[first / b.width * b.range_stride] = range;
  }
}

/// Rows that are neighbours: each k is a line of the panel.
template <class Cell>
void pack_lines(const PackedBlock& b) {
  auto const* const cells = reinterpret_cast<const Cell*>(b.factor->cells);
  std::uint32_t const absent = b.join == Join::add ? minus_zero_f32 : nan_f32;
  for (std::int64_t first = 0; first < b.count; first += b.width) {
    std::uint32_t* const panel = b.panels + first * b.panel_units;
    std::int64_t const here = b.count - first < b.width ? b.count - first : b.width;
    const Cell* const base = cells + b.factor->outer[b.first + first];
    for (std::int64_t k = 0; k < b.ks; ++k) {
      std::uint32_t* const line = panel + k * b.width;
      Leaf const leaf = b.leaves == nullptr ? Leaf::product : b.leaves[b.first_k + k];
      if (leaf == Leaf::product) floats_of(b, base + b.factor->inner[b.first_k + k], here, line);
      else
        for (std::int64_t r = 0; r < here; ++r) line[r] = b.second ? one_f32 : leaf == Leaf::zero ? 0 : absent;
      for (std::int64_t r = here; r < b.width; ++r) line[r] = 0;
    }
    if (b.ranges != nullptr) b.ranges[first / b.width * b.range_stride] = range_of(panel, b.ks * b.width, b.model);
  }
}

template <class Cell>
void pack_cells(const PackedBlock& b) {
  Neighbours const w = walk_of(b);
  if (b.unit == Unit::f32 && w.rows_are_neighbours && !w.ks_are_neighbours) pack_lines<Cell>(b);
  else pack_rows<Cell>(b, w);
}

}  // namespace

void pack_block(const PackedBlock& block) {
  if (cell_bytes(block.factor->type) == 1) pack_cells<std::uint8_t>(block);
  else pack_cells<std::uint16_t>(block);
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "exec/vector/kernels/target.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/support/round.hpp"

namespace tcp::vector::kernels {
namespace {

ByteFloats made(ScalarType type) {
  ByteFloats table;
  for (std::uint32_t i = 0; i < 256; ++i) table.bits[i] = scalar_cast_bits(type, ScalarType::f32, i, NumericModel::ieee);
  return table;
}

const ByteFloats& byte_floats(ScalarType type) {
  static const ByteFloats e4m3 = made(ScalarType::f8e4m3), e5m2 = made(ScalarType::f8e5m2), e2m1 = made(ScalarType::f4e2m1);
  return type == ScalarType::f8e4m3 ? e4m3 : type == ScalarType::f8e5m2 ? e5m2 : e2m1;
}

std::uint32_t half_float(std::uint32_t bits) { return scalar_cast_bits(ScalarType::f16, ScalarType::f32, bits, NumericModel::ieee); }

}  // namespace

HWY_EXPORT(pack_block);

std::size_t pack_scratch(int width, std::int64_t ks) {
  return static_cast<std::size_t>(width + 1) * static_cast<std::size_t>(padded_length(ks)) * 4;
}

void pack(const PackedBlock& block) { HWY_DYNAMIC_DISPATCH(pack_block)(block); }

}  // namespace tcp::vector::kernels

#endif
