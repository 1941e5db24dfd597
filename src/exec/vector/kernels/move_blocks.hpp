// The parts of a move that depend on the processor: whole cache lines, and transposes of blocks of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tcp::vector::kernels {

inline constexpr std::int64_t line_bytes = 64;

/// A rectangle whose rows are contiguous in the source and whose columns are in the destination. Strides count bytes.
struct Rectangle {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0;     // in the source
  std::int64_t column_stride = 0;  // in the destination
};

/// Law: element (r, c) of `element_bytes` at from + r * row_stride + c * element_bytes goes to to + c * column_stride +
/// r * element_bytes. `stream`: past the caches, where lines are whole.
void transpose(const Rectangle& rectangle, int element_bytes, bool stream);

/// Whole lines, past the caches. Needs: `to` aligned to a line, whole lines. stream_end() before others read.
void stream_lines(std::byte* to, const std::byte* from, std::int64_t bytes);
void stream_end();

}  // namespace tcp::vector::kernels
