// Where every chosen (token, expert) goes when tokens are sorted by expert into blocks of B rows, each of one expert;
// all of it computed on the chip.
//
//   count[e] = how many chose e                                                                      MOE-17, 18
//   blocks[e] = ceil(count[e] / B)                                                                   MOE-19
//   first[e] = cumsum(blocks) - blocks            the first block of e                               MOE-20
//   place[t, k] = how many chose the same expert before (t, k)                                       MOE-21
//   row[t, k] = first[choice[t, k]] * B + place[t, k]                                                MOE-24
//   expert[g] = whose block g is                                                                     MOE-22
//
// Experts are in the lanes of a few slices, and the choices go by in time: a lane adds one where the choice is its
// expert, and keeps the sum in VRF for the next time step. That is a prefix sum over all choices for all experts at
// once. No lane knows an address: what the others need of it is summed over lanes and slices, where all but one have
// zero, and `first` is looked up by a DMA gather.
//
// The number of blocks that are really in use depends on the scores; the grid has room for the worst case (MOE-16), and
// the chip has no branch with which to skip the rest (MOE-28): blocks beyond the last one in use belong to the last
// expert and hold no row that is read back. So that they have an expert at all, there are some `spare` experts after
// the real ones, which are never chosen and which have as many blocks as fit.
#pragma once

#include "kernels/moe/topk.hpp"

namespace tcp::kernels {

/// The blocks that `pairs` choices among so many experts can take: (pairs - experts) / B + experts, and no more than
/// there are pairs.
std::int64_t most_blocks(std::int64_t pairs, std::int64_t experts, std::int64_t block);

/// The blocks that the choices of tokens can take. A token never chooses an expert twice, so no expert has more rows
/// than there are tokens.
std::int64_t blocks_needed(std::int64_t tokens, std::int64_t experts, std::int64_t k, std::int64_t block);

struct Blocks {
  dyn::Tensor row;     // [T, K # 8] i32: of the blocked rows
  dyn::Tensor expert;  // [G] i32
};

class BlockIndices {
 public:
  /// Refused, by throwing: what TopK refuses, and blocks of other sizes than a power of two from 2 to 1,024.
  BlockIndices(const Device& device, std::int64_t tokens, std::int64_t experts, std::int64_t k, std::int64_t block,
               Where at = std::source_location::current());

  std::int64_t block() const { return block_; }
  std::int64_t grid() const { return grid_.size; }
  /// How many of `numbers`, 0, 1, 2, ..., are needed.
  std::int64_t numbers() const;
  Mapping all_experts() const { return all_; }  // the spare ones included

  Blocks operator()(Context& ctx, const dyn::Tensor& choices, const dyn::Tensor& numbers) const;

  // The steps. Tensors in HBM: [T, K # 8] for each choice, [X] for each expert.

  struct Counted {
    dyn::Tensor place, count;
  };
  Counted counted(Context& ctx, const dyn::Tensor& choices, const dyn::Tensor& numbers) const;
  dyn::Tensor blocks_of(Context& ctx, const dyn::Tensor& count, const dyn::Tensor& numbers) const;
  /// [X, 1 # 2].
  dyn::Tensor first_blocks_of(Context& ctx, const dyn::Tensor& blocks) const;
  dyn::Tensor rows_of(Context& ctx, const dyn::Tensor& choices, const dyn::Tensor& first, const dyn::Tensor& place) const;
  dyn::Tensor experts_of(Context& ctx, const dyn::Tensor& blocks, const dyn::Tensor& numbers) const;

 private:
  Mapping choices_layout() const { return topk_.choices_layout(); }

  Device device_;
  TopK topk_;
  std::int64_t block_, shift_ = 0;
  Mapping grid_, all_, range_;
};

}  // namespace tcp::kernels
