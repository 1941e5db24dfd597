// The kernel library. A kernel is called inside of a kernel, with the context; its layouts say how to upload what it
// reads. tcp_visa.kernels has functions over NumPy's arrays.
#include "bind.hpp"
#include "context.hpp"
#include "kernels/attention/decode.hpp"
#include "kernels/attention/flash.hpp"
#include "kernels/collectives/collectives.hpp"
#include "kernels/conv/conv.hpp"
#include "kernels/gather/gather.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/gemm_on_chips.hpp"
#include "kernels/llama/model.hpp"
#include "kernels/moe/moe.hpp"
#include "kernels/rowwise/elementwise.hpp"
#include "kernels/rowwise/norms.hpp"
#include "kernels/rowwise/rope/rope.hpp"
#include "kernels/rowwise/softmax/softmax.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::python {

namespace {

using dyn::Tensor;

template <class Kernel>
using Bound = py::class_<Kernel, std::shared_ptr<Kernel>>;

/// What every kernel has: how much work it is, and the cycles that the chip needs for that at least.
template <class Kernel>
void add_work(Bound<Kernel>& c, std::shared_ptr<Device> (*)(const Kernel&) = nullptr) {
  c.def(
      "bound",
      [](const Kernel& k, const Device& chip) {
        kernels::WorkCycles const cycles = kernels::cycles_of(k.work(), chip);
        return py::make_tuple(cycles.bound().value, std::string(cycles.bound_by()));
      },
      py::arg("chip"), "The cycles that the chip needs at its full rates, and what of: (cycles, 'HBM').");
}

template <class Kernel>
void add_layouts(Bound<Kernel>& c) {
  c.def_property_readonly(
       "layout", [](const Kernel& k) { return k.layout(); }, "The layout of its matrices in HBM.")
      .def_property_readonly(
          "column_layout", [](const Kernel& k) { return k.column_layout(); }, "The layout of what belongs to columns.")
      .def_property_readonly("row", [](const Kernel& k) { return k.row(); })
      .def_property_readonly("column", [](const Kernel& k) { return k.column(); });
  add_work(c);
}

kernels::ConvSizes conv_sizes(std::int64_t images, std::int64_t channels, std::int64_t filters, std::int64_t rows, std::int64_t columns,
                              std::int64_t filter_rows, std::int64_t filter_columns, std::int64_t stride, std::int64_t dilation,
                              std::int64_t padding) {
  return {images, channels, filters, rows, columns, filter_rows, filter_columns, stride, dilation, padding};
}

/// A host tensor's elements as raw bits of 16 or 32.
template <class Word>
py::array_t<Word> words_of(const dyn::HostTensor& t) {
  py::array_t<Word> out(static_cast<py::ssize_t>(t.size()));
  const void* const from = t.type() == ScalarType::i32 ? static_cast<const void*>(t.data<i32>()) : static_cast<const void*>(t.data<bf16>());
  std::memcpy(out.mutable_data(), from, t.size() * sizeof(Word));
  return out;
}

/// A language model, and the context that its weights are in.
class HeldLlama {
 public:
  HeldLlama(std::shared_ptr<HeldContext> ctx, const std::string& folder, std::int64_t context, const py::object& progress)
      : ctx_(std::move(ctx)) {
    Where const at = here();
    kernels::LlamaOptions options{.context = context};
    if (!progress.is_none())
      options.on_progress = [progress](std::int64_t done, std::int64_t of) {
        py::gil_scoped_acquire const gil;
        progress(done, of);
      };
    Context& device = ctx_->get();
    py::gil_scoped_release const others_may_run;
    auto const config = value_or_throw(kernels::read_llama_config(folder + "/config.json"));
    auto const checkpoint = value_or_throw(kernels::Checkpoint::open(folder, config));
    model_ = std::make_unique<kernels::Llama>(device, ctx_->device, config, checkpoint, options, at);
  }
  kernels::Llama& model() {
    ctx_->get();  // refuses a closed one
    return *model_;
  }

