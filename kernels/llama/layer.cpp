// One layer, as a sequence of kernels: attention with its norm and caches, then the multi-layer perceptron with its
// norm.
#include "kernels/llama/layer.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

constexpr ScalarType bf = ScalarType::bf16;
constexpr std::int64_t bytes = 2;  // of a bf16

Gemm product_of(const Device& device, const LlamaConfig& share, const LlamaStep& step, LayerTensor which, Where at) {
  WeightShape const w = shape_of(share, which);
  return {device, bf, step.rows(), w.rows, w.columns, at};
}
RmsNorm norm_of(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at) {
  return {device, step.rows(), config.hidden, static_cast<float>(config.norm_epsilon), at};
}
/// The table has all positions; several sequences have a row of it each, and so has one whose length is not known yet.
Rope rope_of(const Device& device, const LlamaConfig& share, const LlamaStep& step, std::int64_t heads, Where at) {
  bool const one = step.sequences == 1 && step.parts.empty() && !step.length_at_launch;
  return {device,
          {.tokens = step.rows(),
           .heads = heads,
           .head = share.head_dim,
           .positions = one ? step.capacity : step.rows(),
           .start = one ? step.past : 0},
          at};
}
AttentionSizes sizes_of(const LlamaConfig& share, const LlamaStep& step) {
  return {.q_heads = share.heads,
          .kv_heads = share.kv_heads,
          .head_dim = share.head_dim,
          .capacity = step.capacity,
          .sequences = step.sequences,
          .window = step.local && share.window < step.capacity ? share.window : 0,
          .scale = static_cast<float>(share.attention_scale),
          .cap = static_cast<float>(share.score_cap)};
}
LlamaStep checked(const LlamaConfig& config, const LlamaStep& step, Where at) {
  throw_if_refused(check_step(config, step, at));
  return step;
}
/// A matrix goes through HBM once, and each of its elements is multiplied with every row.
Work work_of(const Gemm& product) {
  std::int64_t const elements = product.n().size * product.k().size;
  return {.multiply_adds = product.m().size * elements, .hbm_bytes = elements * bytes};
}
Work through_hbm(std::int64_t elements) { return {.hbm_bytes = elements * bytes}; }

}  // namespace

static Verdict check_parts(const LlamaStep& s, Where at) {
  std::vector<bool> seen(static_cast<std::size_t>(std::max<std::int64_t>(s.sequences, 0)), false);
  for (const SequencePart& p : s.parts) {
    bool const there = p.sequence >= 0 && p.sequence < s.sequences, twice = there && seen[static_cast<std::size_t>(p.sequence)];
    if (there && !twice && p.tokens >= 1 && p.past >= 0 && p.tokens <= s.capacity - p.past) {
      seen[static_cast<std::size_t>(p.sequence)] = true;
      continue;
    }
    return refuse("llama-step", at)
        .what(p.tokens, " new tokens after ", p.past, " of sequence ", p.sequence, ", in caches for ", s.sequences, " sequences of ",
              s.capacity)
        .why("each sequence has a place of its own in the caches, and comes once in a step, with one token at least")
        .help(twice ? "give all of its tokens at once" : "give sequences from 0 on, and room for their tokens");
  }
  return accept();
}

Mapping chip_of_x(const LlamaConfig& config, const LlamaStep& step) {
  return config.experts > 0 && step.chips > 1 ? dyn::map(step.chips) : step.chip();
}

