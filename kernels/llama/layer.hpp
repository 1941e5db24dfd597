// A decoder layer of Llama 3, made of the library's kernels: inside one launch, from HBM to HBM.
//
//   x' = x + W_o attention(rope(W_q n), rope(W_k n), W_v n)        n = RMSNorm(x)            AttentionBlock
//   y  = x' + W_down (silu(W_gate m) * W_up m)                     m = RMSNorm(x')           FeedForward, or MoeFfn
//
// Where the configuration asks for it, a bias is added to W n, heads of queries and keys are normed before they are
// rotated, and what is added to x is normed.
//
// One layer prefills (many tokens of a sequence) and decodes (one more token of some sequences); keys and values
// go into caches in HBM, which outlive the launch. W_q, W_k and W_v are one matrix in HBM, and so are W_gate and W_up:
// one long product is nearer to what HBM can give than several short ones.
//
// Over several chips heads and the columns of the feed-forward layer are shared out evenly. Every chip has all of x,
// and its own part of the weights: rows of W_q, W_k, W_v, W_gate and W_up, columns of W_o and W_down. The products with
// these two are sums of one part per chip: two AllReduces per layer. Of each expert a chip has some columns.
#pragma once

#include <optional>
#include <vector>

#include "kernels/attention/decode.hpp"
#include "kernels/attention/flash.hpp"
#include "kernels/collectives/collectives.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/llama/checkpoint.hpp"
#include "kernels/moe/moe.hpp"
#include "kernels/rowwise/elementwise.hpp"
#include "kernels/rowwise/norms.hpp"
#include "kernels/rowwise/rope/rope.hpp"
#include "kernels/work/work.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

/// New tokens of one of the sequences that caches are for.
struct SequencePart {
  std::int64_t sequence = 0;  // its number in the caches
  std::int64_t tokens = 1;
  std::int64_t past = 0;  // tokens of it that the caches hold already

  friend bool operator==(const SequencePart&, const SequencePart&) = default;
};

/// What a step computes, and on what.
struct LlamaStep {
  std::int64_t tokens = 1;     // new ones, of each sequence; several sequences have one each
  std::int64_t past = 0;       // tokens of each that the caches hold already
  std::int64_t capacity = 1;   // tokens that they have room for
  std::int64_t sequences = 1;  // B
  std::int64_t chips = 1;
  bool local = false;             // a layer that attends to the configuration's window
  bool length_at_launch = false;  // single tokens of a sequence: any `past` that gives slices the same positions
  /// Some of the sequences, each with as many new tokens as it likes, in the place of `tokens` and `past`. Rows come
  /// sequence after sequence, and the table of rotations has a row for each.
  std::vector<SequencePart> parts{};

  std::int64_t rows() const {
    std::int64_t all = parts.empty() ? sequences * tokens : 0;
    for (const SequencePart& p : parts) all += p.tokens;
    return all;
  }
  /// The level of every tensor of the step: each chip has its own.
  Mapping chip() const { return chips == 1 ? dyn::one : dyn::axis("Chip", chips); }

  friend bool operator==(const LlamaStep&, const LlamaStep&) = default;
};

/// How x lies over chips, each of which has all of it: under their axis; where experts are chosen by it, as copies, for
/// all chips must choose alike.
Mapping chip_of_x(const LlamaConfig& config, const LlamaStep& step);

/// Refused: no tokens, more than the caches have room for, several of several sequences, and heads or columns that do
/// not fall to the chips evenly.
Verdict check_step(const LlamaConfig& config, const LlamaStep& step, Where at = {});

struct KvCache {
  dyn::Tensor keys, values;
};

/// What some architectures have beside Llama's weights.
struct AttentionExtras {
  dyn::Tensor bias{}, query_norm{}, key_norm{}, out_norm{};
};

/// x + parts, where `parts` are summed over the chips, if there are several.
class ResidualSum {
 public:
  ResidualSum(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at);

  /// The sum of all chips' parts, on each of them; of one chip its part.
  dyn::Tensor summed(Context& ctx, const dyn::Tensor& parts) const;
  dyn::Tensor added(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& sum) const;
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& parts) const { return added(ctx, x, summed(ctx, parts)); }
  Work work() const;

 private:
  Mapping chip_;
  Residual add_;
  std::optional<ReduceScatter> sum_;  // and a gather: an AllReduce whose result every chip counts as its own
};

class AttentionBlock {
 public:
  /// Refused, by throwing: what check_step and the kernels refuse.
  AttentionBlock(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at = std::source_location::current());

