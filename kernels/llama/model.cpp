// Embedding, layers, and the head that gives logits, recorded and launched one after the other.
#include "kernels/llama/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/llama/configuration.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

constexpr ScalarType bf = ScalarType::bf16;

/// The last of some rows, by itself.
dyn::Tensor last_row(Context& ctx, const Device& device, const dyn::Tensor& x, std::int64_t rows, const Mapping& column) {
  if (rows == 1) return x;
  Mapping const row = dyn::axis("Of", rows), padded = column.pad(padded_columns(device, bf, column.size));
  auto const last = dyn::Tensor::hbm(ctx, bf, x.levels()[Level::chip], padded);
  dyn::dma(ctx.tdma, x.reshape(dyn::map(row, padded)).tile(row, 1, rows - 1).reshape(dyn::map(dyn::one.pad(rows), padded)), last);
  return last;
}

/// The number of chips is a constant of a launch.
template <class Kernel, class... Args>
dyn::Tensor launched(std::int64_t chips, const Kernel& kernel, Context& ctx, const Args&... args) {
  switch (chips) {
    case 1: return launch(kernel, ctx, args...).get();
    case 2: return launch<2>(kernel, ctx, args...).get();
    case 4: return launch<4>(kernel, ctx, args...).get();
    case 8: return launch<8>(kernel, ctx, args...).get();
    default: break;
  }
  throw Refused(refuse("llama-chips")
                    .what("a model over ", chips, " chips")
                    .why("the chips of a machine work in groups of 1, 2, 4 or 8")
                    .help("take 1, 2, 4 or 8"));
}

}  // namespace

std::vector<HeadPart> head_parts(const LlamaConfig& config, std::int64_t chips) {
  constexpr std::int64_t longest = 131072;  // columns of a product
  std::int64_t const all = config.vocabulary % chips == 0 ? config.vocabulary / chips : config.vocabulary;
  std::int64_t const parts = ceil_div(all, longest), each = ceil_div(all, parts);
  std::vector<HeadPart> out;
  for (std::int64_t first = 0; first < all; first += each) out.push_back({first, std::min(each, all - first)});
  return out;
}

LlamaHead::LlamaHead(const Device& device, const LlamaConfig& config, std::int64_t rows, std::int64_t words, Where at)
    : device_(device),
      rows_(rows),
      norm_(device, 1, config.hidden, static_cast<float>(config.norm_epsilon), at),
      product_(device, bf, 1, words == 0 ? config.vocabulary : words, config.hidden, at) {}

dyn::Tensor LlamaHead::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& weight) const {
  return product_(ctx, norm_(ctx, last_row(ctx, device_, x, rows_, norm_.column()), norm), weight);
}

Llama::Llama(Context& ctx, const Device& device, const LlamaConfig& config, const Checkpoint& weights, const LlamaOptions& options,
             Where at)
    : ctx_(ctx),
      device_(device),
      config_(config),
      weights_(weights),
      on_progress_(options.on_progress),
      context_(options.context == 0 ? config.positions : options.context),
      chips_(options.chips),
      here_(options.chips_here == 0 ? ChipRange{0, options.chips} : ChipRange{options.first_chip, options.first_chip + options.chips_here}),
      tokens_of_(static_cast<std::size_t>(options.sequences), 0),
      layers_(static_cast<std::size_t>(config.layers)),
      lie_as_(layer_tensor_count) {
  DecoderLayer const kernels(device_, config, {.capacity = context_, .chips = chips_}, at);
  load_layers(kernels);
  load_head();
  make_caches(DecoderLayer(device_, config, {.capacity = context_, .sequences = options.sequences, .chips = chips_}, at));
  Rope const& rope = kernels.attention().rope();
  auto const table = [&](bool local) {
    return rotation_table(rope.sizes().positions, rope_frequencies(config, local)).to_hbm(ctx.pdma, chip(), rope.table_layout());
  };
  rotations_ = table(false);
  local_rotations_ = config.local_rope_theta > 0 ? table(true) : rotations_;
}
/// A window that is longer than the caches is none.
bool Llama::has_local_layers() const {
  return std::find(config_.local.begin(), config_.local.end(), true) != config_.local.end() && config_.window < context_;
}

dyn::Tensor Llama::upload_norm(const std::vector<bf16>& values, const Mapping& axes, const Mapping& layout) const {
  if (!config_.norms_from_one) return upload(values, axes, layout);
  dyn::HostTensor host(ScalarType::f32, axes);
  TCP_BUG_UNLESS(host.size() == values.size(), "a weight is not as large as its kernel");
  for (std::size_t i = 0; i < values.size(); ++i) host.data<f32>()[i] = f32::from_float(1.0f + values[i].to_float());
  return host.to_hbm(ctx_.pdma, chip(), layout);
}