Verdict check_step(const LlamaConfig& c, const LlamaStep& s, Where at) {
  auto const refused = [&](const char* why, const char* help) {
    return refuse("llama-step", at)
        .what(s.sequences, " sequences of ", s.tokens, " new tokens after ", s.past, ", in caches for ", s.capacity, ", over ", s.chips,
              " chips")
        .why(why)
        .help(help);
  };
  if (s.tokens < 1 || s.sequences < 1 || s.past < 0) return refused("a step computes at least one token", "give it one");
  if (s.capacity > c.positions)
    return refuse("llama-step", at)
        .what("there is room for ", s.capacity, " tokens in the caches, and the model knows ", c.positions, " positions")
        .why(
            "it was trained with as many positions as max_position_embeddings in config.json says, and what it does after these is not "
            "defined")
        .help("ask for a context of at most ", c.positions);
  if (s.tokens > s.capacity - s.past)
    return refused("the keys and values of every token are kept", "make the caches larger, or the context shorter");
  if (s.length_at_launch && s.parts.empty() && (s.tokens > 1 || s.sequences > 1))
    return refused("a length that comes with the launch is that of one sequence, which grows by one token",
                   "give the sequences by themselves: LlamaStep::parts, or take one sequence and one token");
  if (s.tokens > 1 && s.sequences > 1)
    return refused("prompts differ in length", "give the tokens of each sequence by itself: LlamaStep::parts");
  if (auto v = check_parts(s, at); !v) return v;
  if (s.chips < 1 || c.heads % s.chips != 0 || c.kv_heads % s.chips != 0 || c.intermediate % s.chips != 0)
    return refused("each chip has as many heads, and as many columns of the feed-forward layer, as any other",
                   "take a number of chips that divides num_key_value_heads and intermediate_size");
  return accept();
}

namespace {

/// Some of the rows, in their place.
dyn::Tensor view_of_rows(const dyn::Tensor& all, const SomeRows& s) {
  std::int64_t const padded = all.levels()[Level::element].size / s.rows;
  Mapping const row = dyn::axis("Of", s.rows), some = dyn::axis("S", s.count), column = dyn::axis("C", s.columns).pad(padded);
  if (s.count == s.rows) return all.reshape(dyn::map(some, column));
  return all.reshape(dyn::map(row, column)).tile(row, s.count, s.first).reshape(dyn::map(some.pad(s.rows), column));
}

}  // namespace

dyn::Tensor rows_of(Context& ctx, const dyn::Tensor& all, const SomeRows& s) {
  if (s.count == s.rows) return all;
  std::int64_t const padded = all.levels()[Level::element].size / s.rows;
  Mapping const layout = dyn::map(dyn::axis("S", s.count), dyn::axis("C", s.columns).pad(padded));
  auto const out = dyn::Tensor::hbm(ctx, bf, all.levels()[Level::chip], layout);
  dyn::dma(ctx.tdma, view_of_rows(all, s), out.view_mut());
  return out;
}
void put_rows(Context& ctx, const dyn::Tensor& some, const dyn::Tensor& all, const SomeRows& s) {
  std::int64_t const padded = all.levels()[Level::element].size / s.rows;
  dyn::dma(ctx.tdma, some.reshape(dyn::map(dyn::axis("S", s.count), dyn::axis("C", s.columns).pad(padded))),
           view_of_rows(all, s).view_mut());
}

dyn::Tensor columns_of(Context& ctx, const Device& device, const dyn::Tensor& rows, std::int64_t columns, std::int64_t first,
                       std::int64_t count) {
  auto const mark = ctx.region("columns");
  std::int64_t const padded = padded_columns(device, bf, columns), row_count = rows.levels()[Level::element].size / padded;
  Mapping const row = dyn::axis("R", row_count), all = dyn::axis("C", columns), some = dyn::axis("D", count);
  auto const out = dyn::Tensor::hbm(ctx, bf, rows.levels()[Level::chip], rows_layout(device, bf, row, some));
  dyn::dma(ctx.tdma, rows.reshape(dyn::map(row, all.pad(padded))).tile(all, count, first).reshape(dyn::map(row, some.pad(padded))),
           out.view_mut());
  return out;
}

