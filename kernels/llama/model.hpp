// Llama 3 on a device: weights and caches of keys and values in HBM, prefill and decode as launches, a layer each.
//
//   auto const config = value_or_throw(kernels::read_llama_config("model/config.json"));
//   auto const weights = value_or_throw(kernels::Checkpoint::open("model", config));
//   kernels::Llama llama(ctx, rngd, config, weights, {.context = 512});
//   auto const answer = value_or_throw(kernels::generate(llama.steps(), prompt, {.most = 20}));
//
// Prefill and decode are one: both append tokens to what the caches hold, many or one. What a step computes does not
// depend on how the tokens before it came in, up to the rounding of bf16. The kernels of a step are recorded for the
// first layer, and serve the others and later steps of the same shape: where a single token is comes with each launch.
// Run time only.
#pragma once

#include <functional>
#include <memory>
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
  using Lengths = std::vector<LengthAtLaunch>;
  using PreparedLayer = Prepared<dyn::Tensor, dyn::Tensor, LayerTensors, KvCache, dyn::Tensor, Lengths>;
  /// A layer's kernel, recorded for the first layer that it computes.
  struct LayerKernel {
    DecoderLayer layer;
    std::optional<PreparedLayer> after_embedding{}, after_layer{};
  };
  /// The kernels of a step, for all steps that are like it.
  struct StepKernels {
    LlamaStep step;
    LayerKernel layer;
    std::optional<LayerKernel> local{};  // of layers with a window
    std::optional<Prepared<dyn::Tensor, dyn::Tensor, dyn::Tensor>> embed{};
    std::vector<Prepared<dyn::Tensor, dyn::Tensor>> last_rows{};  // of each sequence of several
    std::vector<Prepared<dyn::Tensor, dyn::Tensor, dyn::Tensor, dyn::Tensor>> heads{};

    bool serve(const LlamaStep& other) const;
  };
  /// Rotations, and where single tokens are, which the step's kernels do not say.
  struct Positions {
    dyn::Tensor rotations, local_rotations;
    Lengths lengths{}, local_lengths{};
  };
  /// Those of a step like this one that was computed not long ago, or new ones.
  StepKernels& kernels_of(const LlamaStep& step);
  Positions positions_of(const StepKernels& kernels, const LlamaStep& step) const;
  /// What the last layer gives.
  dyn::Tensor run(StepKernels& kernels, std::span<const std::int64_t> ids, const Positions& at);
  dyn::Tensor run(LayerKernel& kernel, std::size_t layer, const dyn::Tensor& x, const dyn::Tensor& rotations, const Lengths& lengths);
  Lengths in_hbm(const std::vector<LengthOnHost>& said) const;
  /// Weights, of all layers, that do not lie as these kernels want them.
  void load_layers(const DecoderLayer& kernels);
  /// Weights of norms as the kernel takes them: in f32 where the checkpoint counts from one.
  dyn::Tensor upload_norm(const std::vector<bf16>& values, const Mapping& axes, const Mapping& layout) const;
  bool has_local_layers() const;
  Mapping chip() const { return LlamaStep{.chips = chips_}.chip(); }
  Mapping chip_of_x() const { return kernels::chip_of_x(config_, {.chips = chips_}); }
  /// Copies, and no axis: how chips have what is alike on all of them, and what a look-up takes its rows from.
  Mapping on_all_chips() const { return chips_ == 1 ? dyn::one : dyn::map(chips_); }
  void load_head();
  void make_caches(const DecoderLayer& kernels);
  dyn::Tensor upload(const std::vector<bf16>& values, const Mapping& axes, const Mapping& chip, const Mapping& layout) const;
  dyn::Tensor upload(std::shared_ptr<const Image> elements, const Mapping& axes, const Mapping& chip, const Mapping& layout) const;
  void load_head_product();
  /// The rows of the table of rotations for these tokens.
  dyn::Tensor rotations_of(std::span<const SequencePart> parts, const Rope& rope, bool local) const;
  dyn::Tensor embedded(StepKernels& kernels, std::span<const std::int64_t> ids);
  Logits logits_of(StepKernels& kernels, const dyn::Tensor& x, std::int64_t rows);
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
  std::optional<dyn::HostTensor> rotation_rows_{}, local_rotation_rows_{};
  std::vector<std::unique_ptr<StepKernels>> kernels_{};  // the last one used is the last
  std::vector<std::int64_t> tokens_of_;                  // each sequence's
  dyn::Tensor embedding_, rotations_, local_rotations_, norm_;
  std::vector<dyn::Tensor> head_;  // one for each of head_parts
  std::vector<LayerTensors> layers_;
  std::vector<std::optional<Mapping>> lie_as_;  // each of layer_tensors, in all layers
  std::vector<KvCache> caches_;
};

}  // namespace tcp::kernels
