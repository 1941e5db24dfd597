// C[M, N] = A[M, K] B[K, N] for any M from 1 to 16,384, N and K from 1 to 131,072. A and B are bf16 or f8, C is then bf16, rounded once from sums in f32; or they
// are i8, and C is i32.
//
//   kernels::Gemm const gemm(rngd, ScalarType::bf16, m, n, k);
//   auto const c = launch(gemm, ctx, a, b).get();      // a dyn::Tensor
//
// A and C lie in HBM row after row, padded to whole units (kernels/rows), whatever their axes are called. B lies as [N, K]: column after column, as checkpoints
// keep weights ([out, in]), and where K falls into blocks, block after block, so that what a transfer moves lies together; the upload sees to that. It does not
// depend on M: the same weights serve one token and many.
//
// A batch of products of one size, C[g] = A[g] B[g], is one kernel: what the next one needs is loaded while one is computed. (A batch with one B for all is a
// product with more rows.) On several chips each computes what its own HBM holds, and C lies over the chips as A does: see gemm_on_chips.hpp.
//
// The order of the sum is part of the result: the products of a packet (32 of bf16, 64 of 8 bits) by a tree of neighbours, these one after the other over a part
// of K, the sums of parts one after the other, and where slices divide K among them, the sums of its ranges one after the other. `tile_at` says how large parts and
// ranges are, which depends on the tile that a column lies in.
#pragma once

#include <vector>

#include "kernels/rows/rows.hpp"
#include "kernels/tiling/tiling.hpp"
#include "kernels/work/work.hpp"

namespace tcp::kernels {

inline constexpr std::int64_t largest_batch = 1024;

/// Refused: a batch of no products, or of more than `largest_batch`.
Verdict check_batch(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, Where at = {});

class Gemm {
 public:
  /// Refused, by throwing: sizes that tile_gemm refuses.
  Gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at = std::source_location::current());
  /// `batch` products. Refused likewise, and what check_batch refuses.
  static Gemm batched(const Device& device, ScalarType type, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                      Where at = std::source_location::current());

  const GemmTiling& tiling() const { return tiling_; }
  /// Of the tile that computes this column of C: ranges of `depth / split` elements of K, in parts of `k`.
  GemmTiling tile_at(std::int64_t column) const;
  ScalarType type() const { return tiling_.type; }
  ScalarType c_type() const { return is_integer(tiling_.type) ? ScalarType::i32 : ScalarType::bf16; }
  Mapping batch() const { return batch_; }
  Mapping m() const { return m_; }
  Mapping n() const { return n_; }
  Mapping k() const { return k_; }
  /// How A, B and C lie in HBM.
  Mapping a_layout() const { return rows_layout(device_, type(), dyn::map(batch_, m_), k_); }
  Mapping b_layout() const;
  Mapping c_layout() const { return rows_layout(device_, c_type(), dyn::map(batch_, m_), n_); }

  Work work() const;

  /// The kernel.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const;
  /// C[g] = A[g] B, with B = table[which[g]]: looked up among several while it is loaded. `which`: [batch] of i32 in HBM.
  dyn::Tensor chosen(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& table, const dyn::Tensor& which) const;
  Mapping table_layout(std::int64_t count) const;

 private:
  /// Of the rows of C and A and the columns of C that a tile computes.
  struct Place {
    std::int64_t product, m0, n0, m, n;
  };
  /// Consecutive parts of K, of `k` elements each.
  struct Parts {
    std::int64_t first, count, k;
  };
  /// What one transfer of B serves.
  struct Step {
    Place at;
    Parts parts;
    bool last;  // of the tile
  };
  std::vector<Step> steps() const;
  void add_steps(std::int64_t product, std::vector<Step>& all) const;
  std::vector<Parts> parts_of_tile(const GemmTiling& tile, bool last) const;
  std::int64_t block() const { return block_of_k(device_, type(), k_.size); }
  bool in_blocks() const { return block() < k_.size; }
  std::int64_t padded_k() const { return padded_columns(device_, type(), k_.size); }
  Mapping b_layout_of(const Mapping& of, const Mapping& columns) const;
  dyn::Tensor product(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b, const Mapping& matrices, const dyn::Tensor& which) const;

  friend struct GemmRun;
  Device device_;
  GemmTiling tiling_;
  Mapping batch_{}, m_, n_, k_;
};

}  // namespace tcp::kernels
