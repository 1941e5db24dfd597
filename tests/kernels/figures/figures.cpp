#include "kernels/figures/figures.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

#include "kernels/attention/decode.hpp"
#include "kernels/attention/flash.hpp"
#include "kernels/collectives/collectives.hpp"
#include "kernels/conv/conv.hpp"
#include "kernels/gather/gather.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/llama/layer.hpp"
#include "kernels/llama/moe_layer.hpp"
#include "kernels/lowered.hpp"
#include "kernels/rowwise/elementwise.hpp"
#include "kernels/rowwise/norms.hpp"
#include "kernels/rowwise/softmax/softmax.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp::figures {
namespace {

constexpr ScalarType bf = ScalarType::bf16;

/// What `make bench` watches.
struct Bar {
  const char* name = nullptr;
  double least = 0;
};

std::string times(std::initializer_list<std::int64_t> sizes) {
  std::string out;
  for (std::int64_t s : sizes) out += (out.empty() ? "" : " x ") + std::to_string(s);
  return out;
}

template <class Kernel, std::size_t... I>
void record(Context& ctx, const Kernel& kernel, const std::vector<dyn::Tensor>& arguments, std::index_sequence<I...>) {
  (void)kernel(ctx, arguments[I]...);
}
/// A kernel by the layouts of what it takes.
template <class Kernel, class... Layout>
Case of_kernel(const char* name, std::string size, const Kernel& kernel, ScalarType type, const Layout&... layout) {
  Case c{.kernel = name, .size = std::move(size)};
  c.record = [=](Context& ctx, Arguments& a) { record(ctx, kernel, {a(type, layout)...}, std::index_sequence_for<Layout...>{}); };
  c.work = [=] { return kernel.work(); };
  return c;
}
Case product(ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Bar bar = {}) {
  kernels::Gemm const gemm(rngd, type, m, n, k);
  Case c = of_kernel("gemm", times({m, n, k}) + " " + scalar_info(type).name, gemm, type, gemm.a_layout(), gemm.b_layout());
  c.quick = m * n * k <= std::int64_t{1} << 30;
  c.ratio = bar.name;
  c.bar = bar.least;
  return c;
}
Case embedding(std::int64_t tokens, std::int64_t words, std::int64_t columns) {
  kernels::Embedding const embed(rngd, tokens, words, columns);
  Case c{.kernel = "gather", .size = std::to_string(tokens) + " of " + times({words, columns}) + " bf16"};
  c.record = [=](Context& ctx, Arguments& a) { (void)embed(ctx, a(bf, embed.table_layout()), a(ScalarType::i32, embed.numbers_layout())); };
  c.work = [=] { return embed.work(); };
  return c;
}

Case rms_norm(std::int64_t rows, std::int64_t columns) {
  kernels::RmsNorm const k(rngd, rows, columns, 1e-5f);
  return of_kernel("RMSNorm", times({rows, columns}), k, bf, k.layout(), k.column_layout());
}
Case layer_norm(std::int64_t rows, std::int64_t columns) {
  kernels::LayerNorm const k(rngd, rows, columns, 1e-5f);
  return of_kernel("LayerNorm", times({rows, columns}), k, bf, k.layout(), k.column_layout(), k.column_layout());
}
Case softmax(std::int64_t rows, std::int64_t columns) {
  kernels::Softmax const k(rngd, rows, columns);
  return of_kernel("softmax", times({rows, columns}), k, bf, k.layout());
}
Case gelu(std::int64_t rows, std::int64_t columns) {
  kernels::Activation const k(rngd, kernels::ActivationFunction::gelu, rows, columns);
  return of_kernel("GELU", times({rows, columns}), k, bf, k.layout());
}
Case swiglu(std::int64_t rows, std::int64_t columns) {
  kernels::SwiGlu const k(rngd, rows, columns);
  return of_kernel("SwiGLU", times({rows, columns}), k, bf, k.layout(), k.layout());
}
Case residual(std::int64_t rows, std::int64_t columns) {
  kernels::Residual const k(rngd, rows, columns);
  return of_kernel("residual", times({rows, columns}), k, bf, k.layout(), k.layout());
}
Case rope(std::int64_t tokens, std::int64_t heads) {
  kernels::Rope const k(rngd, {.tokens = tokens, .heads = heads, .head = 128, .positions = 8192, .start = 0});
  return of_kernel("RoPE", std::to_string(tokens) + " tokens, " + std::to_string(heads) + " heads of 128", k, bf, k.layout(),
                   k.table_layout());
}
std::string heads_of(const kernels::AttentionSizes& s) {
  return std::to_string(s.q_heads) + " and " + std::to_string(s.kv_heads) + " heads of " + std::to_string(s.head_dim);
}
Case flash(const kernels::AttentionSizes& sizes, std::int64_t tokens, Bar bar = {}) {
  kernels::FlashAttention const k(rngd, sizes, tokens);
  Mapping const cache = kernels::cache_layout(sizes);
  Case c = of_kernel("attention, prefill", std::to_string(tokens) + " tokens, " + heads_of(sizes), k, bf, k.layout(), cache, cache);
  c.quick = tokens <= 1024;
  c.ratio = bar.name;
  c.bar = bar.least;
  return c;
}
Case decode(const kernels::AttentionSizes& sizes, std::int64_t length) {
  kernels::DecodeAttention const k(rngd, sizes, std::vector<std::int64_t>(static_cast<std::size_t>(sizes.sequences), length));
  Mapping const cache = kernels::cache_layout(sizes), fresh = kernels::new_keys_layout(rngd, sizes, sizes.sequences);
  return of_kernel("attention, decode", times({sizes.sequences, length}) + " tokens, " + heads_of(sizes), k, bf, k.layout(), fresh, fresh,
                   cache, cache);
}
Case all_reduce(std::int64_t chips, std::int64_t rows, std::int64_t columns, Bar bar = {}) {
  kernels::AllReduce const k(rngd, bf, chips, rows, columns);
  Case c{.kernel = "AllReduce", .size = times({rows, columns}) + " on " + std::to_string(chips) + " chips", .chips = chips};
  c.record = [=](Context& ctx, Arguments& a) { (void)k(ctx, a(bf, dyn::axis("Chip", chips), k.layout())); };
  c.work = [=] { return k.work(); };
  c.ratio = bar.name;
  c.bar = bar.least;
  return c;
}
Case convolution(const kernels::ConvSizes& s) {
  kernels::Conv2d const k(rngd, s);
  std::string const size = times({s.images, s.channels, s.rows, s.columns}) + ", " + std::to_string(s.filters) + " filters of " +
                           times({s.filter_rows, s.filter_columns}) + ", stride " + std::to_string(s.stride);
  return of_kernel("convolution", size, k, bf, k.image_layout(), k.filter_layout());
}
Case experts(std::int64_t tokens, std::int64_t d, std::int64_t f, std::int64_t count, std::int64_t chosen) {
  kernels::MoeFfn const k(rngd, tokens, d, f, count, chosen);
  Case c{.kernel = "mixture of experts",
         .size = std::to_string(tokens) + " tokens, " + std::to_string(chosen) + " of " + std::to_string(count) + " experts of " +
                 times({d, f}),
         .quick = false};
  c.record = [=](Context& ctx, Arguments& a) {
    (void)k(ctx, a(bf, k.rows()), a(bf, k.router_layout()), a(bf, k.up_layout()), a(bf, k.down_layout()),
            a(ScalarType::i32, k.numbers_layout()));
  };
  c.work = [=] { return k.work(); };
  return c;
}

/// One decoder layer, weights and caches in HBM.
Case layer(const char* model, const kernels::LlamaConfig& config, const kernels::LlamaStep& step, Bar bar = {}) {
  kernels::DecoderLayer const kernel(rngd, config, step);
  std::string const what = step.tokens > 1 ? "prefill of " + std::to_string(step.tokens)
                                           : "decode of " + std::to_string(step.sequences) + " after " + std::to_string(step.past);
  Case c{.kernel = "decoder layer", .size = std::string(model) + ", " + what, .quick = false, .chips = step.chips};
  c.record = [=](Context& ctx, Arguments& a) {
    kernels::LayerTensors weights;
    for (kernels::LayerTensor which : kernels::layer_tensors) weights[which] = a(bf, kernel.chip(), kernel.weight_layout(which));
    kernels::KvCache const cache{a(bf, kernel.chip(), kernel.cache_layout()), a(bf, kernel.chip(), kernel.cache_layout())};
    (void)kernel(ctx, a(bf, kernel.chip(), kernel.layout()), weights, cache,
                 a(bf, kernel.chip(), kernel.attention().rope().table_layout()));
  };
  c.work = [=] { return kernel.work(); };
  c.ratio = bar.name;
  c.bar = bar.least;
  return c;
}

/// A decoder layer with experts in the place of the feed-forward layer.
Case moe_layer(const char* model, const kernels::LlamaConfig& config, const kernels::LlamaStep& step, const kernels::MoeSizes& sizes) {
  kernels::MoeDecoderLayer const kernel(rngd, config, step, sizes);
  Case c{.kernel = "decoder layer with experts",
         .size = std::string(model) + ", " + std::to_string(sizes.chosen) + " of " + std::to_string(sizes.experts) + " experts of " +
                 std::to_string(sizes.intermediate) + ", prefill of " + std::to_string(step.tokens),
         .quick = false};
  c.record = [=](Context& ctx, Arguments& a) {
    kernels::AttentionBlock const& attention = kernel.attention();
    kernels::MoeFfn const& experts = kernel.experts();
    kernels::MoeLayerTensors w;
    for (dyn::Tensor* norm : {&w.attention_norm, &w.ffn_norm}) *norm = a(bf, attention.norm().column_layout());
    w.qkv = a(bf, attention.to_qkv().b_layout());
    w.output = a(bf, attention.to_output().b_layout());
    w.router = a(bf, experts.router_layout());
    w.up = a(bf, experts.up_layout());
    w.down = a(bf, experts.down_layout());
    w.numbers = a(ScalarType::i32, experts.numbers_layout());
    kernels::KvCache const cache{a(bf, attention.cache_layout()), a(bf, attention.cache_layout())};
    (void)kernel(ctx, a(bf, attention.norm().layout()), w, cache, a(bf, attention.rope().table_layout()));
  };
  c.work = [=] { return kernel.work(); };
  return c;
}

/// The head of as many rows as sequences; of a prompt, of the last. Over chips each has its share of the words.
Case head(const kernels::LlamaConfig& config, const kernels::LlamaStep& step) {
  kernels::Gemm const k(rngd, bf, step.sequences, config.vocabulary / step.chips, config.hidden);
  return of_kernel("head", times({step.sequences, config.vocabulary}), k, bf, k.a_layout(), k.b_layout());
}
Throughput throughput(const char* model, const kernels::LlamaConfig& config, const kernels::LlamaStep& step, const char* published) {
  std::string const what = step.tokens > 1 ? "prefill of " + std::to_string(step.tokens)
                                           : "decode of " + std::to_string(step.sequences) + " after " + std::to_string(step.past);
  return {model, what, config.layers, step.rows(), layer(model, config, step), head(config, step), published};
}

/// 1234567 as 1,234,567.
std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}
std::string times_the_bound(const Figure& f, std::int64_t cycles) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", static_cast<double>(cycles) / static_cast<double>(f.bound.bound().value));
  return text;
}