  const RmsNorm& norm() const { return norm_; }
  const Gemm& to_qkv() const { return to_qkv_; }
  const Gemm& to_output() const { return to_output_; }
  /// Its table has all positions; of several sequences, and where the length comes with the launch, a row for each.
  const Rope& rope() const { return rope_query_; }
  Mapping cache_layout() const { return kernels::cache_layout(sizes_); }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& qkv, const dyn::Tensor& output,
                         const KvCache& cache, const dyn::Tensor& rotations, const AttentionExtras& extras = {},
                         const std::vector<LengthAtLaunch>& lengths = {}) const;
  /// None: the step has several tokens.
  const std::optional<DecodeAttention>& decode() const { return decode_; }
  /// Whether this is the kernel of another step as well, whose lengths come with the launch.
  bool serves(const LlamaStep& step) const;
  /// What such a step says of its lengths, one for each sequence with a single token.
  std::vector<LengthOnHost> said(const LlamaStep& step) const;

  /// Norms of heads, where there are any; how their weights lie.
  const std::optional<RmsNorm>& query_norm() const { return query_norm_; }
  const std::optional<Bias>& bias() const { return bias_; }

  /// On one chip: weights, caches, x and the result go through HBM once; what is between need not.
  Work work() const;

 private:
  dyn::Tensor attended(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v, const KvCache& cache,
                       const std::vector<LengthAtLaunch>& lengths) const;
  dyn::Tensor attended_by_parts(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v, const KvCache& cache,
                                const std::vector<LengthAtLaunch>& lengths) const;
  dyn::Tensor normed_heads(Context& ctx, const dyn::Tensor& rows, const RmsNorm& norm, std::int64_t heads, const dyn::Tensor& weight) const;

  Device device_;
  LlamaConfig share_;
  LlamaStep step_;
  AttentionSizes sizes_;
  RmsNorm norm_;
  Gemm to_qkv_, to_output_;
  Rope rope_query_, rope_key_;
  std::optional<Bias> bias_;
  std::optional<RmsNorm> query_norm_, key_norm_;
  std::optional<FlashAttention> prefill_;
  /// What attends in one of the step's parts.
  struct OfPart {
    std::optional<FlashAttention> prompt{};
    std::optional<DecodeAttention> token{};  // whose length comes with the launch
  };
  std::vector<OfPart> of_parts_;
  std::optional<DecodeAttention> decode_;
  ResidualSum add_;
};

class FeedForward {
 public:
  FeedForward(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at = std::source_location::current());

  const RmsNorm& norm() const { return norm_; }
  const Gemm& to_ffn() const { return to_ffn_; }
  const Gemm& from_ffn() const { return from_ffn_; }

  /// `out_norm`: where the configuration has norms after each half.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& gate_up, const dyn::Tensor& down,
                         const dyn::Tensor& out_norm = {}) const;

  Work work() const;

 private:
  Device device_;
  LlamaConfig share_;
  LlamaStep step_;
  RmsNorm norm_;
  Gemm to_ffn_, from_ffn_;
  std::optional<SwiGlu> swiglu_;
  std::optional<GeGlu> geglu_;
  ResidualSum add_;
};

/// Those that the model has (layer_tensors_of); `numbers` is MoeFfn's.
struct LayerTensors {
  dyn::Tensor attention_norm, qkv, output, ffn_norm, gate_up, down;
  dyn::Tensor qkv_bias{}, query_norm{}, key_norm{}, attention_out_norm{}, ffn_out_norm{};
  dyn::Tensor router{}, expert_gate{}, expert_up{}, expert_down{}, numbers{};

  dyn::Tensor& operator[](LayerTensor which);
};

class DecoderLayer {
 public:
  DecoderLayer(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at = std::source_location::current());

  const AttentionBlock& attention() const { return attention_; }
  /// The second half of a layer without experts, and of one with.
  const FeedForward& feed_forward() const { return *feed_forward_; }
  const MoeFfn& experts() const { return *experts_; }
  Mapping chip() const { return step_.chip(); }
  /// Over chips: x and the result; a weight.
  Mapping chip_of_x() const { return chip_of_x_; }
  Mapping chip_of(LayerTensor which) const;
  /// How tensors lie in HBM, on each chip: x and the result; a weight, whose axes are those of weight_axes in this
  /// order; a cache.
  Mapping layout() const { return attention_.norm().layout(); }
  Mapping weight_layout(LayerTensor which) const;
  Mapping weight_axes(LayerTensor which) const;
  Mapping cache_layout() const { return attention_.cache_layout(); }

  /// `rotations`: all of them, or those of the rows; `lengths`: of a step whose lengths come with the launch, one
  /// for each single token.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const LayerTensors& weights, const KvCache& cache,
                         const dyn::Tensor& rotations, const std::vector<LengthAtLaunch>& lengths = {}) const;

  Work work() const;

 private:
  const Gemm* product(LayerTensor which) const;

  LlamaStep step_;
  Mapping chip_of_x_;
  AttentionBlock attention_;
  std::optional<FeedForward> feed_forward_;
  std::optional<MoeFfn> experts_;
  ResidualSum add_;
};

/// Some columns of rows, as rows of their own.
dyn::Tensor columns_of(Context& ctx, const Device& device, const dyn::Tensor& rows, std::int64_t columns, std::int64_t first,
                       std::int64_t count);

/// `count` of so many rows, from the first on, of so many columns each.
struct SomeRows {
  std::int64_t rows = 1, columns = 1, first = 0, count = 1;
};
/// Some rows of bf16 as a tensor of their own, and the way back. All rows are padded alike.
dyn::Tensor rows_of(Context& ctx, const dyn::Tensor& all, const SomeRows& which);
void put_rows(Context& ctx, const dyn::Tensor& some, const dyn::Tensor& all, const SomeRows& which);

/// A kernel under a name of its own in reports.
template <class Kernel, class... Args>
dyn::Tensor in_region(Context& ctx, const char* name, const Kernel& kernel, const Args&... args) {
  auto const mark = ctx.region(name);
  return kernel(ctx, args...);
}

}  // namespace tcp::kernels
