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

/// The number of chips is a constant of a recording.
template <class Kernel, class... Args>
auto prepared(std::int64_t chips, const Kernel& kernel, Context& ctx, const Args&... args) {
  switch (chips) {
    case 1: return prepare(kernel, ctx, args...);
    case 2: return prepare<2>(kernel, ctx, args...);
    case 4: return prepare<4>(kernel, ctx, args...);
    case 8: return prepare<8>(kernel, ctx, args...);
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
  return product_(ctx, over_chips_of(weight, norm_(ctx, last_row(ctx, device_, x, rows_, norm_.column()), norm)), weight);
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
  auto const table = [&](bool local) { return rotation_table(rope.sizes().positions, rope_frequencies(config, local)); };
  auto const uploaded = [&](const dyn::HostTensor& rows) { return rows.to_hbm(ctx.pdma, chip(), rope.table_layout()); };
  rotation_rows_ = table(false);
  rotations_ = local_rotations_ = uploaded(*rotation_rows_);
  if (config.local_rope_theta > 0) local_rotations_ = uploaded(local_rotation_rows_.emplace(table(true)));
}
/// A window that is longer than the caches is none.
bool Llama::has_local_layers() const {
  return std::find(config_.local.begin(), config_.local.end(), true) != config_.local.end() && config_.window < context_;
}

dyn::Tensor Llama::upload_norm(const std::vector<bf16>& values, const Mapping& axes, const Mapping& layout) const {
  if (!config_.norms_from_one) return upload(values, axes, chip_of_x(), layout);
  dyn::HostTensor host(ScalarType::f32, axes);
  TCP_BUG_UNLESS(host.size() == values.size(), "a weight is not as large as its kernel");
  for (std::size_t i = 0; i < values.size(); ++i) host.data<f32>()[i] = f32::from_float(1.0f + values[i].to_float());
  return host.to_hbm(ctx_.pdma, chip_of_x(), layout);
}

dyn::Tensor Llama::upload(const std::vector<bf16>& values, const Mapping& axes, const Mapping& chip, const Mapping& layout) const {
  dyn::HostTensor host(bf, axes);
  TCP_BUG_UNLESS(host.size() == values.size(), "a weight is not as large as its kernel");
  std::copy(values.begin(), values.end(), host.data<bf16>());
  return host.to_hbm(ctx_.pdma, chip, layout);
}
dyn::Tensor Llama::upload(std::shared_ptr<const Image> elements, const Mapping& axes, const Mapping& chip, const Mapping& layout) const {
  return dyn::to_hbm(ctx_.pdma, std::move(elements), bf, axes, chip, layout);
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
      Mapping const axes = kernels.weight_axes(which), layout = kernels.weight_layout(which);
      tensors[which] = is_norm(which) && config_.norms_from_one
                           ? upload_norm(weights_.read(which, layer, chips_, here_), axes, layout)
                           : upload(weights_.image(which, layer, chips_, here_), axes, kernels.chip_of(which), layout);
    }
    if (on_progress_) on_progress_(layer + 1, config_.layers);
  }
  if (config_.experts == 0) return;
  // How many numbers there are depends on the tokens of the step.
  auto const numbers = kernels.experts().numbers().to_hbm(ctx_.pdma, on_all_chips(), kernels.experts().numbers_layout());
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
  Mapping const all = dyn::map(words, hidden), layout = rows_layout(device_, bf, words, hidden);
  if (config_.embedding_scale == 1) {
    embedding_ = upload(weights_.image(ModelWeight::embedding), all, chip_of_x(), layout);
  } else {
    auto scaled = weights_.read(ModelWeight::embedding);
    for (bf16& each : scaled) each = bf16::from_float(each.to_float() * static_cast<float>(config_.embedding_scale));
    embedding_ = upload(scaled, all, chip_of_x(), layout);
  }
  norm_ = upload_norm(weights_.read(ModelWeight::norm), norm.column(), norm.column_layout());
  load_head_product();
}
void Llama::load_head_product() {
  bool const shared = config_.vocabulary % chips_ == 0;
  auto const parts = head_parts(config_, chips_);
  if (parts.size() == 1) {  // all of it, whatever the chips share
    LlamaHead const head(device_, config_, 1, parts[0].words);
    Mapping const n = head.product().n(), k = head.product().k();
    head_.push_back(
        upload(weights_.image(ModelWeight::lm_head), shared ? dyn::map(chip(), n, k) : dyn::map(n, k), chip(), head.product().b_layout()));
    return;
  }
  auto const words_of = weights_.read(ModelWeight::lm_head);
  for (const HeadPart& part : parts) {
    LlamaHead const head(device_, config_, 1, part.words);
    std::vector<bf16> rows;
    for (std::int64_t c = 0; c < (shared ? chips_ : 1); ++c) {
      auto const from = words_of.begin() + (c * (config_.vocabulary / chips_) + part.first) * config_.hidden;
      rows.insert(rows.end(), from, from + part.words * config_.hidden);
    }
    Mapping const n = head.product().n(), k = head.product().k();
    head_.push_back(upload(rows, shared ? dyn::map(chip(), n, k) : dyn::map(n, k), chip(), head.product().b_layout()));
  }
}