ResidualSum::ResidualSum(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at)
    : chip_(chip_of_x(config, step)), add_(device, step.rows(), config.hidden, at) {
  if (step.chips == 1) return;
  AllReduce const all(device, bf, step.chips, step.rows(), config.hidden, Moves::at_once, at);  // knows which parts divide better
  sum_.emplace(device, bf, step.chips, step.rows(), config.hidden, all.parts().split(), Moves::at_once, at);
}
dyn::Tensor ResidualSum::summed(Context& ctx, const dyn::Tensor& parts) const {
  if (!sum_) return parts;
  auto const sum = [&](Context& c) { return (*sum_)(c, parts).to_hbm_chips(c.tdma, chip_, sum_->parts().whole()); };
  return in_region(ctx, "sum over chips", sum);
}
dyn::Tensor ResidualSum::added(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& sum) const {
  return in_region(ctx, "residual", add_, x, sum);
}
Work ResidualSum::work() const { return {.pcie_bytes = sum_ ? 2 * sum_->work().pcie_bytes : 0}; }  // scattered, and gathered

AttentionBlock::AttentionBlock(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at)
    : device_(device),
      share_(share_of(config, checked(config, step, at).chips)),
      step_(step),
      sizes_(sizes_of(share_, step)),
      norm_(norm_of(device, config, step, at)),
      to_qkv_(product_of(device, share_, step, LayerTensor::qkv, at)),
      to_output_(product_of(device, share_, step, LayerTensor::output, at)),
      rope_query_(rope_of(device, share_, step, share_.heads, at)),
      rope_key_(rope_of(device, share_, step, share_.kv_heads, at)),
      add_(device, config, step, at) {
  if (config.qkv_bias) bias_.emplace(device, step.rows(), share_.query_columns() + 2 * share_.kv_columns(), at);
  auto const epsilon = static_cast<float>(config.norm_epsilon);
  if (config.head_norms) query_norm_.emplace(device, step.rows() * share_.heads, share_.head_dim, epsilon, at);
  if (config.head_norms) key_norm_.emplace(device, step.rows() * share_.kv_heads, share_.head_dim, epsilon, at);
  for (const SequencePart& part : step.parts) {
    OfPart& of = of_parts_.emplace_back();
    bool const at_launch = step.length_at_launch && part.tokens == 1;
    if (at_launch) of.token = DecodeAttention::with_length_at_launch(device, sizes_, part.past + 1, part.sequence, at);
    else of.prompt.emplace(device, sizes_, part.tokens, part.past, at);
  }
  if (!step.parts.empty()) return;
  if (step.tokens > 1) prefill_.emplace(device, sizes_, step.tokens, step.past, at);
  else if (step.length_at_launch) decode_ = DecodeAttention::with_length_at_launch(device, sizes_, step.past + 1, 0, at);
  else decode_.emplace(device, sizes_, std::vector<std::int64_t>(static_cast<std::size_t>(step.sequences), step.past + 1), at);
}

