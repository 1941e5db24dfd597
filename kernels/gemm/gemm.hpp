// C[M, N] = A[M, K] B[K, N] for any M from 1 to 16,384, N and K from 1 to 131,072. A and B are bf16 or f8, C is then
// bf16, rounded once from sums in f32; or they are i8, and C is i32.
//
//   kernels::Gemm const gemm(rngd, ScalarType::bf16, m, n, k);
//   auto const c = launch(gemm, ctx, a, b).get();      // a dyn::Tensor
//
// A and C are stored in HBM row after row, padded to whole units (kernels/rows), whatever their axes are called. B is
// stored as [N, K]: column after column, as checkpoints keep weights ([out, in]), and where K is whole blocks, block
// after block, so that what a transfer moves is stored together; the upload does that. The layout does not depend on M:
// the same weights serve one token and many.
//
// A batch of products of one size, C[g] = A[g] B[g], is one kernel: what the next one needs is loaded while one is
// computed. (A batch with one B for all is a product with more rows.) On several chips each computes what its own HBM
// holds, and C is divided among the chips as A is: see gemm_on_chips.hpp.
//
// The order of the sum is part of the result: the products of a packet (32 of bf16, 64 of 8 bits) by a tree of
// neighbours, these one after the other over a part of K, the sums of parts one after the other, and where slices
// divide K among them, the sums of its ranges one after the other. `tile_at` says how large parts and ranges are, which
// depends on the tile of a column. tiling/tiling.hpp describes the strategies; lesson 31 takes the kernel apart step by
// step.
#pragma once

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
  /// A kernel for `batch` products. Refused, by throwing: also what check_batch refuses.
  static Gemm batched(const Device& device, ScalarType type, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                      Where at = std::source_location::current());

  const GemmTiling& tiling() const { return tiling_; }
  /// The tiling of the tile that computes this column of C: ranges of `depth / split` elements of K, in parts of `k`.
  GemmTiling tile_at(std::int64_t column) const;
  ScalarType type() const { return tiling_.type; }
  ScalarType c_type() const { return is_integer(tiling_.type) ? ScalarType::i32 : ScalarType::bf16; }
  Mapping batch() const { return batch_; }
  Mapping m() const { return m_; }
  Mapping n() const { return n_; }
  Mapping k() const { return k_; }
  /// The layouts of A, B and C in HBM.
  Mapping a_layout() const { return rows_layout(device_, type(), dyn::map(batch_, m_), k_); }
  Mapping b_layout() const;
  Mapping c_layout() const { return rows_layout(device_, c_type(), dyn::map(batch_, m_), n_); }

  Work work() const;

  /// The kernel.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const;
  /// C[g] = A[g] B, with B = table[which[g]]: looked up among several while it is loaded. `which`: [batch] of i32 in
  /// HBM.
  dyn::Tensor chosen(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& table, const dyn::Tensor& which) const;
  Mapping table_layout(std::int64_t count) const;

 private:
  Mapping b_layout_of(const Mapping& matrices) const;
  dyn::Tensor product(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b, const Mapping& matrices, const dyn::Tensor& which) const;

  Device device_;
  GemmTiling tiling_;
  Mapping batch_{}, m_, n_, k_;
};

}  // namespace tcp::kernels