dyn::Tensor Llama::embedded(StepKernels& kernels, std::span<const std::int64_t> ids) {
  Embedding const embed(device_, static_cast<std::int64_t>(ids.size()), config_.vocabulary, config_.hidden);
  dyn::HostTensor host(ScalarType::i32, embed.numbers_layout());
  for (std::size_t i = 0; i < ids.size(); ++i) host.data<i32>()[i] = i32::from_int(ids[i]);
  dyn::Tensor const numbers = host.to_hbm(ctx_.pdma, on_all_chips(), embed.numbers_layout());
  if (!kernels.embed) kernels.embed = prepared(chips_, embed, ctx_, embedding_, numbers);
  return kernels.embed->launch(embedding_, numbers).get();
}

Logits Llama::logits_of(StepKernels& kernels, const dyn::Tensor& x, std::int64_t rows) {
  Logits out(static_cast<std::size_t>(config_.vocabulary));
  auto const parts = head_parts(config_, chips_);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (p == kernels.heads.size())
      kernels.heads.push_back(prepared(chips_, LlamaHead(device_, config_, rows, parts[p].words), ctx_, x, norm_, head_[p]));
    Mapping const words = dyn::map(chip(), dyn::axis("N", parts[p].words));
    put_logits(parts[p], kernels.heads[p].launch(x, norm_, head_[p]).get().to_host(ctx_.pdma, words), out);
  }
  cap(out);
  return out;
}
void Llama::put_logits(const HeadPart& part, const dyn::HostTensor& from, Logits& out) const {
  bool const shared = config_.vocabulary % chips_ == 0;
  for (std::int64_t c = 0; c < (shared ? chips_ : 1); ++c)
    for (std::int64_t i = 0; i < part.words; ++i)
      out[static_cast<std::size_t>(c * (config_.vocabulary / chips_) + part.first + i)] = from.data<bf16>()[c * part.words + i].to_float();
}
void Llama::cap(Logits& logits) const {
  if (auto const most = static_cast<float>(config_.logit_cap); most > 0)  // where they are sampled
    for (float& each : logits) each = most * std::tanh(each / most);
}

bool Llama::StepKernels::serve(const LlamaStep& other) const {
  LlamaStep in_window = other;
  in_window.local = true;
  return layer.layer.attention().serves(other) && (!local || local->layer.attention().serves(in_window));
}
Llama::StepKernels& Llama::kernels_of(const LlamaStep& step) {
  constexpr std::size_t most = 4;
  auto at = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& kept) { return kept->serve(step); });
  if (at != kernels_.end()) {
    std::rotate(at, at + 1, kernels_.end());
    return *kernels_.back();
  }
  if (kernels_.size() == most) kernels_.erase(kernels_.begin());
  auto made = std::make_unique<StepKernels>(StepKernels{step, {DecoderLayer(device_, config_, step)}});
  LlamaStep local = step;
  local.local = true;
  if (has_local_layers()) made->local.emplace(LayerKernel{DecoderLayer(device_, config_, local)});
  kernels_.push_back(std::move(made));
  return *kernels_.back();
}

