// A feed-forward layer of E experts, of which each token goes through K.
//
//   scores = x W_router                                    TopK: the K best experts of each token, and their weights            MOE-03, 04
//   rows of x, sorted by expert into blocks                BlockIndices: where each goes; a scatter                             MOE-25
//   y = (block W_up[e]) W_down[e]                          the weights of block g are those of expert[g]: a gather              MOE-26
//       (silu(block W_gate[e]) * block W_up[e]) W_down[e]  where there is a gate
//   out[t] = sum over k of weight[t, k] y[row[t, k]]       a gather, and a sum in f32 in the order of the experts               MOE-27
//
// Everything from the scores to the rows is computed on the chip; the host says nothing about the routing. It runs the
// same commands whatever the scores are (MOE-29): the grid has as many blocks as the worst case needs (most_blocks),
// those that stay empty are computed and never read (MOE-28).
//
// x, h = block W_up and y are bf16, sums within a product f32.
//
// Over several chips each has all of x, as copies, and of every expert some of the F columns: all chips route alike,
// and
// what each gives is a part of the sum.
#pragma once

#include "kernels/gemm/gemm.hpp"
#include "kernels/moe/blocks.hpp"
#include "kernels/moe/topk.hpp"

namespace tcp::kernels {

class MoeFfn {
 public:
  /// `block`: rows of a block; 0: a power of two near what an expert gets when all get the same. Refused, by throwing:
  /// what TopK, BlockIndices and Gemm refuse.
  MoeFfn(const Device& device, std::int64_t tokens, std::int64_t d, std::int64_t f, std::int64_t experts, std::int64_t k,
         std::int64_t block = 0, Where at = std::source_location::current());

  std::int64_t block() const { return indices_.block(); }
  std::int64_t grid() const { return indices_.grid(); }
  /// How x and the result lie in HBM, and the weights: W_router [E, D], W_up [E, F, D], W_down [E, D, F], each [out,
  /// in] as checkpoints keep them.
  Mapping rows() const { return rows_layout(device_, ScalarType::bf16, topk_.token(), column_); }
  Mapping router_layout() const { return router_.b_layout(); }
  Mapping up_layout() const { return up_.table_layout(expert_.size); }
  Mapping down_layout() const { return down_.table_layout(expert_.size); }
  const Gemm& router() const { return router_; }
  const Gemm& up() const { return up_; }
  const Gemm& down() const { return down_; }
  Mapping expert() const { return expert_; }
  /// 0, 1, 2, ..., i32: a constant of the kernel, to be uploaded once.
  Mapping numbers_layout() const { return dyn::axis("N", indices_.numbers()); }
  dyn::HostTensor numbers() const;

  /// `gate`: W_gate [E, F, D], as W_up; none: experts without gate and activation, as in the book.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& router, const dyn::Tensor& up, const dyn::Tensor& down,
                         const dyn::Tensor& numbers, const dyn::Tensor& gate = {}) const;

  // The steps after the routing.

  /// Row row[t, k] of the blocked rows is x[t], for all k; others are undefined.
  dyn::Tensor dispatched(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& row) const;
  dyn::Tensor computed(Context& ctx, const dyn::Tensor& blocked, const dyn::Tensor& expert, const dyn::Tensor& up, const dyn::Tensor& down,
                       const dyn::Tensor& gate = {}) const;
  dyn::Tensor combined(Context& ctx, const dyn::Tensor& y, const dyn::Tensor& row, const dyn::Tensor& weight) const;
  Mapping blocked_layout() const;

  /// Without a gate, of a routing in which as many experts are in use as can be, and every block is full.
  Work work() const;

 private:
  Mapping row_axis() const { return dyn::axis("Row", grid() * block()); }

  Device device_;
  TopK topk_;
  BlockIndices indices_;
  Gemm router_, up_, down_;
  Mapping expert_, column_;
};

}  // namespace tcp::kernels
