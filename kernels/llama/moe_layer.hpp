// A decoder layer whose feed-forward part is a mixture of experts, in the frame of Llama's: the same attention block,
// then
//
//   y = x' + experts(RMSNorm(x'))
//
// where each token goes through the best few of many experts (kernels/moe).
#pragma once

#include "kernels/llama/layer.hpp"
#include "kernels/moe/moe.hpp"

namespace tcp::kernels {

struct MoeSizes {
  std::int64_t experts = 2, chosen = 1;  // E, K
  std::int64_t intermediate = 1;         // columns of an expert
};

struct MoeLayerTensors {
  dyn::Tensor attention_norm, qkv, output, ffn_norm, router, up, down, numbers;
  dyn::Tensor gate{};  // none: experts without gate and activation, as in the book
};

/// On one chip.
class MoeDecoderLayer {
 public:
  /// `config.intermediate` plays no part. Refused, by throwing: what the kernels refuse, and several chips.
  MoeDecoderLayer(const Device& device, const LlamaConfig& config, const LlamaStep& step, const MoeSizes& sizes,
                  Where at = std::source_location::current());

  /// They say how their tensors lie in HBM.
  const AttentionBlock& attention() const { return attention_; }
  const MoeFfn& experts() const { return experts_; }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const MoeLayerTensors& weights, const KvCache& cache,
                         const dyn::Tensor& rotations) const;

  Work work() const;

 private:
  AttentionBlock attention_;
  RmsNorm norm_;
  MoeFfn experts_;
  Residual add_;
};

}  // namespace tcp::kernels
