// Moves: a nest of loops, each with a stride on either side, that copies one element in its innermost round.
//
// Every re-layout that strides can express is such a nest. It is brought into a normal form (loops of one round
// dropped, ordered by the destination, loops that walk both sides as one joined) and then done by whole runs, by
// transposes in registers, or element by element, whichever the strides allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tcp::vector::kernels {

/// Strides count elements.
struct MoveLoop {
  std::int64_t size = 1;
  std::int64_t from = 0, to = 0;
};

/// Loops outermost first; their order does not matter to the result. A `from` of 0 repeats an element. Needs: no two
/// rounds write the same element, and what is written is not read. `element_bytes` is 1, 2 or 4.
void move(const std::vector<MoveLoop>& loops, int element_bytes, const std::byte* from, std::byte* to);

/// Moves by up to so many threads; the bits are the same for every number of them.
void move(const std::vector<MoveLoop>& loops, int element_bytes, const std::byte* from, std::byte* to, int threads);

/// Sets elements instead of copying.
void fill(const std::vector<MoveLoop>& loops, int element_bytes, std::uint32_t value, std::byte* to);

/// Two 4-bit values to a byte, the earlier in the low half, into a byte each, and back. `first` is the index of the
/// first nibble.
void unpack_nibbles(const std::byte* packed, std::int64_t first, std::int64_t count, std::byte* cells);
void pack_nibbles(const std::byte* cells, std::int64_t first, std::int64_t count, std::byte* packed);

}  // namespace tcp::vector::kernels