std::int64_t cycles_in(const program::Program& program, std::string_view model) {
  return value_or_throw(plan(program, rngd, {.model = model})).schedule.makespan.value;
}

}  // namespace

program::Program program_of(const Case& c) {
  Arguments arguments;
  ir::Module module = build::module_of([&](Context& ctx) { c.record(ctx, arguments); }, c.chips);
  return build::lowered(std::move(module));
}
Figure figure_of(const Case& c) {
  program::Program const program = program_of(c);
  return {kernels::cycles_of(c.work(), rngd), cycles_in(program, "book"), cycles_in(program, "calibrated"), program.commands.size()};
}

std::string head_of(const Case& c) { return "| " + c.kernel + " | " + c.size + " |"; }
std::string row_of(const Case& c, const Figure& f) {
  return head_of(c) + " " + grouped(f.bound.bound().value) + " | " + f.bound.bound_by() + " | " + grouped(f.book) + " | " +
         times_the_bound(f, f.book) + " | " + grouped(f.calibrated) + " | " + times_the_bound(f, f.calibrated) + " |";
}

std::string row_of(const Throughput& t) {
  Figure const layer = figure_of(t.layer), head = figure_of(t.head);
  auto const per_second = [&](std::int64_t layer_cycles, std::int64_t head_cycles) {
    double const seconds = static_cast<double>(t.layers * layer_cycles + head_cycles) / (static_cast<double>(rngd.clocks.core_mhz) * 1e6);
    return grouped(std::llround(static_cast<double>(t.tokens) / seconds));
  };
  return "| " + t.model + " | " + t.step + " | " + per_second(layer.bound.bound().value, head.bound.bound().value) + " | " +
         per_second(layer.book, head.book) + " | " + per_second(layer.calibrated, head.calibrated) + " | " + t.published + " |";
}
std::vector<Throughput> throughputs() {
  kernels::LlamaConfig const small = kernels::llama_3_8b(), large = kernels::llama_3_70b();
  const char *const one_published = "55 (18.3 ms per token)", *const small_published = "3,935 at high batch",
                    *const large_published = "957";
  return {
      throughput("8B on one chip", small, {.past = 1023, .capacity = 2048}, one_published),
      throughput("8B on one chip", small, {.past = 1023, .capacity = 2048, .sequences = 16}, ""),
      throughput("8B on one chip", small, {.past = 1023, .capacity = 2048, .sequences = 64}, small_published),
      throughput("8B on one chip", small, {.tokens = 1024, .capacity = 2048}, ""),
      throughput("70B on 8 chips", large, {.past = 1023, .capacity = 2048, .chips = 8}, ""),
      throughput("70B on 8 chips", large, {.past = 1023, .capacity = 2048, .sequences = 64, .chips = 8}, large_published),
      throughput("70B on 8 chips", large, {.tokens = 1024, .capacity = 2048, .chips = 8}, ""),
  };
}