dyn::Tensor AttentionBlock::attended(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v, const KvCache& cache,
                                     const std::vector<LengthAtLaunch>& lengths) const {
  if (!of_parts_.empty()) return attended_by_parts(ctx, q, k, v, cache, lengths);
  if (step_.length_at_launch) return (*decode_)(ctx, q, k, v, cache.keys, cache.values, lengths.at(0));
  if (decode_) return (*decode_)(ctx, q, k, v, cache.keys, cache.values);
  append_to_cache(ctx, sizes_, k, step_.tokens, cache.keys, 0, step_.past);
  append_to_cache(ctx, sizes_, v, step_.tokens, cache.values, 0, step_.past);
  return (*prefill_)(ctx, q, cache.keys, cache.values);
}
/// Each sequence's rows are taken out, and what they attend to is put back in their places.
dyn::Tensor AttentionBlock::attended_by_parts(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v,
                                              const KvCache& cache, const std::vector<LengthAtLaunch>& lengths) const {
  std::int64_t const rows = step_.rows();
  auto const out = dyn::Tensor::hbm(ctx, bf, q.levels()[Level::chip], query_layout(device_, sizes_, rows));
  std::int64_t first = 0;
  std::size_t single = 0;
  for (std::size_t i = 0; i < of_parts_.size(); ++i) {
    const SequencePart& part = step_.parts[i];
    SomeRows const queries{rows, share_.query_columns(), first, part.tokens}, keys{rows, share_.kv_columns(), first, part.tokens};
    dyn::Tensor const own_q = rows_of(ctx, q, queries), own_k = rows_of(ctx, k, keys), own_v = rows_of(ctx, v, keys);
    first += part.tokens;
    if (const auto& token = of_parts_[i].token) {
      put_rows(ctx, (*token)(ctx, own_q, own_k, own_v, cache.keys, cache.values, lengths.at(single++)), out, queries);
      continue;
    }
    append_to_cache(ctx, sizes_, own_k, part.tokens, cache.keys, part.sequence, part.past);
    append_to_cache(ctx, sizes_, own_v, part.tokens, cache.values, part.sequence, part.past);
    put_rows(ctx, (*of_parts_[i].prompt)(ctx, own_q, cache.keys, cache.values, part.sequence), out, queries);
  }
  return out;
}
/// A head is a row of its own there, padded to whole units.
dyn::Tensor AttentionBlock::normed_heads(Context& ctx, const dyn::Tensor& rows, const RmsNorm& norm, std::int64_t heads,
                                         const dyn::Tensor& weight) const {
  auto const mark = ctx.region("norm of heads");
  Mapping const token = dyn::axis("T", step_.rows()), head = dyn::axis("H", heads), dim = dyn::axis("D", share_.head_dim);
  Mapping const side_by_side = rows_layout(device_, bf, token, dyn::map(head, dim)),
                apart = rows_layout(device_, bf, dyn::map(token, head), dim);
  if (side_by_side.size == apart.size) return norm(ctx, rows.reshape(apart), weight).reshape(side_by_side);
  Mapping const chip = rows.levels()[Level::chip];
  auto const taken_apart = dyn::Tensor::hbm(ctx, bf, chip, apart), together = dyn::Tensor::hbm(ctx, bf, chip, side_by_side);
  dyn::dma(ctx.tdma, rows.reshape(side_by_side), taken_apart.view_mut());
  dyn::dma(ctx.tdma, norm(ctx, taken_apart, weight).reshape(apart), together.view_mut());
  return together;
}
dyn::Tensor AttentionBlock::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& qkv,
                                       const dyn::Tensor& output, const KvCache& cache, const dyn::Tensor& rotations,
                                       const AttentionExtras& extras, const std::vector<LengthAtLaunch>& lengths) const {
  std::int64_t const q_columns = share_.query_columns(), kv_columns = share_.kv_columns(), all = q_columns + 2 * kv_columns;
  auto product =
      in_region(ctx, "queries, keys and values", to_qkv_, over_chips_of(qkv, in_region(ctx, "norm of attention", norm_, x, norm)), qkv);
  if (bias_) product = in_region(ctx, "bias", *bias_, product, extras.bias);
  auto q = columns_of(ctx, device_, product, all, 0, q_columns), k = columns_of(ctx, device_, product, all, q_columns, kv_columns);
  if (query_norm_) q = normed_heads(ctx, q, *query_norm_, share_.heads, extras.query_norm);
  if (key_norm_) k = normed_heads(ctx, k, *key_norm_, share_.kv_heads, extras.key_norm);
  q = in_region(ctx, "rope", rope_query_, q, rotations);
  k = in_region(ctx, "rope", rope_key_, k, rotations);
  auto const v = columns_of(ctx, device_, product, all, q_columns + kv_columns, kv_columns);
  auto const attend = [&](Context& c) { return attended(c, q, k, v, cache, lengths); };
  auto made = add_.summed(ctx, in_region(ctx, "output", to_output_, in_region(ctx, "attention", attend), output));
  if (extras.out_norm) made = in_region(ctx, "norm after attention", norm_, made, extras.out_norm);
  return add_.added(ctx, x, made);
}
bool AttentionBlock::serves(const LlamaStep& other) const {
  if (!other.length_at_launch) return other == step_;
  LlamaStep same_length = other;
  if (decode_) {
    same_length.past = step_.past;
    return same_length == step_ && decode_->serves(other.past + 1);
  }
  if (other.parts.size() != of_parts_.size()) return false;
  for (std::size_t i = 0; i < of_parts_.size(); ++i)
    if (const auto& token = of_parts_[i].token) {
      if (!token->serves(other.parts[i].past + 1)) return false;
      same_length.parts[i].past = step_.parts[i].past;
    }
  return same_length == step_;
}
std::vector<LengthOnHost> AttentionBlock::said(const LlamaStep& step) const {
  std::vector<LengthOnHost> all;
  if (decode_) all.push_back(decode_->said(step.past + 1));
  for (std::size_t i = 0; i < of_parts_.size(); ++i)
    if (const auto& token = of_parts_[i].token) all.push_back(token->said(step.parts[i].past + 1));
  return all;
}
Work AttentionBlock::work() const {
  std::int64_t tokens = step_.sequences * step_.past + step_.rows();
  for (const SequencePart& part : step_.parts) tokens += part.past;
  Work all = work_of(to_qkv_);
  all += work_of(to_output_);
  for (const OfPart& each : of_parts_) all.multiply_adds += (each.token ? each.token->work() : each.prompt->work()).multiply_adds;
  if (of_parts_.empty()) all.multiply_adds += (decode_ ? decode_->work() : prefill_->work()).multiply_adds;
  all += through_hbm(2 * tokens * share_.kv_columns() + 2 * step_.rows() * share_.hidden + share_.hidden);
  return all += add_.work();
}