 private:
  std::shared_ptr<HeldContext> ctx_;
  std::unique_ptr<kernels::Llama> model_;
};

py::array_t<float> logits_of(const kernels::Logits& logits) {
  return py::array_t<float>(static_cast<py::ssize_t>(logits.size()), logits.data());
}

/// What is made of ids, while other threads of Python run.
template <class Make>
py::array_t<float> logits_by(const Make& make) {
  kernels::Logits logits;
  {
    py::gil_scoped_release const others_may_run;
    logits = make();
  }
  return logits_of(logits);
}

void bind_llama(py::module_& m) {
  using I = std::int64_t;
  py::class_<HeldLlama>(
      m, "Llama",
      "Llama 3 from published files: a folder with config.json and safetensors. The weights are in HBM as long as its context is open.")
      .def(py::init<std::shared_ptr<HeldContext>, const std::string&, I, const py::object&>(), py::arg("ctx"), py::arg("folder"),
           py::arg("context") = 0, py::arg("progress") = py::none())
      .def_property_readonly(
          "context", [](HeldLlama& l) { return l.model().context(); }, "Tokens that the caches have room for.")
      .def_property_readonly(
          "tokens", [](HeldLlama& l) { return l.model().tokens(); }, "Tokens that the caches hold.")
      .def_property_readonly(
          "config",
          [](HeldLlama& l) {
            const kernels::LlamaConfig& c = l.model().config();
            py::dict d;
            d["vocabulary"] = c.vocabulary, d["hidden"] = c.hidden, d["intermediate"] = c.intermediate, d["layers"] = c.layers;
            d["heads"] = c.heads, d["kv_heads"] = c.kv_heads, d["head_dim"] = c.head_dim, d["positions"] = c.positions;
            d["stop_ids"] = c.stop_ids, d["parameters"] = c.parameters();
            return d;
          },
          "The sizes of the model.")
      .def(
          "prefill", [](HeldLlama& l, const std::vector<I>& ids) { return logits_by([&] { return l.model().prefill(ids); }); },
          py::arg("ids"), "Forgets everything, and begins with these. The logits after the last.")
      .def(
          "decode", [](HeldLlama& l, I id) { return logits_by([&] { return l.model().decode(id); }); }, py::arg("id"),
          "One token more: the logits after it.")
      .def(
          "append", [](HeldLlama& l, const std::vector<I>& ids) { return logits_by([&] { return l.model().append(ids); }); },
          py::arg("ids"), "More tokens after those that are there.")
      .def(
          "generate",
          [](HeldLlama& l, const std::vector<I>& prompt, I most, double temperature, I top_k, double top_p, std::uint64_t seed,
             const std::optional<std::vector<I>>& stop_ids) {
            kernels::Llama& model = l.model();
            kernels::GenerationOptions const options{
                .most = most, .stop_ids = stop_ids ? *stop_ids : model.config().stop_ids, .sampling = {temperature, top_k, top_p, seed}};
            py::gil_scoped_release const others_may_run;
            return value_or_throw(kernels::generate(model.steps(), prompt, options)).ids;
          },
          py::arg("prompt"), py::arg("most") = 16, py::arg("temperature") = 0.0, py::arg("top_k") = 0, py::arg("top_p") = 1.0,
          py::arg("seed") = 0, py::arg("stop_ids") = py::none(),
          "The answer to a prompt, as ids; temperature 0 takes the likeliest token.");
}

kernels::Split split_named(const std::string& name) {
  if (name == "rows") return kernels::Split::rows;
  if (name == "columns") return kernels::Split::columns;
  refuse_name(name, {"rows", "columns"});
}
kernels::Moves moves_named(const std::string& name) {
  if (name == "at_once") return kernels::Moves::at_once;
  if (name == "rotations") return kernels::Moves::rotations;
  refuse_name(name, {"at_once", "rotations"});
}

}  // namespace

