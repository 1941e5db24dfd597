// C[M, N] = A[M, K] B[K, N] for any M, N and K from 1 to 16,384. A and B are bf16 or f8, C is then bf16, rounded once from sums in f32; or they are i8, and C is
// i32.
//
//   kernels::Gemm const gemm(rngd, ScalarType::bf16, m, n, k);
//   auto const c = launch(gemm, ctx, a, b).get();      // a dyn::Tensor
//
// A lies in HBM as [M, K], B as [N, K]: column after column, as checkpoints keep weights ([out, in]); the upload turns a host's [K, N] into that. Rows may be
// padded. The order of the sum is part of the result: the products of a packet (32 of bf16, 64 of 8 bits) by a tree of neighbours, these one after the other over `tiling().k` elements of K, and the
// sums of such parts one after the other.
#pragma once

#include <vector>

#include "kernels/tiling/tiling.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

class Gemm {
 public:
  /// Refused, by throwing: sizes that tile_gemm refuses.
  Gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at = std::source_location::current());

  const GemmTiling& tiling() const { return tiling_; }
  ScalarType type() const { return tiling_.type; }
  ScalarType c_type() const { return is_integer(tiling_.type) ? ScalarType::i32 : ScalarType::bf16; }
  Mapping m() const { return m_; }
  Mapping n() const { return n_; }
  Mapping k() const { return k_; }
  /// How A and B lie in HBM. Where K falls into equal parts, part after part, so that a tile's lie together; elsewhere row after row, padded to whole packets.
  Mapping a_layout() const { return layout_of(m_); }
  Mapping b_layout() const { return layout_of(n_.pad(padded_n())); }
  /// How C lies there. Columns of B and C are padded to whole units of HBM and whole rings of slices.
  Mapping c_layout() const { return dyn::map(m_, n_.pad(padded_n())); }

  /// The kernel.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const;

 private:
  struct Step {
    std::int64_t m0, n0, k0, m, n, k;
  };
  /// Tile after tile, in each part after part of K.
  std::vector<Step> steps() const;
  bool in_parts() const { return k_.size > tiling_.k && k_.size % tiling_.k == 0; }
  Mapping layout_of(const Mapping& rows) const;
  /// Rows and a part of K, as the tile counts them.
  dyn::Tensor part_of(const dyn::Tensor& all, const Mapping& axis, std::int64_t length, std::int64_t start, const Mapping& rows,
                      const Step& s) const;
  std::int64_t padded_k() const;
  std::int64_t padded_n() const;

  Device device_;
  GemmTiling tiling_;
  Mapping m_, n_, k_;
};

}  // namespace tcp::kernels