dyn::Tensor Llama::upload(const std::vector<bf16>& values, const Mapping& axes, const Mapping& layout) const {
  dyn::HostTensor host(bf, axes);
  TCP_BUG_UNLESS(host.size() == values.size(), "a weight is not as large as its kernel");
  std::copy(values.begin(), values.end(), host.data<bf16>());
  return host.to_hbm(ctx_.pdma, chip(), layout);
}
void Llama::load_layers(const DecoderLayer& kernels) {
  std::vector<LayerTensor> wanted;
  for (LayerTensor which : layer_tensors_of(config_)) {
    Mapping const layout = kernels.weight_layout(which);
    std::optional<Mapping>& lies = lie_as_[static_cast<std::size_t>(which)];
    if (lies && *lies == layout) continue;
    lies = layout;
    wanted.push_back(which);
  }
  for (std::int64_t layer = 0; layer < config_.layers && !wanted.empty(); ++layer) {
    LayerTensors& tensors = layers_[static_cast<std::size_t>(layer)];
    for (LayerTensor which : wanted) {
      auto const values = weights_.read(which, layer, chips_, here_);
      Mapping const axes = kernels.weight_axes(which), layout = kernels.weight_layout(which);
      tensors[which] = is_norm(which) ? upload_norm(values, axes, layout) : upload(values, axes, layout);
    }
    if (on_progress_) on_progress_(layer + 1, config_.layers);
  }
  if (config_.experts == 0) return;
  // How many numbers there are depends on the tokens of the step.
  auto const numbers = kernels.experts().numbers().to_hbm(ctx_.pdma, dyn::one, kernels.experts().numbers_layout());
  for (LayerTensors& tensors : layers_) tensors.numbers = numbers;
}
void Llama::make_caches(const DecoderLayer& kernels) {
  // Whatever a cache holds beyond its tokens is never looked at; zeros are as good as anything.
  dyn::HostTensor const empty(bf, kernels.cache_layout());
  for (std::int64_t i = 0; i < config_.layers; ++i)
    caches_.push_back({empty.to_hbm(ctx_.pdma, chip(), kernels.cache_layout()), empty.to_hbm(ctx_.pdma, chip(), kernels.cache_layout())});
}
void Llama::load_head() {
  RmsNorm const norm(device_, 1, config_.hidden, static_cast<float>(config_.norm_epsilon));
  Mapping const words = dyn::axis("Words", config_.vocabulary), hidden = dyn::axis("Hidden", config_.hidden);
  auto words_of = weights_.read(ModelWeight::embedding);
  if (config_.embedding_scale != 1)
    for (bf16& each : words_of) each = bf16::from_float(each.to_float() * static_cast<float>(config_.embedding_scale));
  embedding_ = upload(words_of, dyn::map(words, hidden), rows_layout(device_, bf, words, hidden));
  norm_ = upload_norm(weights_.read(ModelWeight::norm), norm.column(), norm.column_layout());
  words_of = weights_.read(ModelWeight::lm_head);
  bool const shared = config_.vocabulary % chips_ == 0;
  for (const HeadPart& part : head_parts(config_, chips_)) {
    LlamaHead const head(device_, config_, 1, part.words);
    std::vector<bf16> rows;
    for (std::int64_t c = 0; c < (shared ? chips_ : 1); ++c) {
      auto const from = words_of.begin() + (c * (config_.vocabulary / chips_) + part.first) * config_.hidden;
      rows.insert(rows.end(), from, from + part.words * config_.hidden);
    }
    Mapping const n = head.product().n(), k = head.product().k();
    head_.push_back(upload(rows, shared ? dyn::map(chip(), n, k) : dyn::map(n, k), head.product().b_layout()));
  }
}

dyn::Tensor Llama::embedded(std::span<const std::int64_t> ids) const {
  Embedding const embed(device_, static_cast<std::int64_t>(ids.size()), config_.vocabulary, config_.hidden);
  dyn::HostTensor numbers(ScalarType::i32, embed.numbers_layout());
  for (std::size_t i = 0; i < ids.size(); ++i) numbers.data<i32>()[i] = i32::from_int(ids[i]);
  Mapping const same = chips_ == 1 ? dyn::one : dyn::map(chips_);  // on all chips
  return launched(chips_, embed, ctx_, embedding_, numbers.to_hbm(ctx_.pdma, same, embed.numbers_layout()));
}

Logits Llama::logits_of(const dyn::Tensor& x, std::int64_t rows) const {
  Logits out(static_cast<std::size_t>(config_.vocabulary));
  auto const parts = head_parts(config_, chips_);
  bool const shared = config_.vocabulary % chips_ == 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    LlamaHead const head(device_, config_, rows, parts[p].words);
    auto const host = launched(chips_, head, ctx_, x, norm_, head_[p]).to_host(ctx_.pdma, dyn::map(chip(), head.product().n()));
    for (std::int64_t c = 0; c < (shared ? chips_ : 1); ++c)
      for (std::int64_t i = 0; i < parts[p].words; ++i)
        out[static_cast<std::size_t>(c * (config_.vocabulary / chips_) + parts[p].first + i)] =
            host.data<bf16>()[c * parts[p].words + i].to_float();
  }
  if (auto const cap = static_cast<float>(config_.logit_cap); cap > 0)  // where they are sampled
    for (float& each : out) each = cap * std::tanh(each / cap);
  return out;
}