void bind_kernels(py::module_& top) {
  py::module_ m = top.def_submodule("kernels", "The kernel library.");
  using namespace kernels;
  using I = std::int64_t;

  Bound<Gemm> gemm(m, "Gemm", "C[M, N] = A[M, K] B[K, N]: bf16 and f8 to bf16, i8 to i32; B is given as [N, K].");
  gemm.def(py::init([](const Device& chip, const TypeArg& type, I rows, I columns, I depth, I batch) {
             return batch == 0 ? Gemm(chip, type.type, rows, columns, depth, here())
                               : Gemm::batched(chip, type.type, batch, rows, columns, depth, here());
           }),
           py::arg("chip"), py::arg("type"), py::arg("m"), py::arg("n"), py::arg("k"), py::arg("batch") = 0)
      .def(
          "__call__", [](const Gemm& k, HeldContext& ctx, const Tensor& a, const Tensor& b) { return k(ctx.get(), a, b); }, py::arg("ctx"),
          py::arg("a"), py::arg("b"))
      .def(
          "chosen",
          [](const Gemm& k, HeldContext& ctx, const Tensor& a, const Tensor& table, const Tensor& which) {
            return k.chosen(ctx.get(), a, table, which);
          },
          py::arg("ctx"), py::arg("a"), py::arg("table"), py::arg("which"), "C[g] = A[g] B, with B = table[which[g]].")
      .def("table_layout", &Gemm::table_layout, py::arg("count"))
      .def_property_readonly(
          "tiling", [](const Gemm& k) { return text_of(k.tiling()); }, "The decisions, one per line.")
      .def_property_readonly("c_type", [](const Gemm& k) { return std::string(scalar_info(k.c_type()).name); })
      .def_property_readonly("batch", &Gemm::batch)
      .def_property_readonly("m", &Gemm::m)
      .def_property_readonly("n", &Gemm::n)
      .def_property_readonly("k", &Gemm::k)
      .def_property_readonly("a_layout", &Gemm::a_layout)
      .def_property_readonly("b_layout", &Gemm::b_layout)
      .def_property_readonly("c_layout", &Gemm::c_layout);
  add_work(gemm);

  Bound<GemmOnChips> on_chips(m, "GemmOnChips", "C = A B over several chips: `over` is 'm', 'n' or 'k'.");
  on_chips
      .def(py::init([](const Device& chip, const TypeArg& type, I rows, I columns, I depth, I chips, const std::string& over) {
             if (over != "m" && over != "n" && over != "k") refuse_name(over, {"m", "n", "k"});
             return GemmOnChips(chip, type.type, rows, columns, depth, chips,
                                over == "m"   ? GemmSplit::m
                                : over == "n" ? GemmSplit::n
                                              : GemmSplit::k,
                                here());
           }),
           py::arg("chip"), py::arg("type"), py::arg("m"), py::arg("n"), py::arg("k"), py::arg("chips"), py::arg("over"))
      .def(
          "__call__", [](const GemmOnChips& k, HeldContext& ctx, const Tensor& a, const Tensor& b) { return k(ctx.get(), a, b); },
          py::arg("ctx"), py::arg("a"), py::arg("b"))
      .def_property_readonly("each", &GemmOnChips::each)
      .def_property_readonly("chip", &GemmOnChips::chip)
      .def_property_readonly("a_layout", &GemmOnChips::a_layout)
      .def_property_readonly("b_layout", &GemmOnChips::b_layout)
      .def_property_readonly("c_layout", &GemmOnChips::c_layout)
      .def_property_readonly("host_a", &GemmOnChips::host_a)
      .def_property_readonly("host_b", &GemmOnChips::host_b)
      .def_property_readonly("host_c", &GemmOnChips::host_c);
  add_work(on_chips);

  Bound<RmsNorm> rms(m, "RmsNorm", "y = x / sqrt(mean of the row's x^2 + epsilon) * weight, row by row, bf16.");
  rms.def(py::init([](const Device& chip, I rows, I columns, float epsilon) { return RmsNorm(chip, rows, columns, epsilon, here()); }),
          py::arg("chip"), py::arg("rows"), py::arg("columns"), py::arg("epsilon") = 1e-5f)
      .def(
          "__call__", [](const RmsNorm& k, HeldContext& ctx, const Tensor& x, const Tensor& weight) { return k(ctx.get(), x, weight); },
          py::arg("ctx"), py::arg("x"), py::arg("weight"));
  add_layouts(rms);
  Bound<LayerNorm> layer(m, "LayerNorm", "Layer normalisation, row by row, bf16.");
  layer
      .def(py::init([](const Device& chip, I rows, I columns, float epsilon) { return LayerNorm(chip, rows, columns, epsilon, here()); }),
           py::arg("chip"), py::arg("rows"), py::arg("columns"), py::arg("epsilon") = 1e-5f)
      .def(
          "__call__",
          [](const LayerNorm& k, HeldContext& ctx, const Tensor& x, const Tensor& weight, const Tensor& bias) {
            return k(ctx.get(), x, weight, bias);
          },
          py::arg("ctx"), py::arg("x"), py::arg("weight"), py::arg("bias"));
  add_layouts(layer);
  Bound<Softmax> softmax(m, "Softmax", "y = exp(x - greatest of the row) / sum of these, row by row, bf16.");
  softmax
      .def(py::init([](const Device& chip, I rows, I columns) { return Softmax(chip, rows, columns, here()); }), py::arg("chip"),
           py::arg("rows"), py::arg("columns"))
      .def("__call__", [](const Softmax& k, HeldContext& ctx, const Tensor& x) { return k(ctx.get(), x); }, py::arg("ctx"), py::arg("x"));
  add_layouts(softmax);
  Bound<Activation> activation(m, "Activation", "SiLU or GELU, element by element, bf16.");
  activation
      .def(py::init([](const Device& chip, const std::string& function, I rows, I columns) {
             if (function != "silu" && function != "gelu") refuse_name(function, {"silu", "gelu"});
             return Activation(chip, function == "silu" ? ActivationFunction::silu : ActivationFunction::gelu, rows, columns, here());
           }),
           py::arg("chip"), py::arg("function"), py::arg("rows"), py::arg("columns"))
      .def(
          "__call__", [](const Activation& k, HeldContext& ctx, const Tensor& x) { return k(ctx.get(), x); }, py::arg("ctx"), py::arg("x"));
  add_layouts(activation);
  Bound<SwiGlu> swiglu(m, "SwiGlu", "silu(gate) * up, element by element, bf16.");
  swiglu
      .def(py::init([](const Device& chip, I rows, I columns) { return SwiGlu(chip, rows, columns, here()); }), py::arg("chip"),
           py::arg("rows"), py::arg("columns"))
      .def(
          "__call__", [](const SwiGlu& k, HeldContext& ctx, const Tensor& gate, const Tensor& up) { return k(ctx.get(), gate, up); },
          py::arg("ctx"), py::arg("gate"), py::arg("up"));
  add_layouts(swiglu);
  Bound<GeGlu> geglu(m, "GeGlu", "gelu(gate) * up, element by element, bf16.");
  geglu
      .def(py::init([](const Device& chip, I rows, I columns) { return GeGlu(chip, rows, columns, here()); }), py::arg("chip"),
           py::arg("rows"), py::arg("columns"))
      .def(
          "__call__", [](const GeGlu& k, HeldContext& ctx, const Tensor& gate, const Tensor& up) { return k(ctx.get(), gate, up); },
          py::arg("ctx"), py::arg("gate"), py::arg("up"));
  add_layouts(geglu);
  Bound<Bias> bias(m, "Bias", "x + bias, the same bias for each row, bf16.");
  bias.def(py::init([](const Device& chip, I rows, I columns) { return Bias(chip, rows, columns, here()); }), py::arg("chip"),
           py::arg("rows"), py::arg("columns"))
      .def(
          "__call__", [](const Bias& k, HeldContext& ctx, const Tensor& x, const Tensor& b) { return k(ctx.get(), x, b); }, py::arg("ctx"),
          py::arg("x"), py::arg("bias"));
  add_layouts(bias);
  Bound<Residual> residual(m, "Residual", "x + y, element by element, bf16.");
  residual
      .def(py::init([](const Device& chip, I rows, I columns) { return Residual(chip, rows, columns, here()); }), py::arg("chip"),
           py::arg("rows"), py::arg("columns"))
      .def(
          "__call__", [](const Residual& k, HeldContext& ctx, const Tensor& x, const Tensor& y) { return k(ctx.get(), x, y); },
          py::arg("ctx"), py::arg("x"), py::arg("y"));
  add_layouts(residual);
  Bound<Rope> rope(m, "Rope", "Rotary position embedding: pairs of neighbouring columns of a head are turned.");
  rope.def(py::init([](const Device& chip, I tokens, I heads, I head, I positions, I start) {
             return Rope(chip, {tokens, heads, head, positions, start}, here());
           }),
           py::arg("chip"), py::arg("tokens"), py::arg("heads"), py::arg("head"), py::arg("positions"), py::arg("start") = 0)
      .def(
          "__call__", [](const Rope& k, HeldContext& ctx, const Tensor& x, const Tensor& table) { return k(ctx.get(), x, table); },
          py::arg("ctx"), py::arg("x"), py::arg("table"))
      .def_property_readonly("table_layout", &Rope::table_layout)
      .def_property_readonly(
          "table_host", [](const Rope& k) { return dyn::map(k.position(), k.pair(), k.from(), k.to()); },
          "How a host counts the table: [position, pair, f, j].");
  add_layouts(rope);
  m.def(
      "rotation_table",
      [](I positions, I head, double base) { return words_of<std::uint16_t>(rotation_table(positions, rope_frequencies(head, base))); },
      py::arg("positions"), py::arg("head"), py::arg("base") = 10000.0, "The table of a Rope, [position, pair, f, j], as bits of bf16.");

  Bound<Embedding> embedding(m, "Embedding", "out[t, :] = table[number[t], :].");
  embedding
      .def(py::init([](const Device& chip, I tokens, I words, I columns, const TypeArg& type) {
             return Embedding(chip, tokens, words, columns, type.type, here());
           }),
           py::arg("chip"), py::arg("tokens"), py::arg("words"), py::arg("columns"), py::arg("type") = "bf16")
      .def(
          "__call__",
          [](const Embedding& k, HeldContext& ctx, const Tensor& table, const Tensor& numbers) { return k(ctx.get(), table, numbers); },
          py::arg("ctx"), py::arg("table"), py::arg("numbers"))
      .def_property_readonly("numbers_layout", &Embedding::numbers_layout)
      .def_property_readonly("table_layout", &Embedding::table_layout)
      .def_property_readonly("out_layout", &Embedding::out_layout);
  add_work(embedding);
  Bound<PagedRows> paged(m, "PagedRows", "A cache whose rows are in pages of a fixed number of rows, any page anywhere.");
  paged
      .def(py::init([](const Device& chip, const TypeArg& type, I pages, I page_rows, I columns) {
             return PagedRows(chip, type.type, pages, page_rows, columns, here());
           }),
           py::arg("chip"), py::arg("type"), py::arg("pages"), py::arg("page_rows"), py::arg("columns"))
      .def(
          "load",
          [](const PagedRows& k, HeldContext& ctx, const Tensor& cache, const Tensor& list) { return k.load(ctx.get(), cache, list); },
          py::arg("ctx"), py::arg("cache"), py::arg("list"))
      .def(
          "store",
          [](const PagedRows& k, HeldContext& ctx, const Tensor& cache, const Tensor& numbers, const Tensor& rows) {
            k.store(ctx.get(), cache, numbers, rows);
          },
          py::arg("ctx"), py::arg("cache"), py::arg("numbers"), py::arg("rows"))
      .def_property_readonly("cache_layout", &PagedRows::cache_layout)
      .def("stored_layout", &PagedRows::stored_layout, py::arg("rows"))
      .def("loaded_layout", &PagedRows::loaded_layout, py::arg("pages"));

  py::class_<AttentionSizes>(m, "AttentionSizes", "Heads, and the room of the cache of keys and values.")
      .def(py::init([](I q_heads, I kv_heads, I head_dim, I capacity, I sequences) {
             return AttentionSizes{q_heads, kv_heads, head_dim, capacity, sequences};
           }),
           py::arg("q_heads") = 1, py::arg("kv_heads") = 1, py::arg("head_dim") = 128, py::arg("capacity") = 1, py::arg("sequences") = 1)
      .def_readonly("q_heads", &AttentionSizes::q_heads)
      .def_readonly("kv_heads", &AttentionSizes::kv_heads)
      .def_readonly("head_dim", &AttentionSizes::head_dim)
      .def_readonly("capacity", &AttentionSizes::capacity)
      .def_readonly("sequences", &AttentionSizes::sequences)
      .def_property_readonly("positions", &AttentionSizes::positions)
      .def(
          "query_layout", [](const AttentionSizes& s, const Device& chip, I rows) { return query_layout(chip, s, rows); }, py::arg("chip"),
          py::arg("rows"))
      .def(
          "new_keys_layout", [](const AttentionSizes& s, const Device& chip, I rows) { return new_keys_layout(chip, s, rows); },
          py::arg("chip"), py::arg("rows"))
      .def_property_readonly("cache_layout", [](const AttentionSizes& s) { return cache_layout(s); });
  m.def(
      "append_to_cache",
      [](HeldContext& ctx, const AttentionSizes& sizes, const Tensor& rows, I tokens, const Tensor& cache, I sequence, I position) {
        append_to_cache(ctx.get(), sizes, rows, tokens, cache, sequence, position);
      },
      py::arg("ctx"), py::arg("sizes"), py::arg("rows"), py::arg("tokens"), py::arg("cache"), py::arg("sequence"), py::arg("position"),
      "Writes the keys, or the values, of some tokens into the cache, from a position on.");
  Bound<FlashAttention> flash(m, "FlashAttention", "Attention of a prompt: every token to itself and all tokens before it.");
  flash
      .def(py::init([](const Device& chip, const AttentionSizes& sizes, I tokens, I past) {
             return FlashAttention(chip, sizes, tokens, past, here());
           }),
           py::arg("chip"), py::arg("sizes"), py::arg("tokens"), py::arg("past") = 0)
      .def(
          "__call__",
          [](const FlashAttention& k, HeldContext& ctx, const Tensor& q, const Tensor& keys, const Tensor& values, I sequence) {
            return k(ctx.get(), q, keys, values, sequence);
          },
          py::arg("ctx"), py::arg("q"), py::arg("k_cache"), py::arg("v_cache"), py::arg("sequence") = 0)
      .def_property_readonly("tiling", [](const FlashAttention& k) { return text_of(k.tiling()); })
      .def_property_readonly("layout", &FlashAttention::layout);
  add_work(flash);
  Bound<DecodeAttention> decode(m, "DecodeAttention", "One new token of each sequence against the cache.");
  decode
      .def(py::init([](const Device& chip, const AttentionSizes& sizes, const std::vector<I>& lengths) {
             return DecodeAttention(chip, sizes, lengths, here());
           }),
           py::arg("chip"), py::arg("sizes"), py::arg("lengths"))
      .def(
          "__call__",
          [](const DecodeAttention& k, HeldContext& ctx, const Tensor& q, const Tensor& k_new, const Tensor& v_new, const Tensor& keys,
             const Tensor& values) { return k(ctx.get(), q, k_new, v_new, keys, values); },
          py::arg("ctx"), py::arg("q"), py::arg("k_new"), py::arg("v_new"), py::arg("k_cache"), py::arg("v_cache"))
      .def_property_readonly("tiling", [](const DecodeAttention& k) { return text_of(k.tiling()); })
      .def_property_readonly("layout", &DecodeAttention::layout);
  add_work(decode);

  Bound<Conv2d> conv(m, "Conv2d", "2D convolution of images [image, channel, row, column], bf16.");
  conv.def(py::init([](const Device& chip, I images, I channels, I filters, I rows, I columns, I filter_rows, I filter_columns, I stride,
                       I dilation, I padding) {
             return Conv2d(chip,
                           conv_sizes(images, channels, filters, rows, columns, filter_rows, filter_columns, stride, dilation, padding),
                           here());
           }),
           py::arg("chip"), py::arg("images"), py::arg("channels"), py::arg("filters"), py::arg("rows"), py::arg("columns"),
           py::arg("filter_rows"), py::arg("filter_columns"), py::arg("stride") = 1, py::arg("dilation") = 1, py::arg("padding") = 0)
      .def(
          "__call__",
          [](const Conv2d& k, HeldContext& ctx, const Tensor& image, const Tensor& filter) { return k(ctx.get(), image, filter); },
          py::arg("ctx"), py::arg("image"), py::arg("filter"))
      .def_property_readonly("rows", &Conv2d::rows)
      .def_property_readonly("columns", &Conv2d::columns)
      .def_property_readonly("image_layout", &Conv2d::image_layout)
      .def_property_readonly("filter_layout", &Conv2d::filter_layout)
      .def_property_readonly("result_layout", &Conv2d::result_layout)
      .def_property_readonly("host_layout", &Conv2d::host_layout)
      .def(
          "filter",
          [](const Conv2d& k, const py::array_t<std::uint16_t, py::array::c_style | py::array::forcecast>& weights) {
            const ConvSizes& s = k.sizes();
            dyn::HostTensor given(ScalarType::bf16, dyn::map(dyn::axis("C", s.filters), dyn::axis("K", s.channels),
                                                             dyn::axis("Fh", s.filter_rows), dyn::axis("Fw", s.filter_columns)));
            if (static_cast<std::size_t>(weights.size()) != given.size())
              throw py::value_error("weights are [filters, channels, filter rows, filter columns]");
            std::memcpy(static_cast<void*>(given.data<bf16>()), weights.data(), given.size() * 2);
            dyn::HostTensor const made = k.filter(given);
            return py::make_tuple(words_of<std::uint16_t>(made), made.element());
          },
          py::arg("weights"),
          "Weights [filters, channels, filter rows, filter columns], bits of bf16, as the kernel wants them: bits, and their layout on the "
          "host.");
  add_work(conv);

  Bound<AllReduce> all_reduce(m, "AllReduce", "Every chip gets the sum of the matrices of all.");
  all_reduce
      .def(py::init([](const Device& chip, const TypeArg& type, I chips, I rows, I columns, const std::string& moves) {
             return AllReduce(chip, type.type, chips, rows, columns, moves_named(moves), here());
           }),
           py::arg("chip"), py::arg("type"), py::arg("chips"), py::arg("rows"), py::arg("columns"), py::arg("moves") = "at_once")
      .def(
          "__call__", [](const AllReduce& k, HeldContext& ctx, const Tensor& x) { return k(ctx.get(), x); }, py::arg("ctx"), py::arg("x"))
      .def_property_readonly("layout", &AllReduce::layout);
  add_work(all_reduce);
  Bound<ReduceScatter> reduce_scatter(m, "ReduceScatter", "Every chip gets its part of the sum of all.");
  reduce_scatter
      .def(py::init(
               [](const Device& chip, const TypeArg& type, I chips, I rows, I columns, const std::string& split, const std::string& moves) {
                 return ReduceScatter(chip, type.type, chips, rows, columns, split_named(split), moves_named(moves), here());
               }),
           py::arg("chip"), py::arg("type"), py::arg("chips"), py::arg("rows"), py::arg("columns"), py::arg("split") = "columns",
           py::arg("moves") = "at_once")
      .def(
          "__call__", [](const ReduceScatter& k, HeldContext& ctx, const Tensor& x) { return k(ctx.get(), x); }, py::arg("ctx"),
          py::arg("x"))
      .def_property_readonly("whole", [](const ReduceScatter& k) { return k.parts().whole(); })
      .def_property_readonly("part", [](const ReduceScatter& k) { return k.parts().part(); })
      .def_property_readonly("part_chip", [](const ReduceScatter& k) { return k.parts().part_chip(); });
  add_work(reduce_scatter);
  Bound<AllGather> all_gather(m, "AllGather", "The parts side by side, on all chips.");
  all_gather
      .def(py::init([](const Device& chip, const TypeArg& type, I chips, I rows, I columns, const std::string& split) {
             return AllGather(chip, type.type, chips, rows, columns, split_named(split), here());
           }),
           py::arg("chip"), py::arg("type"), py::arg("chips"), py::arg("rows"), py::arg("columns"), py::arg("split") = "columns")
      .def(
          "__call__", [](const AllGather& k, HeldContext& ctx, const Tensor& parts) { return k(ctx.get(), parts); }, py::arg("ctx"),
          py::arg("parts"))
      .def_property_readonly("whole", [](const AllGather& k) { return k.parts().whole(); })
      .def_property_readonly("part", [](const AllGather& k) { return k.parts().part(); })
      .def_property_readonly("part_chip", [](const AllGather& k) { return k.parts().part_chip(); });
  add_work(all_gather);

  Bound<TopK> topk(m, "TopK", "The K experts that each token goes to, and their weights.");
  topk.def(py::init([](const Device& chip, I tokens, I experts, I k) { return TopK(chip, tokens, experts, k, here()); }), py::arg("chip"),
           py::arg("tokens"), py::arg("experts"), py::arg("k"))
      .def(
          "__call__",
          [](const TopK& k, HeldContext& ctx, const Tensor& scores, const Tensor& numbers) {
            Routing const r = k(ctx.get(), scores, numbers);
            return py::make_tuple(r.expert, r.weight);
          },
          py::arg("ctx"), py::arg("scores"), py::arg("numbers"), "(expert, weight), each [token, K # 8]; numbers: 0, 1, 2, ... in HBM.")
      .def_property_readonly("scores_layout", &TopK::scores_layout)
      .def_property_readonly("choices_layout", &TopK::choices_layout);
  Bound<BlockIndices> indices(m, "BlockIndices", "Rows of tokens put together by expert, in blocks of one expert each.");
  indices
      .def(py::init(
               [](const Device& chip, I tokens, I experts, I k, I block) { return BlockIndices(chip, tokens, experts, k, block, here()); }),
           py::arg("chip"), py::arg("tokens"), py::arg("experts"), py::arg("k"), py::arg("block"))
      .def(
          "__call__",
          [](const BlockIndices& k, HeldContext& ctx, const Tensor& choices, const Tensor& numbers) {
            Blocks const b = k(ctx.get(), choices, numbers);
            return py::make_tuple(b.row, b.expert);
          },
          py::arg("ctx"), py::arg("choices"), py::arg("numbers"), "(row, expert): the row of each choice, and the expert of each block.")
      .def_property_readonly("block", &BlockIndices::block)
      .def_property_readonly("grid", &BlockIndices::grid)
      .def_property_readonly("numbers", &BlockIndices::numbers);

  Bound<MoeFfn> moe(m, "MoeFfn", "A feed-forward layer of E experts, of which each token goes through K.");
  moe.def(py::init([](const Device& chip, I tokens, I d, I f, I experts, I k, I block) {
            return MoeFfn(chip, tokens, d, f, experts, k, block, here());
          }),
          py::arg("chip"), py::arg("tokens"), py::arg("d"), py::arg("f"), py::arg("experts"), py::arg("k"), py::arg("block") = 0)
      .def(
          "__call__",
          [](const MoeFfn& k, HeldContext& ctx, const Tensor& x, const Tensor& router, const Tensor& up, const Tensor& down,
             const Tensor& numbers,
             const std::optional<Tensor>& gate) { return k(ctx.get(), x, router, up, down, numbers, gate ? *gate : Tensor()); },
          py::arg("ctx"), py::arg("x"), py::arg("router"), py::arg("up"), py::arg("down"), py::arg("numbers"), py::arg("gate") = py::none())
      .def_property_readonly("block", &MoeFfn::block)
      .def_property_readonly("grid", &MoeFfn::grid)
      .def_property_readonly("rows", &MoeFfn::rows)
      .def_property_readonly("router_layout", &MoeFfn::router_layout)
      .def_property_readonly("up_layout", &MoeFfn::up_layout)
      .def_property_readonly("down_layout", &MoeFfn::down_layout)
      .def_property_readonly("router", &MoeFfn::router)
      .def_property_readonly("up", &MoeFfn::up)
      .def_property_readonly("down", &MoeFfn::down)
      .def_property_readonly("expert", &MoeFfn::expert)
      .def_property_readonly("numbers_layout", &MoeFfn::numbers_layout)
      .def_property_readonly("numbers", [](const MoeFfn& k) { return words_of<std::int32_t>(k.numbers()); });
  add_work(moe);
  bind_llama(m);
}

}  // namespace tcp::python