Llama::Lengths Llama::in_hbm(const std::vector<LengthOnHost>& said) const {
  auto const up = [&](const dyn::HostTensor& host) { return host.to_hbm(ctx_.pdma, chip(), host.element()); };
  Lengths all;
  for (const LengthOnHost& each : said)
    all.push_back({each.position.to_hbm(ctx_.pdma, on_all_chips(), each.position.element()), up(each.limit), up(each.keep),
                   each.from ? up(*each.from) : dyn::Tensor{}});
  return all;
}
Llama::Positions Llama::positions_of(const StepKernels& kernels, const LlamaStep& step) const {
  Positions at{rotations_, local_rotations_};
  if (!step.length_at_launch) return at;
  const AttentionBlock& attention = kernels.layer.layer.attention();
  std::vector<SequencePart> parts = step.parts;
  if (parts.empty()) parts.push_back({.past = step.past});
  at.rotations = rotations_of(parts, attention.rope(), false);
  at.local_rotations = local_rotation_rows_ ? rotations_of(parts, attention.rope(), true) : at.rotations;
  at.lengths = in_hbm(attention.said(step));
  at.local_lengths = kernels.local ? in_hbm(kernels.local->layer.attention().said(step)) : at.lengths;
  return at;
}

dyn::Tensor Llama::run(LayerKernel& kernel, std::size_t layer, const dyn::Tensor& x, const dyn::Tensor& rotations, const Lengths& lengths) {
  auto& ready = layer == 0 ? kernel.after_embedding : kernel.after_layer;
  if (!ready) ready = prepared(chips_, kernel.layer, ctx_, x, layers_[layer], caches_[layer], rotations, lengths);
  return ready->launch(x, layers_[layer], caches_[layer], rotations, lengths).get();
}
dyn::Tensor Llama::run(StepKernels& kernels, std::span<const std::int64_t> ids, const Positions& at) {
  load_layers(kernels.layer.layer);
  dyn::Tensor x = embedded(kernels, ids);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    bool const is_local = config_.is_local(static_cast<std::int64_t>(i));
    LayerKernel& kernel = kernels.local && is_local ? *kernels.local : kernels.layer;
    x = run(kernel, i, x, is_local ? at.local_rotations : at.rotations, is_local ? at.local_lengths : at.lengths);
  }
  return x;
}

dyn::Tensor Llama::rotations_of(std::span<const SequencePart> parts, const Rope& rope, bool local) const {
  const dyn::HostTensor& all = local && local_rotation_rows_ ? *local_rotation_rows_ : *rotation_rows_;
  std::int64_t const each = 4 * config_.pairs();
  dyn::HostTensor rows(bf, dyn::map(rope.position(), rope.pair(), rope.from(), rope.to()));
  std::int64_t row = 0;
  for (const SequencePart& part : parts)
    for (std::int64_t i = 0; i < part.tokens; ++i, ++row)
      std::copy_n(all.data<bf16>() + (part.past + i) * each, each, rows.data<bf16>() + row * each);
  return rows.to_hbm(ctx_.pdma, chip(), rope.table_layout());
}
std::vector<Logits> Llama::append_each(std::span<const SequenceTokens> batch) {
  LlamaStep step{.capacity = context_, .sequences = sequences(), .chips = chips_, .length_at_launch = true};
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
  StepKernels& kernels = kernels_of(step);
  dyn::Tensor const x = run(kernels, ids, positions_of(kernels, step));
  std::vector<Logits> out;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < step.parts.size(); ++i) {
    end += step.parts[i].tokens;
    tokens_of_[static_cast<std::size_t>(step.parts[i].sequence)] += step.parts[i].tokens;
    auto const last = [&](Context& ctx, const dyn::Tensor& rows) { return rows_of(ctx, rows, {step.rows(), config_.hidden, end - 1, 1}); };
    if (i == kernels.last_rows.size() && step.rows() > 1) kernels.last_rows.push_back(prepared(chips_, last, ctx_, x));
    out.push_back(logits_of(kernels, step.rows() == 1 ? x : kernels.last_rows[i].launch(x).get(), 1));
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
  LlamaStep const step{.tokens = static_cast<std::int64_t>(ids.size()),
                       .past = tokens_,
                       .capacity = context_,
                       .chips = chips_,
                       .length_at_launch = ids.size() == 1};
  throw_if_refused(check_step(config_, step));
  StepKernels& kernels = kernels_of(step);
  dyn::Tensor const x = run(kernels, ids, positions_of(kernels, step));
  tokens_ += step.tokens;
  return logits_of(kernels, x, step.tokens);
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
