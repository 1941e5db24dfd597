// Whole models, from a checkpoint that scripts/tiny-llama wrote to the tokens, against an implementation in f32 on the host.
//
// How far off may logits be? Every kernel rounds its result to bf16, whose unit is between 2^-8 and 2^-7 of a number: a root mean square error of 0.16 percent. From a
// token to its logits about 13 roundings a layer follow each other, 28 with two layers and the head; they are independent, so 0.16 x sqrt(28) = 0.8 percent. Those of
// queries and keys count about twice, for scores are exponents. So 2 percent of the logits' root mean square are allowed for theirs, and, as the worst of some
// thousands is four standard deviations off, 8 percent for the worst.
#include "kernels/llama/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "host_llama.hpp"
#include "recorder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/image_parts.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/refused.hpp"
#include "tiny_checkpoint.hpp"

namespace tcp {
namespace {

using kernels::Logits;
using Ids = std::vector<std::int64_t>;
using kernels_test::TinyCheckpoint;

constexpr double worst_allowed = 0.08, usual_allowed = 0.02;

double size_of(const std::vector<float>& x) {
  double squares = 0;
  for (float v : x) squares += static_cast<double>(v) * v;
  return std::sqrt(squares / static_cast<double>(x.size()));
}
Logits difference(const Logits& found, const Logits& expected) {
  Logits out;
  for (std::size_t i = 0; i < expected.size(); ++i) out.push_back(found.at(i) - expected[i]);
  return out;
}
/// The error's size, in sizes of what is right.
double error_of(const Logits& found, const Logits& expected) { return size_of(difference(found, expected)) / size_of(expected); }
void expect_near(const Logits& found, const Logits& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double worst = 0;
  for (float each : difference(found, expected)) worst = std::max(worst, std::abs(static_cast<double>(each)));
  EXPECT_LE(worst, worst_allowed * size_of(expected));
  EXPECT_LE(error_of(found, expected), usual_allowed);
}

std::int64_t greatest(const Logits& x) { return std::max_element(x.begin(), x.end()) - x.begin(); }
/// By how much the greatest is ahead of the next: where that is less than two errors, the choice is no test of anything.
double lead(const Logits& x) {
  Logits sorted = x;
  std::partial_sort(sorted.begin(), sorted.begin() + 2, sorted.end(), std::greater<>());
  return static_cast<double>(sorted[0]) - static_cast<double>(sorted[1]);
}

ContextOptions on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return options;
}

/// A checkpoint, the model on a device, and the host's.
struct Both {
  explicit Both(const std::string& options, std::int64_t context = 40, BackendKind backend = BackendKind::vector,
                const std::function<void(kernels::LlamaConfig&)>& change = {}, std::int64_t chips = 1, std::int64_t sequences = 1)
      : checkpoint(options),
        ctx(Context::acquire(on(backend))),
        config(read(checkpoint, change)),
        host(checkpoint.path()),
        llama(ctx, rngd, config, value_or_throw(kernels::Checkpoint::open(checkpoint.path(), config)),
              {.context = context, .chips = chips, .sequences = sequences}) {}

  static kernels::LlamaConfig read(const TinyCheckpoint& from, const std::function<void(kernels::LlamaConfig&)>& change) {
    auto c = value_or_throw(kernels::read_llama_config(from.path("config.json")));
    if (change) change(c);
    return c;
  }