dyn::Tensor Llama::rotations_of(const LlamaStep& step, const Rope& rope, bool local) const {
  auto const all = rotation_table(context_, rope_frequencies(config_, local));
  std::int64_t const each = 4 * config_.pairs();
  dyn::HostTensor rows(bf, dyn::map(rope.position(), rope.pair(), rope.from(), rope.to()));
  std::int64_t row = 0;
  for (const SequencePart& part : step.parts)
    for (std::int64_t i = 0; i < part.tokens; ++i, ++row)
      std::copy_n(all.data<bf16>() + (part.past + i) * each, each, rows.data<bf16>() + row * each);
  return rows.to_hbm(ctx_.pdma, chip(), rope.table_layout());
}
std::vector<Logits> Llama::append_each(std::span<const SequenceTokens> batch) {
  LlamaStep step{.capacity = context_, .sequences = sequences(), .chips = chips_};
  std::vector<std::int64_t> ids;
  for (const SequenceTokens& each : batch) {
    if (auto v = check_ids(each.ids, config_.vocabulary); !v) throw Refused(v.refusal());
    bool const there = each.sequence >= 0 && each.sequence < sequences();
    std::int64_t const past = there ? tokens_of_[static_cast<std::size_t>(each.sequence)] : 0;
    step.parts.push_back({each.sequence, static_cast<std::int64_t>(each.ids.size()), past});
    ids.insert(ids.end(), each.ids.begin(), each.ids.end());
  }
  if (batch.empty()) return {};
  throw_if_refused(check_step(config_, step));
  DecoderLayer const layer(device_, config_, step);
  LlamaStep local_step = step;
  local_step.local = true;
  std::optional<DecoderLayer> local;
  if (has_local_layers()) local.emplace(device_, config_, local_step);
  load_layers(layer);
  dyn::Tensor const turned = rotations_of(step, layer.attention().rope(), false);
  dyn::Tensor const turned_locally = config_.local_rope_theta > 0 ? rotations_of(step, layer.attention().rope(), true) : turned;
  dyn::Tensor x = embedded(ids);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    bool const is_local = config_.is_local(static_cast<std::int64_t>(i));
    x = launched(chips_, local && is_local ? *local : layer, ctx_, x, layers_[i], caches_[i], is_local ? turned_locally : turned);
  }
  std::vector<Logits> out;
  std::int64_t end = 0;
  for (const SequencePart& part : step.parts) {
    end += part.tokens;
    tokens_of_[static_cast<std::size_t>(part.sequence)] += part.tokens;
    auto const last = [&](Context& ctx, const dyn::Tensor& rows) { return rows_of(ctx, rows, {step.rows(), config_.hidden, end - 1, 1}); };
    out.push_back(logits_of(step.rows() == 1 ? x : launched(chips_, last, ctx_, x), 1));
  }
  return out;
}
void Llama::forget(std::int64_t sequence) { tokens_of_.at(static_cast<std::size_t>(sequence)) = 0; }
BatchModel Llama::batch_steps() {
  return {config_.vocabulary, context_, sequences(), [this](std::span<const SequenceTokens> batch) { return append_each(batch); },
          [this](std::int64_t sequence) { forget(sequence); }};
}

Logits Llama::append(std::span<const std::int64_t> ids) {
  if (auto v = check_ids(ids, config_.vocabulary); !v) throw Refused(v.refusal());
  LlamaStep const step{.tokens = static_cast<std::int64_t>(ids.size()), .past = tokens_, .capacity = context_, .chips = chips_};
  DecoderLayer const layer(device_, config_, step);
  LlamaStep local_step = step;
  local_step.local = true;
  std::optional<DecoderLayer> local;
  if (has_local_layers()) local.emplace(device_, config_, local_step);
  load_layers(layer);
  dyn::Tensor x = embedded(ids);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    bool const is_local = config_.is_local(static_cast<std::int64_t>(i));
    x = launched(chips_, local && is_local ? *local : layer, ctx_, x, layers_[i], caches_[i], is_local ? local_rotations_ : rotations_);
  }
  tokens_ += step.tokens;
  return logits_of(x, step.tokens);
}
Logits Llama::prefill(std::span<const std::int64_t> ids) {
  tokens_ = 0;
  return append(ids);
}
Logits Llama::decode(std::int64_t id) { return append(std::array{id}); }

LanguageModel Llama::steps() {
  return {config_.vocabulary, context_, [this](std::span<const std::int64_t> ids) { return prefill(ids); },
          [this](std::int64_t id) { return decode(id); }};
}

}  // namespace tcp::kernels
