// One layer, as a sequence of kernels: attention with its norm and caches, then the multi-layer perceptron with its
// norm.
#include "kernels/llama/layer.hpp"

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
/// The table has all positions; several sequences have a row of it each.
Rope rope_of(const Device& device, const LlamaConfig& share, const LlamaStep& step, std::int64_t heads, Where at) {
  bool const one = step.sequences == 1;
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
          .sequences = step.sequences};
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
  if (s.tokens > 1 && s.sequences > 1)
    return refused("a prompt is computed by itself: prompts differ in length", "prefill the sequences one after the other");
  if (s.chips < 1 || c.heads % s.chips != 0 || c.kv_heads % s.chips != 0 || c.intermediate % s.chips != 0)
    return refused("each chip has as many heads, and as many columns of the feed-forward layer, as any other",
                   "take a number of chips that divides num_key_value_heads and intermediate_size");
  return accept();
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
    : chip_(step.chip()), add_(device, step.rows(), config.hidden, at) {
  if (step.chips == 1) return;
  AllReduce const all(device, bf, step.chips, step.rows(), config.hidden, Moves::at_once, at);  // knows which parts divide better
  sum_.emplace(device, bf, step.chips, step.rows(), config.hidden, all.parts().split(), Moves::at_once, at);
}
dyn::Tensor ResidualSum::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& parts) const {
  auto const sum = [&](Context& c) { return sum_ ? (*sum_)(c, parts).to_hbm_chips(c.tdma, chip_, sum_->parts().whole()) : parts; };
  return in_region(ctx, "residual", add_, x, in_region(ctx, "sum over chips", sum));
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
  if (step.tokens > 1) prefill_.emplace(device, sizes_, step.tokens, step.past, at);
  else decode_.emplace(device, sizes_, std::vector<std::int64_t>(static_cast<std::size_t>(step.sequences), step.past + 1), at);
}

dyn::Tensor AttentionBlock::attended(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v,
                                     const KvCache& cache) const {
  if (decode_) return (*decode_)(ctx, q, k, v, cache.keys, cache.values);
  append_to_cache(ctx, sizes_, k, step_.tokens, cache.keys, 0, step_.past);
  append_to_cache(ctx, sizes_, v, step_.tokens, cache.values, 0, step_.past);
  return (*prefill_)(ctx, q, cache.keys, cache.values);
}
dyn::Tensor AttentionBlock::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& qkv,
                                       const dyn::Tensor& output, const KvCache& cache, const dyn::Tensor& rotations) const {
  std::int64_t const q_columns = share_.query_columns(), kv_columns = share_.kv_columns(), all = q_columns + 2 * kv_columns;
  auto const product = in_region(ctx, "queries, keys and values", to_qkv_, in_region(ctx, "norm of attention", norm_, x, norm), qkv);
  auto const q = in_region(ctx, "rope", rope_query_, columns_of(ctx, device_, product, all, 0, q_columns), rotations);
  auto const k = in_region(ctx, "rope", rope_key_, columns_of(ctx, device_, product, all, q_columns, kv_columns), rotations);
  auto const v = columns_of(ctx, device_, product, all, q_columns + kv_columns, kv_columns);
  auto const attend = [&](Context& c) { return attended(c, q, k, v, cache); };
  return add_(ctx, x, in_region(ctx, "output", to_output_, in_region(ctx, "attention", attend), output));
}
Work AttentionBlock::work() const {
  std::int64_t const tokens = step_.sequences * step_.past + step_.rows();
  Work all = work_of(to_qkv_);
  all += work_of(to_output_);
  all.multiply_adds += (decode_ ? decode_->work() : prefill_->work()).multiply_adds;
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
      activate_(device, step.rows(), share_.intermediate, at),
      add_(device, config, step, at) {}

dyn::Tensor FeedForward::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& gate_up,
                                    const dyn::Tensor& down) const {
  std::int64_t const columns = share_.intermediate;
  auto const both = in_region(ctx, "gate and up", to_ffn_, in_region(ctx, "norm of feed-forward", norm_, x, norm), gate_up);
  auto const gate = columns_of(ctx, device_, both, 2 * columns, 0, columns),
             up = columns_of(ctx, device_, both, 2 * columns, columns, columns);
  return add_(ctx, x, in_region(ctx, "down", from_ffn_, in_region(ctx, "SwiGLU", activate_, gate, up), down));
}
Work FeedForward::work() const {
  Work all = work_of(to_ffn_);
  all += work_of(from_ffn_);
  all += through_hbm(2 * step_.rows() * share_.hidden + share_.hidden);
  return all += add_.work();
}

dyn::Tensor& LayerTensors::operator[](LayerTensor which) {
  dyn::Tensor* const all[] = {&attention_norm, &qkv, &output, &ffn_norm, &gate_up, &down};
  return *all[static_cast<int>(which)];
}

DecoderLayer::DecoderLayer(const Device& device, const LlamaConfig& config, const LlamaStep& step, Where at)
    : step_(step), attention_(device, config, step, at), feed_forward_(device, config, step, at) {}

/// None: a norm.
const Gemm* DecoderLayer::product(LayerTensor which) const {
  switch (which) {
    case LayerTensor::qkv: return &attention_.to_qkv();
    case LayerTensor::output: return &attention_.to_output();
    case LayerTensor::gate_up: return &feed_forward_.to_ffn();
    case LayerTensor::down: return &feed_forward_.from_ffn();
    default: return nullptr;
  }
}
Mapping DecoderLayer::weight_layout(LayerTensor which) const {
  const Gemm* const gemm = product(which);
  return gemm == nullptr ? attention_.norm().column_layout() : gemm->b_layout();
}
Mapping DecoderLayer::weight_axes(LayerTensor which) const {
  const Gemm* const gemm = product(which);
  return gemm == nullptr ? attention_.norm().column() : dyn::map(chip(), gemm->n(), gemm->k());
}

dyn::Tensor DecoderLayer::operator()(Context& ctx, const dyn::Tensor& x, const LayerTensors& w, const KvCache& cache,
                                     const dyn::Tensor& rotations) const {
  return feed_forward_(ctx, attention_(ctx, x, w.attention_norm, w.qkv, w.output, cache, rotations), w.ffn_norm, w.gate_up, w.down);
}
Work DecoderLayer::work() const {
  Work all = attention_.work();
  all += feed_forward_.work();
  all.hbm_bytes -= 2 * step_.rows() * attention_.norm().column().size * bytes;  // what lies between the two need not go there
  return all;
}

}  // namespace tcp::kernels
