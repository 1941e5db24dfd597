// The Contraction Engine's time steps on the host's own numbers, all Rows beside one another: for numbers of which no
// product and no sum is anything that the chip treats in a way of its own.
#pragma once

#include "sim/engines.hpp"

namespace tcp::sim {

inline constexpr std::int64_t plain_rows = 8;

bool suits_plain_steps(std::int64_t rows, std::int64_t lanes);

/// Time steps in a row that are added to one kept step are a chain. Up to two by two chains that have data or weights
/// in common are worked on side by side, so that what they share is loaded once; the order of each sum stays.
class PlainChains {
 public:
  /// `packets`: where the packet of each time step begins in the data.
  PlainChains(const program::Contraction& c, const ContractionWalk& walk, const std::vector<std::uint32_t>& packets);

  /// Adds all steps, those of a kept step one after the other. `data`: packets of `lanes` f32; `weights`:
  /// [element][Row] of f32; `sums`: [kept step][Row].
  void add(int lanes, const std::uint32_t* data, const std::uint32_t* weights, std::uint32_t* sums) const;
  /// Marks the sums that have an undefined number among their data or weights; null: none is.
  void mark(std::int64_t lanes, const std::uint8_t* data, const std::uint8_t* weights, std::uint8_t* sums) const;

  /// Chains d and w of a block have the data of row d and the weights of column w.
  struct Block {
    std::uint32_t steps = 0, data = 1, weights = 1;
    std::uint32_t packets[2]{}, elements[2]{};  // the first of `steps` entries
    std::uint32_t kept[2][2]{};
  };

 private:
  std::vector<std::uint32_t> packets_, elements_;
  std::vector<Block> blocks_;
};

/// Elements of bf16 as f32. Whether all results are moderate.
bool widen_bf16(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to);
/// Elements of bf16 from the bytes that memory has. A result that is not moderate is not canonical, either.
bool widen_stored_bf16(const std::byte* from, std::size_t count, std::uint32_t* to);
bool are_moderate(const std::uint32_t* bits, std::size_t count);
/// Elements into four slots each, the lowest bits first.
void spread_slots(const std::uint32_t* bits, std::int64_t count, int slot_bits, std::uint8_t* to);
/// Elements of bf16 in four slots each, a byte for a slot, of eight Rows; to [element][Row] of f32. `marked`: the top
/// bit of a slot is set. False: some are not moderate.
bool turn_bf16_slots(const std::uint8_t* const (&rows)[plain_rows], std::int64_t count, int slot_bits, std::uint32_t* to, bool& marked);

}  // namespace tcp::sim
