// C = A B over several chips: each has its own HBM and computes a part of the product, all at the same time, and
// nothing is sent between them.
//
//   kernels::GemmOnChips const gemm(rngd, ScalarType::bf16, m, n, k, 4, kernels::GemmSplit::n);
//   auto const a_hbm = a.to_hbm(ctx.pdma, gemm.chip(), gemm.a_layout());      // a: a host tensor of gemm.host_a()
//   auto const c = launch<4>(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, gemm.host_c());
//
//   over M   a chip has rows of A and all of B, and gets the same rows of C
//   over N   all of A and columns of B; columns of C: as for the first matrix of an MLP, and the heads of attention
//   over K   columns of A and rows of B; a partial sum of all of C, rounded: as for the second matrix of an MLP. The
//            parts are added up by an AllReduce or a ReduceScatter (kernels/collectives)
//
// Where all chips need the same, every chip has a copy; an upload makes the copies by itself.
#pragma once

#include "kernels/gemm/gemm.hpp"

namespace tcp::kernels {

enum class GemmSplit : std::uint8_t { m, n, k };

/// A chip's part of a size that is spread over chips. Refused: chips that do not divide it.
Expected<std::int64_t> part_on_chips(std::int64_t size, std::int64_t chips, GemmSplit over, Where at = {});

class GemmOnChips {
 public:
  /// Refused, by throwing: a size that the chips do not divide, and what Gemm refuses.
  GemmOnChips(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t chips, GemmSplit over,
              Where at = std::source_location::current());

  /// What each chip computes; m, n and k are its own.
  const Gemm& each() const { return each_; }
  GemmSplit over() const { return over_; }
  /// The Chip level of A, B and C.
  Mapping chip() const { return chip_; }
  /// The layouts in the HBM of a chip.
  Mapping a_layout() const { return each_.a_layout(); }
  Mapping b_layout() const { return each_.b_layout(); }
  Mapping c_layout() const { return each_.c_layout(); }
  /// How the host counts A as [M, K], B as [N, K] and C as [M, N]; of C over K, [chip, M, N]: the partial sums.
  Mapping host_a() const;
  Mapping host_b() const;
  Mapping host_c() const;

  /// What one chip does.
  Work work() const { return each_.work(); }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const { return each_(ctx, a, b); }

 private:
  GemmSplit over_;
  Mapping chip_;
  Gemm each_;
};

}  // namespace tcp::kernels