  TinyCheckpoint checkpoint;
  Context ctx;
  kernels::LlamaConfig config;
  host::Llama host;
  kernels::Llama llama;
};

/// Greedy tokens by the whole loop, and, on the way, the logits behind each of them, against the host's.
void expect_right(Both& both, const Ids& prompt, std::int64_t steps) {
  std::vector<Logits> seen;
  kernels::LanguageModel const model = both.llama.steps();
  kernels::LanguageModel const watched{model.vocabulary, model.context,
                                       [&](std::span<const std::int64_t> ids) { return seen.emplace_back(model.prefill(ids)); },
                                       [&](std::int64_t id) { return seen.emplace_back(model.decode(id)); }};
  auto const found = value_or_throw(kernels::generate(watched, prompt, {.most = steps + 1}));
  Ids ids = prompt;
  for (std::int64_t id : found.ids) {
    Logits const expected = both.host.logits(ids).back();
    SCOPED_TRACE(testing::Message() << "behind " << ids.size() << " tokens");
    expect_near(seen[ids.size() - prompt.size()], expected);
    // Two logits that are each off by twice what is usual keep their order; where the choice is closer, it is no test of anything.
    ASSERT_GT(lead(expected), 4 * usual_allowed * size_of(expected)) << "take another seed";
    ASSERT_EQ(id, greatest(expected));
    ids.push_back(id);
  }
}

TEST(LlamaModel, logits_and_greedy_tokens_of_prefill_and_sixteen_decode_steps) {
  Both both("--size tiny --seed 200");
  expect_right(both, {3, 17, 99, 50, 8, 0, 41}, 16);
}
/// Only that logits are near: with so few layers and words choices are close.
void expect_logits_near(const std::string& options, const Ids& prompt, const Ids& more) {
  Both both(options);
  Ids ids = prompt;
  expect_near(both.llama.prefill(ids), both.host.logits(ids).back());
  for (std::int64_t id : more) {
    ids.push_back(id);
    expect_near(both.llama.decode(id), both.host.logits(ids).back());
  }
}
TEST(LlamaModel, sizes_that_divide_by_nothing) { expect_logits_near("--size odd", {1, 2, 3}, {98, 0}); }
TEST(LlamaModel, stretched_rotations_and_one_head_for_all) { expect_logits_near("--size scaled", Ids(30, 5), {7}); }
TEST(LlamaModel, a_tied_head) { expect_logits_near("--size tied", {9}, {1}); }

/// Qwen and Gemma have more words than one product has columns.
TEST(LlamaModel, a_head_of_more_words_than_a_product_has_columns) {
  Both both("--size words", 12);
  ASSERT_EQ(kernels::head_parts(both.config).size(), 2u);
  expect_near(both.llama.prefill(Ids{1, 139999, 3}), both.host.logits({1, 139999, 3}).back());
}
TEST(LlamaModel, heads_columns_and_words_over_chips) {
  struct Over {
    std::int64_t chips;
    const char* options;
  };
  for (Over const& over :
       {Over{2, "--size tiny --seed 4"}, Over{4, "--size heads --seed 4"}, Over{8, "--size heads --seed 5"},
        Over{2, "--size tiny --architecture mistral"}, Over{2, "--size tiny --seed 4 --architecture qwen2"},
        Over{2, "--size tiny --seed 4 --architecture qwen3"}, Over{2, "--size tiny --seed 4 --architecture gemma2"},
        Over{2, "--size tiny --seed 4 --architecture gemma3"}, Over{4, "--size heads --architecture qwen2"},
        Over{4, "--size heads --architecture gemma2"}, Over{2, "--size tiny --seed 4 --architecture mixtral"},
        Over{2, "--size tiny --seed 4 --architecture mixtral --quantised i4"}, Over{4, "--size heads --architecture mixtral"}}) {
    SCOPED_TRACE(testing::Message() << over.options << " over " << over.chips);
    Both both(over.options, 40, BackendKind::vector, {}, over.chips);
    Ids ids{3, 17, 9, 50, 8, 0, 41, 2};
    expect_near(both.llama.prefill(ids), both.host.logits(ids).back());
    ids.push_back(5);
    expect_near(both.llama.decode(5), both.host.logits(ids).back());
  }
  // 77 columns do not fall to two chips.
  auto const code = [](const char* options) { return build::code_of([&] { Both const both(options, 40, BackendKind::vector, {}, 2); }); };
  EXPECT_EQ(code("--size odd"), "llama-step");
}
/// Prompts of several lengths in one step, single tokens beside a prompt, a place that is given to another sequence.
TEST(LlamaModel, sequences_that_come_and_go_have_the_logits_of_the_host) {
  for (const char* architecture : {"llama", "mistral", "gemma3"}) {
    SCOPED_TRACE(architecture);
    Both both(std::string("--size tiny --seed 4 --architecture ") + architecture, 24, BackendKind::vector, {}, 1, 3);
    std::vector<Ids> texts(3);
    auto const step = [&](const std::vector<kernels::SequenceTokens>& batch) {
      auto const found = both.llama.append_each(batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        Ids& text = texts[static_cast<std::size_t>(batch[i].sequence)];
        text.insert(text.end(), batch[i].ids.begin(), batch[i].ids.end());
        SCOPED_TRACE(testing::Message() << "sequence " << batch[i].sequence << " of " << text.size());
        expect_near(found[i], both.host.logits(text).back());
      }
    };
    step({{0, {3, 17, 9, 50, 8, 0, 41, 2, 60, 11, 12}}, {2, {99, 5}}});
    step({{2, {7}}, {0, {44}}, {1, {1, 2, 3, 4}}});
    both.llama.forget(0);
    texts[0].clear();
    step({{1, {8}}, {0, {33, 34, 35}}, {2, {90}}});
    step({{0, {1}}});
  }
}
TEST(LlamaModel, answers_of_a_batch_are_those_of_each_request) {
  Both both("--size tiny --seed 200", 40, BackendKind::vector, {}, 1, 2);
  std::vector<kernels::TextRequest> requests{{{3, 17, 99, 50, 8, 0, 41}, {.most = 5}},
                                             {{9, 1}, {.most = 2}},
                                             {{3, 17, 99, 50}, {.most = 4}},
                                             {{60}, {.most = 3, .sampling = {.temperature = 0.8, .seed = 5}}}};
  std::vector<std::int64_t> steps;
  kernels::BatchModel model = both.llama.batch_steps();
  auto const append = model.append;
  model.append = [&](std::span<const kernels::SequenceTokens> batch) {
    steps.push_back(static_cast<std::int64_t>(batch.size()));
    return append(batch);
  };
  auto const found = value_or_throw(kernels::generate_each(model, requests));
  ASSERT_EQ(found.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Ids text = requests[i].prompt;
    ASSERT_EQ(static_cast<std::int64_t>(found[i].ids.size()), requests[i].options.most);
    for (std::int64_t id : found[i].ids) {  // the host's choice, where that is not a close one
      Logits const expected = both.host.logits(text).back();
      if (requests[i].options.sampling.temperature == 0 && lead(expected) > 4 * usual_allowed * size_of(expected)) {
        EXPECT_EQ(id, greatest(expected)) << "request " << i << " after " << text.size();
      }
      text.push_back(id);
    }
  }
  // Two places: 14 tokens in seven steps or so, and never three sequences.
  EXPECT_EQ(*std::max_element(steps.begin(), steps.end()), 2);
  EXPECT_LE(steps.size(), 8u);
  kernels::TextRequest const empty{{}, {}};
  EXPECT_FALSE(kernels::generate_each(model, std::span(&empty, 1)));
}
TEST(LlamaModel, sequences_that_are_not_there_are_refused) {
  Both both("--size tiny", 8, BackendKind::vector, {}, 1, 2);
  auto const code = [&](const std::vector<kernels::SequenceTokens>& batch) {
    return build::code_of([&] { (void)both.llama.append_each(batch); });
  };
  EXPECT_EQ(code({{2, {1}}}), "llama-step");
  EXPECT_EQ(code({{0, {1}}, {0, {2}}}), "llama-step");
  EXPECT_EQ(code({{0, Ids(9, 1)}}), "llama-step");
  EXPECT_EQ(code({{1, {}}}), "llama-step");
  EXPECT_EQ(code({{0, {256}}}), "llama-prompt");
  EXPECT_EQ(code({{0, Ids(8, 1)}, {1, {5}}}), "accepted");
}
/// Every architecture: prompts that are longer than the windows, of several sizes, and decode steps behind them.
TEST(LlamaModel, every_architecture_gives_the_logits_of_the_host) {
  Ids prompt;
  for (std::int64_t i = 0; i < 17; ++i) prompt.push_back((i * 37 + 5) % 97);
  for (const char* architecture : {"llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "mixtral"}) {
    SCOPED_TRACE(architecture);
    try {
      expect_logits_near(std::string("--size tiny --seed 4 --architecture ") + architecture, prompt, {3, 77, 250});
    } catch (const Refused& r) {
      ADD_FAILURE() << r.what();
    }
  }
}
/// The same weights under their longer names, beside others.
TEST(LlamaModel, text_part_of_a_model_that_sees_pictures) {
  for (const char* shards : {"", " --shards 3"}) {
    Logits const expected = [] { return Both("--size tiny --seed 4 --architecture gemma3").llama.prefill(Ids{3, 17, 9, 50}); }();
    TinyCheckpoint const files("--size tiny --seed 4 --architecture gemma3 --text-part" + std::string(shards));
    auto const config = value_or_throw(kernels::read_llama_config(files.path("config.json")));
    auto ctx = Context::acquire(on(BackendKind::vector));
    kernels::Llama llama(ctx, rngd, config, value_or_throw(kernels::Checkpoint::open(files.path(), config)), {.context = 40});
    EXPECT_EQ(llama.prefill(Ids{3, 17, 9, 50}), expected);
  }
}
/// Sizes that divide by nothing, and a single head of keys.
TEST(LlamaModel, architectures_of_other_sizes) {
  for (const char* options : {"--architecture qwen2 --size odd", "--architecture qwen3 --size odd", "--architecture gemma3 --size odd",
                              "--architecture gemma2 --size scaled", "--architecture mistral --size heads"}) {
    SCOPED_TRACE(options);
    try {
      expect_logits_near(options, {1, 2, 3, 9, 60, 31, 7, 8}, {11, 0});
    } catch (const Refused& r) {
      ADD_FAILURE() << r.what();
    }
  }
}

/// Matrices of 8 and of 4 bits with their scales, whole and shared out over chips.
TEST(LlamaModel, quantised_weights_give_the_logits_of_the_host) {
  for (const char* options :
       {"--quantised fp8", "--quantised i4", "--quantised fp8 --architecture qwen3", "--quantised i4 --architecture mixtral"}) {
    SCOPED_TRACE(options);
    try {
      expect_logits_near(std::string("--size tiny --seed 4 ") + options, {3, 17, 9, 50, 8, 0, 41, 2}, {5, 250});
    } catch (const Refused& r) {
      ADD_FAILURE() << r.what();
    }
  }
  for (const char* options : {"--quantised fp8", "--quantised i4"}) {
    SCOPED_TRACE(options);
    Both both(std::string("--size tiny --seed 4 ") + options, 40, BackendKind::vector, {}, 2);
    Ids const ids{3, 17, 9, 50, 8, 0, 41, 2};
    expect_near(both.llama.prefill(ids), both.host.logits(ids).back());
  }
}
/// What the tolerance is worth: models that are computed a little otherwise than their files say are far outside of it.
/// Numbers that are there in parts only.
class InParts final : public ImageParts {
 public:
  explicit InParts(const std::vector<bf16>& all) : all_(all) {}
  void write(std::byte* to) const override {
    ADD_FAILURE() << "somebody makes all of them";
    write_part(to, 0, 2 * all_.size());
  }
  void write_part(std::byte* to, std::size_t first, std::size_t bytes) const override {
    std::memcpy(to, reinterpret_cast<const std::byte*>(all_.data()) + first, bytes);
  }

 private:
  std::vector<bf16> all_;
};
/// A product makes what it needs of them, for one row and for many, and nobody makes all of them.
TEST(LlamaModel, weights_in_parts_stay_so) {
  constexpr std::int64_t n = 1024, k = 1024;
  Random random(3);
  std::vector<bf16> numbers;
  for (std::int64_t i = 0; i < n * k; ++i) numbers.push_back(bf16::from_double(static_cast<double>(random.next() % 2001) / 1000.0 - 1));
  for (std::int64_t const m : {1, 5, 40})
    for (int const threads : {1, 3}) {
      ContextOptions options = on(BackendKind::vector);
      options.threads = threads;
      auto ctx = Context::acquire(options);
      kernels::Gemm const product(rngd, ScalarType::bf16, m, n, k);
      dyn::HostTensor a(ScalarType::bf16, product.a_layout());
      for (std::size_t i = 0; i < a.size(); ++i) a.data<bf16>()[i] = numbers[i];
      auto const a_hbm = a.to_hbm(ctx.pdma, dyn::one, product.a_layout());
      auto const times = [&](std::shared_ptr<const Image> b) {
        auto const b_hbm =
            dyn::to_hbm(ctx.pdma, std::move(b), ScalarType::bf16, dyn::map(product.n(), product.k()), dyn::one, product.b_layout());
        auto const c = launch(product, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, product.c_layout());
        return std::vector<bf16>(c.data<bf16>(), c.data<bf16>() + c.size());
      };
      auto const* const bytes = reinterpret_cast<const std::byte*>(numbers.data());
      auto const expected = times(std::make_shared<const Image>(Image::of(std::make_shared<int>(0), bytes, 2 * numbers.size())));
      auto const in_parts = std::make_shared<const Image>(Image::of(std::make_shared<const InParts>(numbers), 2 * numbers.size()));
      auto const found = times(in_parts);
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), [](bf16 x, bf16 y) { return x.bits == y.bits; })) << m;
    }
}
TEST(LlamaModel, a_model_that_is_computed_otherwise_is_found_out) {
  using Config = kernels::LlamaConfig;
  struct Change {
    const char *size, *what;
    std::function<void(Config&)> make;
  };
  for (Change const& change : {Change{"scaled", "rotations that are not stretched", [](Config& c) { c.scaling.reset(); }},
                               Change{"scaled", "rotations stretched by another factor", [](Config& c) { c.scaling->factor = 4; }},
                               Change{"tiny", "rotations of another base", [](Config& c) { c.rope_theta = 10000; }},
                               Change{"tiny", "a layer less", [](Config& c) { c.layers = 1; }},
                               Change{"tiny", "the head of another model", [](Config& c) { c.tied = true; }},
                               Change{"tiny", "another epsilon", [](Config& c) { c.norm_epsilon = 0.1; }}}) {
    Both both(std::string("--seed 9 --size ") + change.size, 40, BackendKind::vector, change.make);
    Ids ids;
    for (std::int64_t i = 0; i < 30; ++i) ids.push_back((i * 37 + 5) % 97);
    EXPECT_GT(error_of(both.llama.prefill(ids), both.host.logits(ids).back()), 1.25 * usual_allowed) << change.what;
  }
}

