// Folds whole rows of outputs at a time, so that every output keeps its order; outputs that are no neighbours are first
// brought together, a block at a time.
#include "exec/vector/kernels/reduce.hpp"

#include <algorithm>
#include <array>

#include "exec/vector/kernels/move_blocks.hpp"
#include "exec/vector/kernels/target.hpp"

namespace tcp::vector::kernels {
namespace {

constexpr std::int64_t block = 256;  // outputs: a few blocks of lanes stay in the first-level cache

using Row = std::array<std::uint32_t, block>;

bool folds_floats(Op op) { return op >= Op::add; }

/// The lanes of one step for `count` outputs.
class Reader {
 public:
  Reader(const Reduction& r, std::int64_t first, std::int64_t count)
      : r_(r),
        at_(r.in + first * r.stride),
        count_(count),
        // What an output folds lies without gaps: tiles of it are transposed.
        by_tiles_(r.stride != 1 && (r.lanes == 1 || r.lane_stride == 1) && r.step_stride == r.lanes) {}

  /// Where they lie, or brought together in `room` or in a tile; good until four more calls.
  const std::uint32_t* lane(std::int64_t step, int lane, Row& room) {
    if (by_tiles_) return word(step * r_.lanes + lane);
    const std::uint32_t* const from = at_ + step * r_.step_stride + lane * r_.lane_stride;
    if (r_.stride == 1) return from;
    for (std::int64_t i = 0; i < count_; ++i) room[static_cast<std::size_t>(i)] = from[i * r_.stride];
    return room.data();
  }

 private:
  static constexpr std::int64_t tile_words = 16 * 3;  // a multiple of every number of lanes, so that a step lies in one tile

  const std::uint32_t* word(std::int64_t w) {
    if (w < first_word_ || w >= first_word_ + tile_words) {
      first_word_ = w / tile_words * tile_words;
      std::int64_t const words = std::min(tile_words, r_.steps * r_.lanes - first_word_);
      transpose({reinterpret_cast<const std::byte*>(at_ + first_word_), reinterpret_cast<std::byte*>(tile_), count_, words, 4 * r_.stride,
                 4 * block},
                4, false);
    }
    return tile_[w - first_word_];
  }

  const Reduction& r_;
  const std::uint32_t* at_;
  std::int64_t count_;
  bool by_tiles_;
  std::int64_t first_word_ = -tile_words;
  alignas(64) std::uint32_t tile_[tile_words][block];
};

void fold(const Reduction& r, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out, std::int64_t count) {
  compute(r.op, {out, a, {b, 0}, {}, static_cast<std::size_t>(count)}, r.model);
}

/// op(op(a, b), op(c, d)) of the lanes that there are.
const std::uint32_t* folded_step(const Reduction& r, Reader& reader, std::int64_t step, std::int64_t count, std::array<Row, 4>& room) {
  const std::uint32_t* const a = reader.lane(step, 0, room[0]);
  if (r.lanes == 1) return a;
  fold(r, a, reader.lane(step, 1, room[1]), room[0].data(), count);
  if (r.lanes == 2) return room[0].data();
  const std::uint32_t* right = reader.lane(step, 2, room[2]);
  if (r.lanes == 4) {
    fold(r, right, reader.lane(step, 3, room[3]), room[2].data(), count);
    right = room[2].data();
  }
  fold(r, room[0].data(), right, room[0].data(), count);
  return room[0].data();
}

void reduce_block(const Reduction& r, std::int64_t first, std::int64_t count) {
  Reader reader(r, first, count);
  std::array<Row, 4> room;
  Row sum;
  std::uint32_t* const out = r.out + first * r.out_stride;
  std::int64_t step = 0;
  if (r.continues) {
    for (std::int64_t i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] = out[i * r.out_stride];
  } else {
    const std::uint32_t* const begin = folded_step(r, reader, step++, count, room);
    if (folds_floats(r.op)) compute(Op::canonical, {sum.data(), begin, {}, {}, static_cast<std::size_t>(count)}, r.model);
    else std::copy(begin, begin + count, sum.begin());
  }
  for (; step < r.steps; ++step) fold(r, sum.data(), folded_step(r, reader, step, count, room), sum.data(), count);
  for (std::int64_t i = 0; i < count; ++i) out[i * r.out_stride] = sum[static_cast<std::size_t>(i)];
}

}  // namespace

void reduce(const Reduction& reduction) {
  RoundingScope const rounding(reduction.model, Flushing::operands);
  for (std::int64_t first = 0; first < reduction.outputs; first += block)
    reduce_block(reduction, first, std::min(block, reduction.outputs - first));
}

}  // namespace tcp::vector::kernels
