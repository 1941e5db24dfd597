// A layer whose perceptron is a mixture of experts.
#include "kernels/llama/moe_layer.hpp"

#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

LlamaStep on_one_chip(const LlamaStep& step, Where at) {
  if (step.chips == 1) return step;
  throw Refused(refuse("llama-moe-chips", at)
                    .what("a layer of experts over ", step.chips, " chips")
                    .why("all experts are stored in the HBM of the chip that computes the tokens")
                    .help("take one chip; tokens may be shared out over chips, each with all experts"));
}

}  // namespace

MoeDecoderLayer::MoeDecoderLayer(const Device& device, const LlamaConfig& config, const LlamaStep& step, const MoeSizes& sizes, Where at)
    : attention_(device, config, on_one_chip(step, at), at),
      norm_(device, step.rows(), config.hidden, static_cast<float>(config.norm_epsilon), at),
      experts_(device, step.rows(), config.hidden, sizes.intermediate, sizes.experts, sizes.chosen, 0, at),
      add_(device, step.rows(), config.hidden, at) {}

dyn::Tensor MoeDecoderLayer::operator()(Context& ctx, const dyn::Tensor& x, const MoeLayerTensors& w, const KvCache& cache,
                                        const dyn::Tensor& rotations) const {
  auto const attended = attention_(ctx, x, w.attention_norm, w.qkv, w.output, cache, rotations);
  auto const normed = in_region(ctx, "norm of feed-forward", norm_, attended, w.ffn_norm);
  return in_region(ctx, "residual", add_, attended, in_region(ctx, "experts", experts_, normed, w.router, w.up, w.down, w.numbers, w.gate));
}
Work MoeDecoderLayer::work() const {
  Work all = attention_.work();
  return all += experts_.work();
}

}  // namespace tcp::kernels
