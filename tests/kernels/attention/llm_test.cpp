// What the book's page on the transformer says about attention, row by row of the ledger.
#include <gtest/gtest.h>

#include <optional>

#include "attention_oracle.hpp"
#include "kernels/attention/decode.hpp"
#include "kernels/attention/flash.hpp"
#include "recorder.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/runtime/prepare.hpp"
#include "tcp/support/refused.hpp"

namespace tcp {
namespace {

using kernels::AttentionSizes;
using kernels::DecodeAttention;
using kernels::FlashAttention;
using oracle::Numbers;

/// A prompt, or a part of one, in HBM.
struct Prompt {
  explicit Prompt(const AttentionSizes& sizes) : s(sizes), ctx(Context::acquire(ContextOptions{})) {
    auto const empty = oracle::empty_cache(s);
    k_cache = empty.to_hbm(ctx.pdma, dyn::one, empty.element());
    v_cache = empty.to_hbm(ctx.pdma, dyn::one, empty.element());
  }
  dyn::Tensor rows(const Numbers& n, const Mapping& layout) { return oracle::rows_of(n, layout).to_hbm(ctx.pdma, dyn::one, layout); }
  dyn::HostTensor cache(const dyn::Tensor& t) { return t.to_host(ctx.pdma, kernels::cache_layout(s)); }

  /// Keys and values of the tokens into the cache, and attention of all of them.
  Numbers prefill(const Numbers& q, const Numbers& k, const Numbers& v) {
    std::int64_t const tokens = q.tokens();
    FlashAttention const attend(rngd, s, tokens);
    Mapping const layout = kernels::new_keys_layout(rngd, s, tokens);
    auto const kernel = [&](Context& each, const dyn::Tensor& queries, const dyn::Tensor& keys, const dyn::Tensor& values,
                            const dyn::Tensor& all_keys, const dyn::Tensor& all_values) {
      kernels::append_to_cache(each, s, keys, tokens, all_keys, 0, 0);
      kernels::append_to_cache(each, s, values, tokens, all_values, 0, 0);
      return attend(each, queries, all_keys, all_values);
    };
    auto const out = launch(kernel, ctx, rows(q, attend.layout()), rows(k, layout), rows(v, layout), k_cache, v_cache)
                         .get()
                         .to_host(ctx.pdma, attend.layout());
    return oracle::numbers_of(out, tokens, s.q_heads, s.head_dim);
  }
  /// One token more.
  Numbers decode(const Numbers& q, const Numbers& k, const Numbers& v, std::int64_t length) {
    DecodeAttention const attend(rngd, s, {length});
    Mapping const layout = kernels::new_keys_layout(rngd, s, 1);
    auto const out = launch(attend, ctx, rows(q, attend.layout()), rows(k, layout), rows(v, layout), k_cache, v_cache)
                         .get()
                         .to_host(ctx.pdma, attend.layout());
    return oracle::numbers_of(out, 1, s.q_heads, s.head_dim);
  }