std::vector<Case> all_cases() {
  return {
      product(bf, 4096, 4096, 4096, {"bound_gemm_4096", 0.71}),
      product(bf, 1024, 1024, 1024),
      product(bf, 1, 4096, 4096),
      product(bf, 1, 14336, 4096),
      product(bf, 64, 4096, 4096),
      product(bf, 1000, 1000, 1000),
      product(ScalarType::f8e4m3, 4096, 4096, 4096),
      product(ScalarType::i8, 4096, 4096, 4096),
      embedding(1, 128256, 4096),
      embedding(1024, 128256, 4096),
      rms_norm(1, 8192),
      rms_norm(4096, 8192),
      layer_norm(1024, 1024),
      softmax(4096, 4096),
      gelu(4096, 4096),
      swiglu(4096, 14336),
      residual(4096, 8192),
      rope(4096, 32),
      convolution({.channels = 64, .filters = 64, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3, .padding = 1}),
      convolution(
          {.channels = 64, .filters = 128, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3, .stride = 2, .padding = 1}),
      convolution(
          {.images = 32, .channels = 64, .filters = 64, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3, .padding = 1}),
      convolution(
          {.images = 32, .channels = 256, .filters = 256, .rows = 14, .columns = 14, .filter_rows = 3, .filter_columns = 3, .padding = 1}),
      convolution({.images = 32, .channels = 64, .filters = 256, .rows = 56, .columns = 56}),
      flash({.q_heads = 32, .kv_heads = 8, .head_dim = 128, .capacity = 4096}, 4096, {"bound_flash_attention", 0.5}),
      flash({.q_heads = 32, .kv_heads = 8, .head_dim = 128, .capacity = 1024}, 1024),
      decode({.q_heads = 32, .kv_heads = 8, .head_dim = 128, .capacity = 4096, .sequences = 1}, 4096),
      decode({.q_heads = 32, .kv_heads = 8, .head_dim = 128, .capacity = 2048, .sequences = 16}, 2048),
      all_reduce(2, 1024, 8192),
      all_reduce(4, 1024, 8192),
      all_reduce(8, 1024, 8192, {"bound_allreduce", 0.83}),
      all_reduce(8, 1, 8192),
      experts(64, 1024, 2048, 32, 4),
      layer("8B", kernels::llama_3_8b(), {.past = 1023, .capacity = 4096}, {"bound_decode_layer", 0.77}),
      layer("8B", kernels::llama_3_8b(), {.past = 1023, .capacity = 2048, .sequences = 64}),
      layer("8B", kernels::llama_3_8b(), {.tokens = 1024, .capacity = 4096}),
      layer("70B on 8 chips", kernels::llama_3_70b(), {.past = 1023, .capacity = 4096, .chips = 8}),
      layer("70B on 8 chips", kernels::llama_3_70b(), {.past = 1023, .capacity = 2048, .sequences = 64, .chips = 8}),
      layer("70B on 8 chips", kernels::llama_3_70b(), {.tokens = 1024, .capacity = 4096, .chips = 8}),
      moe_layer("attention of 8B", kernels::llama_3_8b(), {.tokens = 64, .capacity = 64},
                {.experts = 32, .chosen = 4, .intermediate = 1024}),
  };
}

}  // namespace tcp::figures