FeedForward::FeedForward(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at)
    : device_(device),
      share_(share_of(config, checked(config, step, at).chips)),
      step_(step),
      norm_(norm_of(device, config, step, at)),
      to_ffn_(product_of(device, share_, step, LayerTensor::gate_up, at)),
      from_ffn_(product_of(device, share_, step, LayerTensor::down, at)),
      add_(device, config, step, at) {
  if (config.gelu) geglu_.emplace(device, step.rows(), share_.intermediate, at);
  else swiglu_.emplace(device, step.rows(), share_.intermediate, at);
}

dyn::Tensor FeedForward::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& gate_up,
                                    const dyn::Tensor& down, const dyn::Tensor& out_norm) const {
  std::int64_t const columns = share_.intermediate;
  auto const both = in_region(ctx, "gate and up", to_ffn_, in_region(ctx, "norm of feed-forward", norm_, x, norm), gate_up);
  auto const gate = columns_of(ctx, device_, both, 2 * columns, 0, columns),
             up = columns_of(ctx, device_, both, 2 * columns, columns, columns);
  auto const active = geglu_ ? in_region(ctx, "GeGLU", *geglu_, gate, up) : in_region(ctx, "SwiGLU", *swiglu_, gate, up);
  auto made = add_.summed(ctx, in_region(ctx, "down", from_ffn_, active, down));
  if (out_norm) made = in_region(ctx, "norm after feed-forward", norm_, made, out_norm);
  return add_.added(ctx, x, made);
}
Work FeedForward::work() const {
  Work all = work_of(to_ffn_);
  all += work_of(from_ffn_);
  all += through_hbm(2 * step_.rows() * share_.hidden + share_.hidden);
  return all += add_.work();
}

dyn::Tensor& LayerTensors::operator[](LayerTensor which) {
  dyn::Tensor* const all[] = {&attention_norm, &qkv,      &output,      &ffn_norm,  &gate_up,
                              &down,           &qkv_bias, &query_norm,  &key_norm,  &attention_out_norm,
                              &ffn_out_norm,   &router,   &expert_gate, &expert_up, &expert_down};
  static_assert(std::size(all) == layer_tensor_count);
  return *all[static_cast<int>(which)];
}

