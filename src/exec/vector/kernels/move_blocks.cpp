// Transposes in registers: blocks of a cache line square where the processor has registers of a line (AVX-512), blocks
// of 16 bytes square elsewhere.
#include "exec/vector/kernels/move_blocks.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/kernels/move_blocks.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <int E>
HWY_INLINE void copy_elements(const Rectangle& r, std::int64_t first_row, std::int64_t rows, std::int64_t first_column,
                              std::int64_t columns) {
  for (std::int64_t j = first_column; j < first_column + columns; ++j)
    for (std::int64_t i = first_row; i < first_row + rows; ++i)
      std::memcpy(r.to + j * r.column_stride + i * E, r.from + i * r.row_stride + j * E, E);
}

#if HWY_TARGET == HWY_AVX3

constexpr std::int64_t block_bytes = 64;

template <bool stream>
HWY_INLINE void store_line(std::byte* to, __m512i line) {
  if constexpr (stream) _mm512_stream_si512(reinterpret_cast<__m512i*>(to), line);
  else _mm512_storeu_si512(to, line);
}

/// Out[l] has the l-th 16 bytes of a, b, c and d.
HWY_INLINE void regroup(__m512i a, __m512i b, __m512i c, __m512i d, __m512i out[4]) {
  __m512i const ab_low = _mm512_shuffle_i32x4(a, b, 0x44), cd_low = _mm512_shuffle_i32x4(c, d, 0x44);
  __m512i const ab_high = _mm512_shuffle_i32x4(a, b, 0xee), cd_high = _mm512_shuffle_i32x4(c, d, 0xee);
  out[0] = _mm512_shuffle_i32x4(ab_low, cd_low, 0x88);
  out[1] = _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd);
  out[2] = _mm512_shuffle_i32x4(ab_high, cd_high, 0x88);
  out[3] = _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd);
}

HWY_INLINE void load_rows(const std::byte* from, std::int64_t stride, int count, std::int64_t ahead, __m512i* rows) {
  for (int k = 0; k < count; ++k) {
    rows[k] = _mm512_loadu_si512(from + k * stride);
    _mm_prefetch(reinterpret_cast<const char*>(from + k * stride + ahead), _MM_HINT_T0);
  }
}

/// Interleaves eight rows by 1, 2 and 4 bytes (or 2, 4, 8): in each 16 bytes, out[q] then has two columns of eight
/// bytes (or one of eight halves).
HWY_INLINE void interleave_bytes(const __m512i r[8], __m512i out[8]) {
  __m512i a[8], b[8];
  for (int p = 0; p < 4; ++p) {
    a[2 * p] = _mm512_unpacklo_epi8(r[2 * p], r[2 * p + 1]);
    a[2 * p + 1] = _mm512_unpackhi_epi8(r[2 * p], r[2 * p + 1]);
  }
  for (int p = 0; p < 2; ++p)
    for (int h = 0; h < 2; ++h) {
      b[4 * p + 2 * h] = _mm512_unpacklo_epi16(a[4 * p + h], a[4 * p + 2 + h]);
      b[4 * p + 2 * h + 1] = _mm512_unpackhi_epi16(a[4 * p + h], a[4 * p + 2 + h]);
    }
  for (int q = 0; q < 4; ++q) {
    out[2 * q] = _mm512_unpacklo_epi32(b[q], b[4 + q]);
    out[2 * q + 1] = _mm512_unpackhi_epi32(b[q], b[4 + q]);
  }
}
HWY_INLINE void interleave_halves(const __m512i r[8], __m512i out[8]) {
  __m512i a[8], b[8];
  for (int p = 0; p < 4; ++p) {
    a[2 * p] = _mm512_unpacklo_epi16(r[2 * p], r[2 * p + 1]);
    a[2 * p + 1] = _mm512_unpackhi_epi16(r[2 * p], r[2 * p + 1]);
  }
  for (int p = 0; p < 2; ++p)
    for (int h = 0; h < 2; ++h) {
      b[4 * p + 2 * h] = _mm512_unpacklo_epi32(a[4 * p + h], a[4 * p + 2 + h]);
      b[4 * p + 2 * h + 1] = _mm512_unpackhi_epi32(a[4 * p + h], a[4 * p + 2 + h]);
    }
  for (int q = 0; q < 4; ++q) {
    out[2 * q] = _mm512_unpacklo_epi64(b[q], b[4 + q]);
    out[2 * q + 1] = _mm512_unpackhi_epi64(b[q], b[4 + q]);
  }
}