/// Each thing that an architecture has beside Llama's counts: a model without it, or with another, is found out.
TEST(LlamaModel, what_an_architecture_adds_is_found_out_when_it_is_left_out) {
  using Config = kernels::LlamaConfig;
  struct Change {
    const char *architecture, *what;
    std::function<void(Config&)> make;
  };
  for (Change const& change : {Change{"mistral", "no window", [](Config& c) { c.local.clear(); }},
                               Change{"mistral", "a window of one more", [](Config& c) { c.window += 1; }},
                               Change{"qwen2", "no bias", [](Config& c) { c.qkv_bias = false; }},
                               Change{"qwen2", "a window in all layers", [](Config& c) { c.local.assign(2, true); }},
                               Change{"qwen3", "no norms of heads", [](Config& c) { c.head_norms = false; }},
                               Change{"gemma2", "norms from zero", [](Config& c) { c.norms_from_one = false; }},
                               Change{"gemma2", "SwiGLU", [](Config& c) { c.gelu = false; }},
                               Change{"gemma2", "plain embeddings", [](Config& c) { c.embedding_scale = 1; }},
                               Change{"gemma2", "the usual scale", [](Config& c) { c.attention_scale = 0; }},
                               Change{"gemma2", "scores without a cap", [](Config& c) { c.score_cap = 0; }},
                               Change{"gemma2", "logits without a cap", [](Config& c) { c.logit_cap = 0; }},
                               Change{"gemma2", "windows in the other layers", [](Config& c) { c.local.flip(); }},
                               Change{"gemma3", "rotations of local layers as of the others", [](Config& c) { c.local_rope_theta = 0; }},
                               Change{"gemma3", "rotations that are not slower", [](Config& c) { c.rope_factor = 1; }},
                               Change{"mixtral", "one expert", [](Config& c) { c.experts_per_token = 1; }}}) {
    try {
      Both both(std::string("--seed 9 --architecture ") + change.architecture, 40, BackendKind::vector, change.make);
      Ids ids;
      for (std::int64_t i = 0; i < 24; ++i) ids.push_back((i * 37 + 5) % 97);
      EXPECT_GT(error_of(both.llama.prefill(ids), both.host.logits(ids).back()), 1.25 * usual_allowed)
          << change.architecture << ": " << change.what;
    } catch (const Refused& r) {
      ADD_FAILURE() << change.architecture << ": " << change.what << ": " << r.what();
    }
  }
}