DecoderLayer::DecoderLayer(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at)
    : step_(step), chip_of_x_(kernels::chip_of_x(config, step)), attention_(device, config, step, at), add_(device, config, step, at) {
  if (config.experts == 0) feed_forward_.emplace(device, config, step, at);
  else
    experts_.emplace(device, step.rows(), config.hidden, share_of(config, step.chips).intermediate, config.experts,
                     config.experts_per_token, 0, at);
}

/// None: a norm, a bias, or of experts.
const Gemm* DecoderLayer::product(LayerTensor which) const {
  switch (which) {
    case LayerTensor::qkv: return &attention_.to_qkv();
    case LayerTensor::output: return &attention_.to_output();
    case LayerTensor::gate_up: return &feed_forward_->to_ffn();
    case LayerTensor::down: return &feed_forward_->from_ffn();
    default: return nullptr;
  }
}
Mapping DecoderLayer::weight_layout(LayerTensor which) const {
  switch (which) {
    case LayerTensor::qkv_bias: return attention_.bias()->column_layout();
    case LayerTensor::query_norm:
    case LayerTensor::key_norm: return attention_.query_norm()->column_layout();
    case LayerTensor::router: return experts_->router_layout();
    case LayerTensor::expert_gate:
    case LayerTensor::expert_up: return experts_->up_layout();
    case LayerTensor::expert_down: return experts_->down_layout();
    default: break;
  }
  const Gemm* const gemm = product(which);
  return gemm == nullptr ? attention_.norm().column_layout() : gemm->b_layout();
}
Mapping DecoderLayer::weight_axes(LayerTensor which) const {
  auto const of_experts = [&](const Gemm& gemm) { return dyn::map(chip(), experts_->expert(), gemm.n(), gemm.k()); };
  switch (which) {
    case LayerTensor::qkv_bias: return dyn::map(chip(), attention_.bias()->column());
    case LayerTensor::query_norm:
    case LayerTensor::key_norm: return attention_.query_norm()->column();
    case LayerTensor::router: return dyn::map(experts_->router().n(), experts_->router().k());
    case LayerTensor::expert_gate:
    case LayerTensor::expert_up: return of_experts(experts_->up());
    case LayerTensor::expert_down: return of_experts(experts_->down());
    default: break;
  }
  const Gemm* const gemm = product(which);
  return gemm == nullptr ? attention_.norm().column() : dyn::map(chip(), gemm->n(), gemm->k());
}

Mapping DecoderLayer::chip_of(LayerTensor which) const { return which == LayerTensor::router || is_norm(which) ? chip_of_x_ : chip(); }

dyn::Tensor DecoderLayer::operator()(Context& ctx, const dyn::Tensor& x, const LayerTensors& w, const KvCache& cache,
                                     const dyn::Tensor& rotations, const std::vector<LengthAtLaunch>& lengths) const {
  AttentionExtras const extras{w.qkv_bias, w.query_norm, w.key_norm, w.attention_out_norm};
  auto const attended = attention_(ctx, x, w.attention_norm, w.qkv, w.output, cache, rotations, extras, lengths);
  if (feed_forward_) return (*feed_forward_)(ctx, attended, w.ffn_norm, w.gate_up, w.down, w.ffn_out_norm);
  auto const normed = in_region(ctx, "norm of feed-forward", attention_.norm(), attended, w.ffn_norm);
  return add_(ctx, attended, in_region(ctx, "experts", *experts_, normed, w.router, w.expert_up, w.expert_down, w.numbers, w.expert_gate));
}
Work DecoderLayer::work() const {
  Work all = attention_.work();
  all += feed_forward_ ? feed_forward_->work() : experts_->work();
  all.hbm_bytes -= 2 * step_.rows() * attention_.norm().column().size * bytes;  // what lies between the two need not go there
  return all;
}

}  // namespace tcp::kernels
