// Llama 3 on a device: weights and caches of keys and values in HBM, prefill and decode as launches, a layer each.
//
//   auto const config = value_or_throw(kernels::read_llama_config("model/config.json"));
//   auto const weights = value_or_throw(kernels::Checkpoint::open("model", config));
//   kernels::Llama llama(ctx, rngd, config, weights, {.context = 512});
//   auto const answer = value_or_throw(kernels::generate(llama.steps(), prompt, {.most = 20}));
//
// Prefill and decode are one: both append tokens to what the caches hold, many or one. What a step computes does not
// depend on how the tokens before it came in, up to the rounding of bf16. The kernels of a step of one token are
// prepared: where the token is comes with each launch, so that many tokens use one recording. Run time only.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/gather/gather.hpp"
#include "kernels/llama/batch.hpp"
#include "kernels/llama/generation.hpp"
#include "kernels/llama/layer.hpp"
#include "tcp/runtime/prepare.hpp"

template <>
inline constexpr bool tcp::holds_tensors_only<tcp::kernels::LayerTensors> = true;
template <>
inline constexpr bool tcp::holds_tensors_only<tcp::kernels::KvCache> = true;
template <>
inline constexpr bool tcp::holds_tensors_only<tcp::kernels::LengthAtLaunch> = true;

namespace tcp::kernels {

/// The logits after the last of some rows: RMSNorm, and the product with the LM head, or with some of its words.
class LlamaHead {
 public:
  /// `words`: 0 for all.
  LlamaHead(const Device& device, const LlamaConfig& config, std::int64_t rows, std::int64_t words = 0,
            Where at = std::source_location::current());

  const RmsNorm& norm() const { return norm_; }
  const Gemm& product() const { return product_; }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& weight) const;

 private:
  Device device_;
  std::int64_t rows_;
  RmsNorm norm_;
  Gemm product_;
};

/// Some words of each chip: the first of them among the chip's, and how many.
struct HeadPart {
  std::int64_t first = 0, words = 0;
};
/// How words fall to chips and to products, none of which is longer than a kernel takes. Where they do not fall to the
/// chips evenly, each chip has all.
std::vector<HeadPart> head_parts(const LlamaConfig& config, std::int64_t chips = 1);

struct LlamaOptions {
  std::int64_t context = 0;  // tokens that the caches have room for; 0: as many as the model knows positions
  std::int64_t chips = 1;    // 1, 2, 4 or 8, which share heads, columns and words
  // Chips whose weights are read, where each rank has some of them (tcp::ranks); 0 chips: all. The others' are zeros,
  // which go nowhere.
  std::int64_t first_chip = 0, chips_here = 0;
  std::int64_t sequences = 1;  // that the caches have room for, of `context` tokens each: what append_each takes
  std::function<void(std::int64_t done, std::int64_t of)> on_progress = {};  // layers whose weights are in HBM
};

class Llama {
 public:
  /// Uploads the weights. Refused, by throwing: sizes that a kernel refuses, and a context longer than the model's.
  Llama(Context& ctx, const Device& device, const LlamaConfig& config, const Checkpoint& weights, const LlamaOptions& options = {},
        Where at = std::source_location::current());

  const LlamaConfig& config() const { return config_; }
  std::int64_t context() const { return context_; }
  /// s: that the caches hold.
  std::int64_t tokens() const { return tokens_; }

  /// Forgets everything, and begins with these. The logits after the last.
  Logits prefill(std::span<const std::int64_t> ids);
  Logits decode(std::int64_t id);
  /// More tokens after those that are there: what both do. Refused, by throwing: none, more than there is room for,
  /// and ids that are no words.
  Logits append(std::span<const std::int64_t> ids);

  /// New tokens of some sequences in one step, prompts and single tokens side by side: every weight is read once for
  /// all of them. The logits after the last of each. Refused, by throwing: what append refuses, and a sequence that is
  /// not one of LlamaOptions::sequences, or comes twice.
  std::vector<Logits> append_each(std::span<const SequenceTokens> batch);
  /// Forgets a sequence: its place in the caches is free for another.
  void forget(std::int64_t sequence);
  std::int64_t sequences() const { return static_cast<std::int64_t>(tokens_of_.size()); }
  BatchModel batch_steps();

  LanguageModel steps();

 private:
  using PreparedLayer = Prepared<dyn::Tensor, dyn::Tensor, LayerTensors, KvCache, dyn::Tensor, LengthAtLaunch>;
  /// The kernels of a step of one token, for all places of it that need as many positions of a slice.
  struct PreparedStep {
    DecoderLayer layer;
    std::int64_t positions_of_slice;
    Prepared<dyn::Tensor, dyn::Tensor, dyn::Tensor> embed;
    PreparedLayer first_layer;                    // of what the embedding gives
    std::optional<PreparedLayer> other_layers{};  // of what a layer gives
    std::vector<Prepared<dyn::Tensor, dyn::Tensor, dyn::Tensor, dyn::Tensor>> heads{};
  };
  Logits append_one(std::int64_t id);
  PreparedStep prepared_step(const LlamaStep& step, const dyn::Tensor& number) const;
  /// The row of the table of rotations for the next token, in HBM.
  dyn::Tensor rotation(const Rope& rope) const;
  LengthAtLaunch in_hbm(const LengthOnHost& said) const;
  /// Weights, of all layers, that do not lie as these kernels want them.
  void load_layers(const DecoderLayer& kernels);
  /// Weights of norms as the kernel takes them: in f32 where the checkpoint counts from one.
  dyn::Tensor upload_norm(const std::vector<bf16>& values, const Mapping& axes, const Mapping& layout) const;
  bool has_local_layers() const;
  Mapping chip() const { return LlamaStep{.chips = chips_}.chip(); }
  void load_head();
  void make_caches(const DecoderLayer& kernels);
  dyn::Tensor upload(const std::vector<bf16>& values, const Mapping& axes, const Mapping& layout) const;
  dyn::Tensor upload(std::shared_ptr<const Image> elements, const Mapping& axes, const Mapping& layout) const;
  void load_head_product();
  dyn::Tensor rotations_of(const LlamaStep& step, const Rope& rope, bool local) const;
  dyn::Tensor embedded(std::span<const std::int64_t> ids) const;
  dyn::Tensor number_of(std::int64_t id) const;
  Logits logits_of(const dyn::Tensor& x, std::int64_t rows) const;
  void put_logits(const HeadPart& part, const dyn::HostTensor& from, Logits& out) const;
  void cap(Logits& logits) const;

  Context& ctx_;
  Device device_;
  LlamaConfig config_;
  Checkpoint weights_;
  std::function<void(std::int64_t, std::int64_t)> on_progress_;
  std::int64_t context_, tokens_ = 0;
  std::int64_t chips_;
  ChipRange here_;
  std::optional<dyn::HostTensor> rotation_rows_{};
  std::optional<PreparedStep> prepared_{};
  std::vector<std::int64_t> tokens_of_;  // each sequence's
  dyn::Tensor embedding_, rotations_, local_rotations_, norm_;
  std::vector<dyn::Tensor> head_;  // one for each of head_parts
  std::vector<LayerTensors> layers_;
  std::vector<std::optional<Mapping>> lie_as_;  // each of layer_tensors, in all layers
  std::vector<KvCache> caches_;
};

}  // namespace tcp::kernels