TEST(LlamaModel, LLM_02_counts_tokens) {
  Both both("--size tied", 12);
  EXPECT_EQ(both.llama.context(), 12);  // s_max
  EXPECT_EQ(both.llama.tokens(), 0);
  (void)both.llama.prefill(Ids{1, 2, 3});
  EXPECT_EQ(both.llama.tokens(), 3);  // s = s_in
  (void)both.llama.decode(4);
  EXPECT_EQ(both.llama.tokens(), 4);
  (void)both.llama.prefill(Ids{5, 6});
  EXPECT_EQ(both.llama.tokens(), 2);  // begun anew
}
TEST(LlamaModel, LLM_22_the_last_norm_scales_the_logits) {
  // Weights of the norm twice as large, a power of two, behind the last layer: everything before stays, and the logits double to the bit.
  TinyCheckpoint const twice("--size tied");
  std::string file = twice.content("model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  auto const offsets = nlohmann::json::parse(file.substr(8, length))["model.norm.weight"]["data_offsets"];
  for (std::size_t at = 8 + length + offsets[0].get<std::size_t>(); at < 8 + length + offsets[1].get<std::size_t>(); at += 2) {
    std::uint16_t bits;
    std::memcpy(&bits, file.data() + at, 2);
    bits = static_cast<std::uint16_t>(bits + 0x80);  // one more in the exponent
    std::memcpy(file.data() + at, &bits, 2);
  }
  twice.write("model.safetensors", file);
  Both plain("--size tied", 12);
  Ids const ids{1, 2, 3};
  Logits expected = plain.llama.prefill(ids);
  for (float& v : expected) v *= 2;
  kernels::Llama doubled(plain.ctx, rngd, plain.config, value_or_throw(kernels::Checkpoint::open(twice.path(), plain.config)),
                         {.context = 12});
  EXPECT_EQ(doubled.prefill(ids), expected);
}
TEST(LlamaModel, LLM_35_each_decode_step_is_prefill_of_the_longer_prompt) {
  Both both("--size tiny --seed 200");
  Ids all{3, 17, 99, 50, 8, 0, 41}, more;
  for (std::int64_t i = 0; i < 16; ++i) more.push_back((i * i * 31 + 7) % 256);
  std::vector<Logits> by_steps{both.llama.prefill(all)};
  for (std::int64_t id : more) by_steps.push_back(both.llama.decode(id));
  EXPECT_EQ(both.llama.tokens(), 23);
  for (std::size_t i = 0; i <= more.size(); ++i) {
    SCOPED_TRACE(testing::Message() << i << " decode steps");
    expect_near(by_steps[i], both.llama.prefill(all));
    if (i < more.size()) all.push_back(more[i]);
  }
}
TEST(LlamaModel, LLM_35_decode_after_prefill_is_prefill_of_all) {
  Both both("--size tiny --seed 5");
  Ids const all{3, 17, 99, 50, 8, 0};
  Logits const at_once = both.llama.prefill(all);
  (void)both.llama.prefill(Ids(all.begin(), all.begin() + 3));
  Logits one_by_one;
  for (std::size_t i = 3; i < all.size(); ++i) one_by_one = both.llama.decode(all[i]);
  expect_near(one_by_one, at_once);
  (void)both.llama.prefill(Ids{3});
  expect_near(both.llama.append(Ids(all.begin() + 1, all.end())), at_once);  // a prompt in two pieces
}
TEST(LlamaModel, the_same_bits_on_the_simulated_chip) {
  std::vector<Logits> found;
  for (BackendKind backend : {BackendKind::vector, BackendKind::device}) {
    Both both("--size tied", 12, backend);
    found.push_back(both.llama.prefill(Ids{1, 2, 3}));
    found.push_back(both.llama.decode(4));
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[3]);
}
TEST(LlamaModel, architectures_have_the_same_bits_on_the_simulated_chip) {
  for (const char* architecture : {"qwen2", "qwen3", "gemma2"}) {
    std::vector<Logits> found;
    for (BackendKind backend : {BackendKind::vector, BackendKind::device}) {
      Both both(std::string("--size tied --architecture ") + architecture, 12, backend);
      found.push_back(both.llama.prefill(Ids{1, 2, 3, 4, 5, 6, 7, 8}));
      found.push_back(both.llama.decode(4));
    }
    EXPECT_EQ(found[0], found[2]) << architecture;
    EXPECT_EQ(found[1], found[3]) << architecture;
  }
}
TEST(LlamaModel, one_token_has_the_same_bits_everywhere) {
  std::vector<Logits> found;
  for (BackendKind backend : backends) found.push_back(Both("--size tied", 4, backend).llama.prefill(Ids{7}));
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}
TEST(LlamaModel, what_is_refused) {
  Both both("--size tied", 4);
  auto const code = [&](const Ids& ids) { return build::code_of([&] { (void)both.llama.append(ids); }); };
  EXPECT_EQ(code({}), "llama-step");
  EXPECT_EQ(code({1, 2, 3, 4, 5}), "llama-step");
  EXPECT_EQ(code({128}), "llama-prompt");
  EXPECT_EQ(code({1, 2, 3, 4}), "accepted");
  EXPECT_EQ(code({1}), "llama-step");
  kernels::LlamaStep step{.tokens = 2, .capacity = 4, .sequences = 2};
  EXPECT_STREQ(kernels::check_step(both.config, step).refusal().code, "llama-step");
  step = {.capacity = 4, .chips = 3};
  EXPECT_STREQ(kernels::check_step(both.config, step).refusal().code, "llama-step");
  step = {.capacity = both.config.positions + 1};
  EXPECT_STREQ(kernels::check_step(both.config, step).refusal().code, "llama-step");
}

}  // namespace
}  // namespace tcp
