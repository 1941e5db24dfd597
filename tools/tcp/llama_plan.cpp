// Records the kernels of a step once each, and plans them.
#include "llama_plan.hpp"

#include "kernels/gather/gather.hpp"
#include "kernels/llama/model.hpp"
#include "tcp/runtime/record.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/trace/launches.hpp"

namespace tcp::tool {
namespace {

constexpr ScalarType bf = ScalarType::bf16;

/// Tensors in HBM without values, one after the other.
class Declared {
 public:
  explicit Declared(const Mapping& chip) : chip_(chip) {}
  dyn::Tensor operator()(ScalarType type, const Mapping& element) { return (*this)(type, chip_, element); }
  dyn::Tensor operator()(ScalarType type, const Mapping& chip, const Mapping& element) {
    constexpr std::int64_t apart = 4096;
    std::int64_t const here = next_, bytes = element.size * scalar_info(type).packet_bits / 8;
    next_ += (bytes + apart - 1) / apart * apart;
    return dyn::Tensor::hbm_at(here, type, chip, element);
  }
  /// Bytes of each chip.
  std::int64_t bytes() const { return next_; }

 private:
  Mapping chip_;
  std::int64_t next_ = 0;
};

/// The number of chips is part of a recording's type.
template <class Kernel>
Recorded recorded(std::int64_t chips, const Kernel& kernel, Context& ctx) {
  switch (chips) {
    case 1: return record<1>(kernel, ctx);
    case 2: return record<2>(kernel, ctx);
    case 4: return record<4>(kernel, ctx);
    case 8: return record<8>(kernel, ctx);
    default: break;
  }
  throw Refused(refuse("llama-chips")
                    .what("a model over ", chips, " chips")
                    .why("cards of one machine make groups of 1, 2, 4 or 8 chips")
                    .help("take 1, 2, 4 or 8"));
}

ScalarType norm_type(const kernels::LlamaConfig& c) { return c.norms_from_one ? ScalarType::f32 : bf; }

dyn::Tensor record_layer(Context& ctx, const Device& device, const kernels::LlamaConfig& config, const kernels::LlamaStep& step,
                         std::int64_t& bytes) {
  kernels::DecoderLayer const layer(device, config, step);
  Declared a(layer.chip());
  kernels::LayerTensors weights;
  for (kernels::LayerTensor which : kernels::layer_tensors_of(config))
    weights[which] = a(kernels::is_norm(which) ? norm_type(config) : bf, layer.chip_of(which), layer.weight_layout(which));
  if (config.experts > 0) weights.numbers = a(ScalarType::i32, layer.chip_of_x(), layer.experts().numbers_layout());
  kernels::KvCache const cache{a(bf, layer.cache_layout()), a(bf, layer.cache_layout())};
  dyn::Tensor const x = a(bf, layer.chip_of_x(), layer.layout()), rotations = a(bf, layer.attention().rope().table_layout());
  bytes = a.bytes();
  return layer(ctx, x, weights, cache, rotations);
}
dyn::Tensor record_embedding(Context& ctx, const Device& device, const kernels::LlamaConfig& config, const kernels::LlamaStep& step,
                             std::int64_t& bytes) {
  kernels::Embedding const embed(device, step.rows(), config.vocabulary, config.hidden);
  Declared a(step.chip());
  dyn::Tensor const table = a(bf, kernels::chip_of_x(config, step), embed.table_layout());
  Mapping const same = step.chips == 1 ? dyn::one : dyn::map(step.chips);  // on all chips
  dyn::Tensor const numbers = a(ScalarType::i32, same, embed.numbers_layout());
  bytes = a.bytes();
  return embed(ctx, table, numbers);
}
/// The last token of each sequence; over chips each has its share of the words.
std::vector<dyn::Tensor> record_head(Context& ctx, const Device& device, const kernels::LlamaConfig& config, const kernels::LlamaStep& step,
                                     std::int64_t& bytes) {
  kernels::RmsNorm const norm(device, step.sequences, config.hidden, static_cast<float>(config.norm_epsilon));
  Declared a(step.chip());
  auto const mark = ctx.region("head");
  Mapping const chip = kernels::chip_of_x(config, step);
  dyn::Tensor const x = a(bf, chip, norm.layout()), weight = a(norm_type(config), chip, norm.column_layout());
  dyn::Tensor const normed = norm(ctx, x, weight);
  std::vector<dyn::Tensor> logits;
  for (const kernels::HeadPart& part : kernels::head_parts(config, step.chips)) {
    kernels::Gemm const product(device, bf, step.sequences, part.words, config.hidden);
    dyn::Tensor const words = a(bf, product.b_layout());
    logits.push_back(product(ctx, kernels::over_chips_of(words, normed), words));
  }
  bytes = a.bytes();
  return logits;
}

}  // namespace

std::int64_t PlannedStep::bytes() const {
  std::int64_t all = 0;
  for (const PlannedPart& part : parts) all += part.times * part.bytes;
  return all;
}
std::int64_t PlannedStep::cycles() const {
  std::int64_t all = 0;
  for (const PlannedPart& part : parts) all += part.times * part.trace.makespan.value;
  return all;
}

PlannedStep planned_step(const Device& device, const kernels::LlamaConfig& config, const kernels::LlamaStep& step, std::string_view model) {
  ContextOptions options;
  options.device = &device;
  options.chips = step.chips;
  Context ctx = Context::acquire(options);
  PlannedStep out;
  out.model = model;
  out.core_mhz = device.clocks.core_mhz;
  auto const add = [&](const char* name, auto recorder, const kernels::LlamaStep& of) {
    std::int64_t bytes = 0;
    auto const kernel = [&](Context& c) { return recorder(c, device, config, of, bytes); };
    trace::Trace made = recorded(of.chips, kernel, ctx).trace({.model = model});
    made.program = name;  // the launch's, on a timeline of all
    out.parts.push_back({name, 0, bytes, std::move(made)});
    return out.parts.size() - 1;
  };
  auto const run = [&](std::size_t part) {
    ++out.parts[part].times;
    out.order.push_back(part);
  };
  kernels::LlamaStep local = step;
  local.local = true;
  bool any_local = false, all_local = config.layers > 0;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    bool const is = config.is_local(layer) && config.window < step.capacity;
    any_local = any_local || is;
    all_local = all_local && is;
  }
  run(add("embedding", record_embedding, step));
  std::size_t const plain = all_local ? 0 : add("layer", record_layer, step);
  std::size_t const windowed = any_local ? add("layer with window", record_layer, local) : plain;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) run(config.is_local(layer) ? windowed : plain);
  run(add("head", record_head, step));
  return out;
}

trace::Trace timeline_of(const PlannedStep& step) {
  std::vector<trace::Trace> all;
  for (std::size_t part : step.order) all.push_back(step.parts[part].trace);
  return trace::in_sequence(all);
}

std::string published_rate(const kernels::LlamaConfig& c, const kernels::LlamaStep& step) {
  if (step.tokens > 1) return "";
  auto const same = [&](const kernels::LlamaConfig& other) {
    return c.architecture == kernels::Architecture::llama && c.hidden == other.hidden && c.layers == other.layers &&
           c.intermediate == other.intermediate && c.heads == other.heads && c.kv_heads == other.kv_heads;
  };
  if (step.chips == 1 && same(kernels::llama_3_8b())) return step.sequences == 1 ? "55 for one user" : "3,935 at high batch";
  if (step.chips == 8 && step.sequences > 1 && same(kernels::llama_3_70b())) return "957";
  return "";
}

}  // namespace tcp::tool