template <int E, bool stream>
HWY_INLINE void transpose_block(const std::byte* from, std::int64_t row_stride, std::byte* to, std::int64_t column_stride,
                                std::int64_t ahead) {
  if constexpr (E == 1) {
    __m512i columns[8][8];  // [column pair][group of eight rows]
    for (int g = 0; g < 8; ++g) {
      __m512i rows[8], out[8];
      load_rows(from + 8 * g * row_stride, row_stride, 8, ahead, rows);
      interleave_bytes(rows, out);
      for (int q = 0; q < 8; ++q) columns[q][g] = out[q];
    }
    for (int q = 0; q < 8; ++q) {
      const __m512i* const x = columns[q];
      __m512i even[4], odd[4];
      regroup(_mm512_unpacklo_epi64(x[0], x[1]), _mm512_unpacklo_epi64(x[2], x[3]), _mm512_unpacklo_epi64(x[4], x[5]),
              _mm512_unpacklo_epi64(x[6], x[7]), even);
      regroup(_mm512_unpackhi_epi64(x[0], x[1]), _mm512_unpackhi_epi64(x[2], x[3]), _mm512_unpackhi_epi64(x[4], x[5]),
              _mm512_unpackhi_epi64(x[6], x[7]), odd);
      for (int l = 0; l < 4; ++l) {
        store_line<stream>(to + (16 * l + 2 * q) * column_stride, even[l]);
        store_line<stream>(to + (16 * l + 2 * q + 1) * column_stride, odd[l]);
      }
    }
  } else if constexpr (E == 2) {
    __m512i columns[8][4];
    for (int g = 0; g < 4; ++g) {
      __m512i rows[8], out[8];
      load_rows(from + 8 * g * row_stride, row_stride, 8, ahead, rows);
      interleave_halves(rows, out);
      for (int q = 0; q < 8; ++q) columns[q][g] = out[q];
    }
    for (int q = 0; q < 8; ++q) {
      __m512i lines[4];
      regroup(columns[q][0], columns[q][1], columns[q][2], columns[q][3], lines);
      for (int l = 0; l < 4; ++l) store_line<stream>(to + (8 * l + q) * column_stride, lines[l]);
    }
  } else {
    __m512i columns[4][4];
    for (int g = 0; g < 4; ++g) {
      __m512i r[4];
      load_rows(from + 4 * g * row_stride, row_stride, 4, ahead, r);
      __m512i const a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpackhi_epi32(r[0], r[1]);
      __m512i const c = _mm512_unpacklo_epi32(r[2], r[3]), d = _mm512_unpackhi_epi32(r[2], r[3]);
      columns[0][g] = _mm512_unpacklo_epi64(a, c);
      columns[1][g] = _mm512_unpackhi_epi64(a, c);
      columns[2][g] = _mm512_unpacklo_epi64(b, d);
      columns[3][g] = _mm512_unpackhi_epi64(b, d);
    }
    for (int q = 0; q < 4; ++q) {
      __m512i lines[4];
      regroup(columns[q][0], columns[q][1], columns[q][2], columns[q][3], lines);
      for (int l = 0; l < 4; ++l) store_line<stream>(to + (4 * l + q) * column_stride, lines[l]);
    }
  }
}

#elif HWY_TARGET != HWY_SCALAR

constexpr std::int64_t block_bytes = 16;

/// Perfect shuffles of n = 16 / E rows: after log2(n) rounds of interleaving row i with row i + n / 2, rows are
/// columns.
template <int E, bool stream>
HWY_INLINE void transpose_block(const std::byte* from, std::int64_t row_stride, std::byte* to, std::int64_t column_stride, std::int64_t) {
  using T = hwy::UnsignedFromSize<E>;
  constexpr int n = 16 / E;
  hn::Full128<T> const d;
  hn::Full128<std::uint8_t> const bytes;
  hn::Vec<hn::Full128<T>> rows[n], next[n];
  for (int i = 0; i < n; ++i) rows[i] = hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from + i * row_stride)));
  for (int round = 1; round < n; round *= 2) {
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + n / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + n / 2]);
    }
    for (int i = 0; i < n; ++i) rows[i] = next[i];
  }
  for (int i = 0; i < n; ++i) hn::StoreU(hn::BitCast(bytes, rows[i]), bytes, reinterpret_cast<std::uint8_t*>(to + i * column_stride));
}

#endif

template <int E, bool stream>
void transpose_blocks(const Rectangle& r) {
#if HWY_TARGET == HWY_SCALAR
  copy_elements<E>(r, 0, r.rows, 0, r.columns);
#else
  constexpr std::int64_t n = block_bytes / E;
  std::int64_t const rows = r.rows / n * n, columns = r.columns / n * n;
  for (std::int64_t i = 0; i < rows; i += n)
    for (std::int64_t j = 0; j < columns; j += n) {
      // Two blocks further; at the end of the rows that is in the rows below, and below the last ones often in the next
      // rectangle.
      std::int64_t const ahead = j + 2 * n < columns ? 2 * block_bytes : n * r.row_stride + (2 * n - columns) * E;
      transpose_block<E, stream>(r.from + i * r.row_stride + j * E, r.row_stride, r.to + j * r.column_stride + i * E, r.column_stride,
                                 ahead);
    }
  copy_elements<E>(r, 0, rows, columns, r.columns - columns);
  copy_elements<E>(r, rows, r.rows - rows, 0, r.columns);
#endif
}

template <int E>
void transpose_of(const Rectangle& r, bool stream) {
  bool const lines = reinterpret_cast<std::uintptr_t>(r.to) % line_bytes == 0 && r.column_stride % line_bytes == 0;
  if (stream && lines) transpose_blocks<E, true>(r);
  else transpose_blocks<E, false>(r);
}

}  // namespace

void transpose_rectangle(const Rectangle& r, int element_bytes, bool stream) {
  if (element_bytes == 1) transpose_of<1>(r, stream);
  else if (element_bytes == 2) transpose_of<2>(r, stream);
  else transpose_of<4>(r, stream);
}

void stream_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
#if HWY_TARGET == HWY_SCALAR
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#else
  hn::CappedTag<std::uint8_t, 64> const d;
  auto const step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < bytes; i += step)
    hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + i)), d, reinterpret_cast<std::uint8_t*>(to + i));
#endif
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tcp::vector::kernels {

HWY_EXPORT(transpose_rectangle);
HWY_EXPORT(stream_bytes);

void transpose(const Rectangle& rectangle, int element_bytes, bool stream) {
  HWY_DYNAMIC_DISPATCH(transpose_rectangle)(rectangle, element_bytes, stream);
}
void stream_lines(std::byte* to, const std::byte* from, std::int64_t bytes) { HWY_DYNAMIC_DISPATCH(stream_bytes)(to, from, bytes); }
void stream_end() { hwy::FlushStream(); }

}  // namespace tcp::vector::kernels

#endif