  AttentionSizes s;
  Context ctx;
  dyn::Tensor k_cache, v_cache;
};

Numbers token_of(const Numbers& n, std::int64_t token) {
  Numbers one(1, n.heads(), n.dim());
  for (std::int64_t h = 0; h < n.heads(); ++h)
    for (std::int64_t d = 0; d < n.dim(); ++d) one.bits_at(0, h, d) = oracle::to_bf16(n(token, h, d));
  return one;
}
Numbers first_of(const Numbers& n, std::int64_t tokens) {
  Numbers some(tokens, n.heads(), n.dim());
  std::copy_n(n.bits.begin(), some.bits.size(), some.bits.begin());
  return some;
}
Numbers constant(std::int64_t tokens, std::int64_t heads, std::int64_t dim, double value) {
  Numbers n(tokens, heads, dim);
  for (std::uint32_t& each : n.bits) each = oracle::to_bf16(value);
  return n;
}

TEST(Attention, LLM_11_the_cache_of_a_prefill_is_the_keys_and_values_by_head) {
  AttentionSizes const s{4, 2, 16, 40};
  Random random(11);
  Numbers const q = oracle::drawn(random, 33, 4, 16), k = oracle::drawn(random, 33, 2, 16), v = oracle::drawn(random, 33, 2, 16);
  Prompt prompt(s);
  prompt.prefill(q, k, v);
  auto const keys = prompt.cache(prompt.k_cache), values = prompt.cache(prompt.v_cache);
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t p = 0; p < 40; ++p)
      for (std::int64_t d = 0; d < 16; ++d) {
        EXPECT_EQ(oracle::cached(keys, s, 0, h, p, d), p < 33 ? oracle::to_bf16(k(p, h, d)) : 0x7fc0u);
        EXPECT_EQ(oracle::cached(values, s, 0, h, p, d), p < 33 ? oracle::to_bf16(v(p, h, d)) : 0x7fc0u);
      }
}
TEST(Attention, LLM_12_a_group_of_query_heads_reads_one_head_of_keys) {
  // The query is along axis h of its kv head's keys, which tell tokens apart; values say who was attended to.
  AttentionSizes const s{6, 2, 16, 8};
  Numbers const q = constant(8, 6, 16, 4);
  Numbers k(8, 2, 16), v(8, 2, 16);
  for (std::int64_t p = 0; p < 8; ++p)
    for (std::int64_t d = 0; d < 16; ++d) {
      k.bits_at(p, 0, d) = oracle::to_bf16(p == 2 ? 4 : -4);  // kv head 0 prefers token 2, kv head 1 token 5
      k.bits_at(p, 1, d) = oracle::to_bf16(p == 5 ? 4 : -4);
      v.bits_at(p, 0, d) = v.bits_at(p, 1, d) = oracle::to_bf16(static_cast<double>(p));
    }
  Numbers const out = Prompt(s).prefill(q, k, v);
  for (std::int64_t h = 0; h < 6; ++h)
    for (std::int64_t d = 0; d < 16; ++d) EXPECT_EQ(out(7, h, d), h < 3 ? 2 : 5);
}
TEST(Attention, LLM_13_scores_are_divided_by_the_root_of_the_dimension) {
  for (std::int64_t dim : {16, 64, 128}) {
    AttentionSizes const s{1, 1, dim, 2};
    Numbers q = constant(2, 1, dim, 0), k = constant(2, 1, dim, 0), v = constant(2, 1, dim, 0);
    q.bits_at(1, 0, 0) = oracle::to_bf16(3);
    k.bits_at(1, 0, 0) = oracle::to_bf16(4);  // a score of 12 against one of 0
    for (std::int64_t d = 0; d < dim; ++d) v.bits_at(1, 0, d) = oracle::to_bf16(1);
    double const right = 1 / (1 + std::exp(-12 / std::sqrt(static_cast<double>(dim))));
    Numbers const out = Prompt(s).prefill(q, k, v);
    EXPECT_NEAR(out(1, 0, 0), right, oracle::tolerance(1)) << dim;
  }
}
TEST(Attention, LLM_14_keys_after_the_query_are_masked) {
  AttentionSizes const s{2, 1, 16, 80};
  Random random(14);
  Numbers const q = oracle::drawn(random, 80, 2, 16);
  Numbers k = oracle::drawn(random, 80, 1, 16), v = oracle::drawn(random, 80, 1, 16);
  Numbers const before = Prompt(s).prefill(q, k, v);
  for (std::int64_t p = 50; p < 80; ++p)  // another future
    for (std::int64_t d = 0; d < 16; ++d) {
      k.bits_at(p, 0, d) = oracle::to_bf16(100);
      v.bits_at(p, 0, d) = oracle::to_bf16(-100);
    }
  Numbers const after = Prompt(s).prefill(q, k, v);
  for (std::int64_t i = 0; i < 80; ++i) {
    bool same = true;
    for (std::int64_t h = 0; h < 2; ++h)
      for (std::int64_t d = 0; d < 16; ++d) same &= before(i, h, d) == after(i, h, d);
    EXPECT_EQ(same, i < 50) << i;
  }
}
/// The text of what a kernel records.
std::string recorded_prefill(const AttentionSizes& s, std::int64_t tokens) {
  FlashAttention const attend(rngd, s, tokens);
  return build::text_of_kernel([&](Context& ctx) {
    auto const q = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, attend.layout());
    auto const k = dyn::Tensor::hbm_at(1 << 28, ScalarType::bf16, dyn::one, kernels::cache_layout(s));
    auto const v = dyn::Tensor::hbm_at(2 << 28, ScalarType::bf16, dyn::one, kernels::cache_layout(s));
    return attend(ctx, q, k, v);
  });
}
/// Rows of new keys or values, or a cache, of some numbers that are neither all alike nor large.
dyn::Tensor some_rows(Context& ctx, const Mapping& layout, std::uint64_t seed) {
  Random random(seed);
  dyn::HostTensor host(ScalarType::bf16, layout);
  for (std::size_t i = 0; i < host.size(); ++i)
    host.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.next() % 2001) / 1000.0 - 1);
  return host.to_hbm(ctx.pdma, dyn::one, layout);
}
std::vector<std::uint16_t> bits_of(const dyn::HostTensor& t) {
  std::vector<std::uint16_t> all;
  for (std::size_t i = 0; i < t.size(); ++i) all.push_back(t.data<bf16>()[i].bits);
  return all;
}
/// One recording for all lengths with the same number of positions of a slice, against a kernel for each length.
void expect_lengths_at_launch_give_the_same_bits(BackendKind backend, const std::vector<std::int64_t>& lengths, std::int64_t window = 0) {
  AttentionSizes const s{.q_heads = 4, .kv_heads = 2, .head_dim = 16, .capacity = 300, .window = window};
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  DecodeAttention const attend = DecodeAttention::with_length_at_launch(rngd, s, lengths.front());
  Mapping const rows = kernels::new_keys_layout(rngd, s, 1), cache = kernels::cache_layout(s);
  auto const q = some_rows(ctx, attend.layout(), 1), k = some_rows(ctx, rows, 2), v = some_rows(ctx, rows, 3);
  auto const kernel = [&attend](Context& c, const std::vector<dyn::Tensor>& t) {
    return attend(c, t[0], t[1], t[2], t[3], t[4], {t[5], t[6], t[7], t[8]});
  };
  std::optional<Prepared<dyn::Tensor, std::vector<dyn::Tensor>>> prepared;
  for (std::int64_t length : lengths) {
    ASSERT_TRUE(attend.serves(length));
    auto const k_cache = some_rows(ctx, cache, 4), v_cache = some_rows(ctx, cache, 5);  // full, also behind the length
    auto const said = attend.said(length);
    auto const up = [&](const dyn::HostTensor& t) { return t.to_hbm(ctx.pdma, dyn::one, t.element()); };
    std::vector<dyn::Tensor> const all{
        q, k, v, k_cache, v_cache, up(said.position), up(said.limit), up(said.keep), said.from ? up(*said.from) : dyn::Tensor{}};
    if (!prepared) prepared = prepare(kernel, ctx, all);
    auto const out = bits_of(prepared->launch(all).get().to_host(ctx.pdma, attend.layout()));
    auto const keys = bits_of(k_cache.to_host(ctx.pdma, cache));
    auto const k_again = some_rows(ctx, cache, 4), v_again = some_rows(ctx, cache, 5);
    DecodeAttention const of_length(rngd, s, {length});
    EXPECT_EQ(out, bits_of(launch(of_length, ctx, q, k, v, k_again, v_again).get().to_host(ctx.pdma, attend.layout()))) << length;
    EXPECT_EQ(keys, bits_of(k_again.to_host(ctx.pdma, cache))) << length;
  }
}
TEST(DecodeAttention, takes_its_length_from_the_launch) {
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {1, 2, 31, 64, 100, 127, 128});
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {257, 258, 270, 300});
}
TEST(DecodeAttention, takes_its_length_from_the_launch_on_the_simulated_chip) {
  expect_lengths_at_launch_give_the_same_bits(BackendKind::device, {130, 131, 200});
}
/// Windows of one row and of several, that have begun and that have not, and that begin within a row.
TEST(DecodeAttention, takes_its_length_from_the_launch_through_a_window) {
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {1, 7, 8}, 8);
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {9, 60, 255, 256}, 8);
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {257, 260, 263}, 8);
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {264, 299, 300}, 8);
  expect_lengths_at_launch_give_the_same_bits(BackendKind::vector, {257, 280, 300}, 160);
  expect_lengths_at_launch_give_the_same_bits(BackendKind::device, {258, 262}, 8);
}
TEST(DecodeAttention, serves_lengths_with_the_same_positions) {
  AttentionSizes s{.q_heads = 4, .kv_heads = 2, .head_dim = 16, .capacity = 300, .window = 8};
  DecodeAttention const attend = DecodeAttention::with_length_at_launch(rngd, s, 260);
  EXPECT_TRUE(attend.serves(263));
  EXPECT_FALSE(attend.serves(264));  // its first position is in the second row
  EXPECT_FALSE(attend.serves(256));
  s.sequences = 2;
  EXPECT_THROW((void)DecodeAttention::with_length_at_launch(rngd, s, 5, 2), Refused);
}
std::string recorded_decode(const AttentionSizes& s, std::int64_t length) {
  DecodeAttention const attend(rngd, s, {length});
  Mapping const rows = kernels::new_keys_layout(rngd, s, 1);
  return build::text_of_kernel([&](Context& ctx) {
    auto const tensor = [&](std::int64_t n, const Mapping& layout) {
      return dyn::Tensor::hbm_at(n << 28, ScalarType::bf16, dyn::one, layout);
    };
    return attend(ctx, tensor(0, attend.layout()), tensor(1, rows), tensor(2, rows), tensor(3, kernels::cache_layout(s)),
                  tensor(4, kernels::cache_layout(s)));
  });
}
std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t found = text.find(word); found != std::string::npos; found = text.find(word, found + 1)) ++n;
  return n;
}
TEST(Attention, LLM_14_the_mask_is_a_branch_log) {
  std::string const text = recorded_prefill({2, 1, 16, 80}, 80);
  EXPECT_GE(count(text, "branch_log"), 1u);
  EXPECT_GE(count(text, "BitOr"), 1u);
}
TEST(Attention, LLM_15_weights_are_a_softmax) {
  // They sum up to one: of equal values the mean is that value. And a number that is added to all scores changes nothing.
  AttentionSizes const s{4, 2, 16, 150};
  Random random(15);
  Numbers const q = constant(150, 4, 16, 1), v = constant(150, 2, 16, 1.5);
  Numbers k = oracle::drawn(random, 150, 2, 16, 1);
  Numbers const out = Prompt(s).prefill(q, k, v);
  for (std::uint32_t bits : out.bits) EXPECT_EQ(oracle::of_bf16(bits), 1.5);
  Numbers const values = oracle::drawn(random, 150, 2, 16);
  for (std::uint32_t& bits : k.bits) bits = oracle::to_bf16(std::round(oracle::of_bf16(bits) * 8) / 8);  // so that adding 4 is exact
  Numbers const plain = Prompt(s).prefill(q, k, values);
  for (std::uint32_t& bits : k.bits) bits = oracle::to_bf16(oracle::of_bf16(bits) + 4);
  EXPECT_EQ(plain.bits, Prompt(s).prefill(q, k, values).bits);
}
TEST(Attention, LLM_16_the_output_is_the_weighted_mean_of_values) {
  // Queries of zero attend to all keys alike: the mean of the values so far.
  AttentionSizes const s{4, 2, 24, 100};
  Random random(16);
  Numbers const q = constant(100, 4, 24, 0), k = oracle::drawn(random, 100, 2, 24), v = oracle::drawn(random, 100, 2, 24);
  Numbers const out = Prompt(s).prefill(q, k, v);
  for (std::int64_t h = 0; h < 4; ++h)
    for (std::int64_t d = 0; d < 24; ++d) {
      double sum = 0;
      for (std::int64_t i = 0; i < 100; ++i) {
        sum += v(i, h / 2, d);
        EXPECT_NEAR(out(i, h, d), sum / static_cast<double>(i + 1), oracle::tolerance(2));
      }
    }
}
TEST(Attention, LLM_28_a_decode_step_writes_the_last_position) {
  AttentionSizes const s{4, 2, 16, 40};
  Random random(28);
  Numbers const q = oracle::drawn(random, 21, 4, 16), k = oracle::drawn(random, 21, 2, 16), v = oracle::drawn(random, 21, 2, 16);
  Prompt prompt(s);
  prompt.prefill(first_of(q, 20), first_of(k, 20), first_of(v, 20));
  prompt.decode(token_of(q, 20), token_of(k, 20), token_of(v, 20), 21);
  auto const keys = prompt.cache(prompt.k_cache), values = prompt.cache(prompt.v_cache);
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t p = 0; p < 40; ++p)
      for (std::int64_t d = 0; d < 16; ++d) {
        EXPECT_EQ(oracle::cached(keys, s, 0, h, p, d), p < 21 ? oracle::to_bf16(k(p, h, d)) : 0x7fc0u);
        EXPECT_EQ(oracle::cached(values, s, 0, h, p, d), p < 21 ? oracle::to_bf16(v(p, h, d)) : 0x7fc0u);
      }
}
TEST(Attention, LLM_29_a_decode_step_scores_all_positions_without_a_mask) {
  AttentionSizes const s{4, 2, 64, 100};
  Random random(29);
  Numbers const q = oracle::drawn(random, 100, 4, 64), k = oracle::drawn(random, 100, 2, 64), v = oracle::drawn(random, 100, 2, 64);
  Prompt prompt(s);
  prompt.prefill(first_of(q, 99), first_of(k, 99), first_of(v, 99));
  Numbers const last = token_of(q, 99), out = prompt.decode(last, token_of(k, 99), token_of(v, 99), 100);
  for (std::int64_t h = 0; h < 4; ++h) {
    std::vector<double> const right = oracle::attended(last, k, v, 0, h, 99);
    for (std::int64_t d = 0; d < 64; ++d) EXPECT_NEAR(out(0, h, d), right[oracle::at(d)], oracle::tolerance(2));
  }
  EXPECT_EQ(count(recorded_decode(s, 100), "branch_log"), 0u);
}
TEST(Attention, LLM_30_a_decode_step_is_a_softmax_over_all_tokens) {
  AttentionSizes const s{8, 2, 32, 77};
  Random random(30);
  Numbers const zero = constant(1, 8, 32, 0), k = oracle::drawn(random, 77, 2, 32), v = oracle::drawn(random, 77, 2, 32);
  Prompt prompt(s);
  prompt.prefill(constant(76, 8, 32, 0), first_of(k, 76), first_of(v, 76));
  Numbers const out = prompt.decode(zero, token_of(k, 76), token_of(v, 76), 77);
  for (std::int64_t h = 0; h < 8; ++h)
    for (std::int64_t d = 0; d < 32; ++d) {
      double mean = 0;
      for (std::int64_t p = 0; p < 77; ++p) mean += v(p, h / 4, d) / 77;
      EXPECT_NEAR(out(0, h, d), mean, oracle::tolerance(2));
    }
}
TEST(Attention, LLM_34_prefill_computes_and_decode_reads) {
  AttentionSizes const s{32, 8, 128, 4096};
  auto const prefill = kernels::cycles_of(FlashAttention(rngd, s, 4096).work(), rngd);
  auto const decode = kernels::cycles_of(DecodeAttention(rngd, s, {4096}).work(), rngd);
  EXPECT_STREQ(prefill.bound_by(), "multiply-adds");
  EXPECT_STREQ(decode.bound_by(), "HBM");
  EXPECT_GE(count(recorded_prefill({2, 1, 16, 80}, 80), "branch_log"), 1u);  // mask yes, mask no
  EXPECT_EQ(count(recorded_decode({2, 1, 16, 80}, 80), "branch_log"), 0u);
}
TEST(Attention, LLM_35_decode_after_prefill_equals_prefill_of_the_longer_prompt) {
  AttentionSizes const s{8, 2, 32, 64};
  Random random(35);
  Numbers const q = oracle::drawn(random, 64, 8, 32), k = oracle::drawn(random, 64, 2, 32), v = oracle::drawn(random, 64, 2, 32);
  Numbers const whole = Prompt(s).prefill(q, k, v);
  Prompt prompt(s);
  prompt.prefill(first_of(q, 48), first_of(k, 48), first_of(v, 48));
  for (std::int64_t p = 48; p < 64; ++p) {
    Numbers const out = prompt.decode(token_of(q, p), token_of(k, p), token_of(v, p), p + 1);
    for (std::int64_t h = 0; h < 8; ++h)
      for (std::int64_t d = 0; d < 32; ++d) EXPECT_NEAR(out(0, h, d), whole(p, h, d), 2 * oracle::tolerance(2)) << p;
  }
}

}  // namespace
}  // namespace tcp
