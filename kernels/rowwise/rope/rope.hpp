// Rotary position embedding: every pair of neighbouring columns of a head is turned by an angle that depends on the
// token's position and on the pair.
//
//   kernels::Rope const rope(rngd, {.tokens = 512, .heads = 32, .head = 128, .positions = 8192, .start = 0});
//   auto const y = rope(ctx, x, table);                       // x and y: [tokens, heads * head] of bf16
//
// It is an einsum with a table of rotations, [position, pair, f, j] of bf16: y[t, h, p, j] = sum over f of x[t, h, p,
// f] * table[start + t, p, f, j]. Products are exact in f32, their sum is rounded to f32 and then to bf16. Pairs are
// neighbours; checkpoints that pair column i with i + head / 2 have the columns of their weights permuted first.
#pragma once

#include <vector>

#include "kernels/rowwise/spread/spread.hpp"

namespace tcp::kernels {

struct RopeSizes {
  std::int64_t tokens = 1, heads = 1;
  std::int64_t head = 128;     // columns of one
  std::int64_t positions = 1;  // of the table
  std::int64_t start = 0;      // position of the first token
};

/// Refused: heads of 0 columns, of more than 512 or of no multiple of 8; positions that the table does not have; sizes
/// that spread_rows refuses.
Expected<RowSpread> spread_rope(const Device& device, const RopeSizes& sizes, Where at = {});

class Rope : public RowKernel {
 public:
  /// Refused, by throwing: what spread_rope refuses.
  Rope(const Device& device, const RopeSizes& sizes, Where at = std::source_location::current());

  const RopeSizes& sizes() const { return sizes_; }
  /// The table's axes, and how it is in HBM: for each position what makes the first column of all pairs, then what
  /// makes the second.
  Mapping position() const { return dyn::axis("S", sizes_.positions); }
  Mapping pair() const { return dyn::axis("P", sizes_.head / 2); }
  Mapping from() const { return dyn::axis("F", 2); }
  Mapping to() const { return dyn::axis("J", 2); }
  Mapping table_layout() const { return dyn::map(position(), to(), pair(), from()); }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& table) const;
  Work work() const;

 private:
  RopeSizes sizes_;
};

/// base^(-2p / head) for every pair p.
std::vector<double> rope_frequencies(std::int64_t head, double base);
/// [position, pair, f, j], axes named as Rope names them: turns by position * frequency[pair].
dyn::HostTensor rotation_table(std::int64_t positions, const std::vector<double>& frequencies);

}  // namespace tcp::kernels
