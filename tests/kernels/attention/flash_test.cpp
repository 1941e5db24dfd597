// Flash attention against host loops, for sizes that divide by nothing, and against its bound.
#include "kernels/attention/flash.hpp"

#include <gtest/gtest.h>

#include "attention_oracle.hpp"
#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp {
namespace {

using kernels::AttentionSizes;
using kernels::FlashAttention;
using oracle::Numbers;

struct Case {
  std::int64_t tokens, q_heads, kv_heads, head_dim, past = 0, sequences = 1, spare = 0;
  oracle::Scoring scoring{};
};

AttentionSizes sizes_of(const Case& c) {
  return {.q_heads = c.q_heads,
          .kv_heads = c.kv_heads,
          .head_dim = c.head_dim,
          .capacity = c.past + c.tokens + c.spare,
          .sequences = c.sequences,
          .window = c.scoring.window,
          .scale = static_cast<float>(c.scoring.scale),
          .cap = static_cast<float>(c.scoring.cap)};
}

Context context_of(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}

/// Keys and values in the cache of the last sequence; what the kernel makes of it.
Numbers computed(BackendKind backend, const Case& c, const Numbers& q, const Numbers& k, const Numbers& v) {
  auto ctx = context_of(backend);
  AttentionSizes const s = sizes_of(c);
  FlashAttention const attend(rngd, s, c.tokens, c.past);
  auto k_cache = oracle::empty_cache(s), v_cache = oracle::empty_cache(s);
  oracle::put(k_cache, s, c.sequences - 1, k, k.tokens());
  oracle::put(v_cache, s, c.sequences - 1, v, v.tokens());
  auto const q_hbm = oracle::rows_of(q, attend.layout()).to_hbm(ctx.pdma, dyn::one, attend.layout());
  auto const k_hbm = k_cache.to_hbm(ctx.pdma, dyn::one, k_cache.element()), v_hbm = v_cache.to_hbm(ctx.pdma, dyn::one, v_cache.element());
  auto const kernel = [&](Context& each, const dyn::Tensor& queries, const dyn::Tensor& keys, const dyn::Tensor& values) {
    return attend(each, queries, keys, values, c.sequences - 1);
  };
  auto const out = launch(kernel, ctx, q_hbm, k_hbm, v_hbm).get().to_host(ctx.pdma, attend.layout());
  return oracle::numbers_of(out, c.tokens, c.q_heads, c.head_dim);
}

struct Drawn {
  Drawn(const Case& c, double q_size = 2)
      : random(static_cast<std::uint64_t>(c.tokens * 1000003 + c.q_heads * 1009 + c.head_dim)),
        q(oracle::drawn(random, c.tokens, c.q_heads, c.head_dim, q_size)),
        k(oracle::drawn(random, c.past + c.tokens, c.kv_heads, c.head_dim)),
        v(oracle::drawn(random, c.past + c.tokens, c.kv_heads, c.head_dim)) {}
  Random random;
  Numbers q, k, v;
};

/// Elements that are further from the host's than bf16 allows.
int wrong(const Case& c, const Numbers& out, const Drawn& in) {
  int bad = 0;
  for (std::int64_t i = 0; i < c.tokens; ++i)
    for (std::int64_t h = 0; h < c.q_heads; ++h) {
      std::vector<double> const right = oracle::attended(in.q, in.k, in.v, i, h, c.past, c.scoring);
      for (std::int64_t d = 0; d < c.head_dim; ++d) bad += !oracle::near(out(i, h, d), right[oracle::at(d)], oracle::tolerance(2));
    }
  return bad;
}

void expect_right(BackendKind backend, const Case& c, double q_size = 2) {
  SCOPED_TRACE(testing::Message() << c.tokens << " tokens after " << c.past << ", " << c.q_heads << " of " << c.kv_heads << " heads of "
                                  << c.head_dim << " on " << name_of(backend));
  try {
    Drawn const in(c, q_size);
    EXPECT_EQ(wrong(c, computed(backend, c, in.q, in.k, in.v), in), 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

TEST(FlashAttention, any_size_on_vector) {
  for (Case c : {Case{1, 1, 1, 16}, {40, 4, 2, 16}, {129, 32, 8, 32}, {50, 9, 3, 40}, {33, 8, 1, 128}})
    expect_right(BackendKind::vector, c);
}
TEST(FlashAttention, several_blocks_and_tiles_on_vector) {
  for (Case c : {Case{700, 32, 8, 16}, {1030, 8, 1, 16}}) expect_right(BackendKind::vector, c);
}
TEST(FlashAttention, as_many_heads_as_slices) {
  for (Case c : {Case{20, 512, 512, 16}, {70, 128, 16, 16}}) expect_right(BackendKind::vector, c);
}
TEST(FlashAttention, random_sizes_on_vector) {
  Random random(26);
  for (int n = 0; n < nightly::cases(8); ++n) {
    Case c{};
    c.kv_heads = std::int64_t{1} << random.between(0, 3);
    c.q_heads = c.kv_heads * random.between(1, 8);
    c.head_dim = 8 * random.between(2, 4);
    c.tokens = random.between(1, std::int64_t{1} << random.between(0, 8));
    c.past = random.between(0, 1) * random.between(1, 100);
    expect_right(BackendKind::vector, c);
  }
}
TEST(FlashAttention, after_tokens_that_are_in_the_cache_already) {
  for (Case c : {Case{30, 16, 2, 16, 100}, {200, 32, 8, 16, 513, 3, 50}}) expect_right(BackendKind::vector, c);
}
/// Windows within a group of queries, over several, over blocks and over tiles, and longer than everything.
TEST(FlashAttention, a_window_of_the_last_tokens) {
  for (std::int64_t window : {1, 5, 128, 600})
    for (Case c : {Case{40, 4, 2, 16}, {130, 32, 8, 16, 77}, {700, 32, 8, 16}, {60, 8, 1, 16, 600, 2, 9}}) {
      c.scoring.window = window;
      expect_right(BackendKind::vector, c);
    }
}
TEST(FlashAttention, scores_with_a_scale_and_a_cap_of_their_own) {
  for (oracle::Scoring const& scoring : {oracle::Scoring{0, 0.1, 0}, {0, 0, 3}, {0, 0.4, 2}, {20, 0.3, 1.5}})
    for (Case c : {Case{50, 9, 3, 40}, {130, 32, 8, 16, 50}, {5, 1, 1, 16}}) {
      c.scoring = scoring;
      expect_right(BackendKind::vector, c);
    }
}
TEST(FlashAttention, windows_and_caps_have_the_same_bits_on_the_simulated_chip) {
  for (oracle::Scoring const& scoring : {oracle::Scoring{30, 0, 0}, {0, 0.4, 2}}) {
    Case c{140, 8, 4, 16, 9};
    c.scoring = scoring;
    Drawn const in(c);
    EXPECT_EQ(computed(BackendKind::vector, c, in.q, in.k, in.v).bits, computed(BackendKind::device, c, in.q, in.k, in.v).bits);
  }
}
TEST(FlashAttention, the_same_on_the_simulated_chip) {
  for (Case c : {Case{9, 2, 1, 16}, {70, 6, 3, 24}, {140, 32, 8, 32}}) expect_right(BackendKind::device, c);
}
TEST(FlashAttention, every_backend_gives_the_same_bits) {
  Case const c{5, 1, 1, 16};
  Drawn const in(c);
  Numbers const out = computed(BackendKind::vector, c, in.q, in.k, in.v);
  EXPECT_EQ(out.bits, computed(BackendKind::device, c, in.q, in.k, in.v).bits);
  EXPECT_EQ(out.bits, computed(BackendKind::reference, c, in.q, in.k, in.v).bits);
}
TEST(FlashAttention, several_groups_of_queries_give_the_same_bits_on_the_simulated_chip) {
  Case const c{260, 32, 8, 16};
  Drawn const in(c);
  EXPECT_EQ(computed(BackendKind::vector, c, in.q, in.k, in.v).bits, computed(BackendKind::device, c, in.q, in.k, in.v).bits);
}

TEST(FlashAttention, large_scores_neither_overflow_nor_vanish) {
  // Scores of several hundreds, growing from block to block, so that every block takes over the maximum.
  Case const c{520, 32, 32, 16};
  Drawn in(c, 60);
  for (std::int64_t j = 0; j < c.tokens; ++j)
    for (std::int64_t h = 0; h < c.kv_heads; ++h)
      for (std::int64_t d = 0; d < c.head_dim; ++d)
        in.k.bits_at(j, h, d) = oracle::to_bf16(in.k(j, h, d) * (1 + static_cast<double>(j) / 50));
  EXPECT_EQ(wrong(c, computed(BackendKind::vector, c, in.q, in.k, in.v), in), 0);
}
TEST(FlashAttention, one_token_gets_its_own_value) {
  Case const c{1, 8, 2, 64};
  Drawn const in(c);
  Numbers const out = computed(BackendKind::vector, c, in.q, in.k, in.v);
  for (std::int64_t h = 0; h < c.q_heads; ++h)
    for (std::int64_t d = 0; d < c.head_dim; ++d) EXPECT_EQ(out(0, h, d), in.v(0, h / 4, d));
}
TEST(FlashAttention, nan_reaches_whom_it_concerns) {
  Case const c{90, 4, 2, 16};
  Drawn in(c);
  in.q.bits_at(33, 3, 5) = 0x7fc0;  // a query: its own row
  in.k.bits_at(70, 0, 5) = 0x7fc0;  // a key: all later tokens of the heads that read it
  Numbers const out = computed(BackendKind::vector, c, in.q, in.k, in.v);
  for (std::int64_t i = 0; i < c.tokens; ++i)
    for (std::int64_t h = 0; h < c.q_heads; ++h) {
      bool const concerned = (i == 33 && h == 3) || (i >= 70 && h < 2);
      for (std::int64_t d = 0; d < c.head_dim; ++d) EXPECT_EQ(std::isnan(out(i, h, d)), concerned) << i << ' ' << h << ' ' << d;
    }
}
TEST(FlashAttention, infinite_scores) {
  Case const c{40, 2, 1, 16};
  Drawn in(c);
  for (std::int64_t d = 0; d < c.head_dim; ++d) {
    for (std::int64_t i = 0; i < c.tokens; ++i) in.q.bits_at(i, 0, d) = in.q.bits_at(i, 1, d) = oracle::to_bf16(1);
    in.k.bits_at(7, 0, d) = 0xff80;  // a score of -infinity: no query attends to this key
  }
  EXPECT_EQ(wrong(c, computed(BackendKind::vector, c, in.q, in.k, in.v), in), 0);
}

TEST(FlashAttention, numbers_at_the_edges_of_their_format) {
  for (Case const& c : {Case{9, 4, 2, 16}, Case{6, 2, 1, 24, 30}}) {
    Drawn in(c);
    oracle::to_the_edges(in.random, in.q);
    oracle::to_the_edges(in.random, in.k);
    for (std::uint32_t& bits : in.v.bits)
      if (in.random.below(3) == 0) bits = static_cast<std::uint32_t>(in.random.below(2)) << 15 | 0x11;
    Numbers const out = computed(BackendKind::vector, c, in.q, in.k, in.v);
    EXPECT_EQ(wrong(c, out, in), 0);
    EXPECT_EQ(out.bits, computed(BackendKind::device, c, in.q, in.k, in.v).bits);
    EXPECT_EQ(out.bits, computed(BackendKind::reference, c, in.q, in.k, in.v).bits);
  }
}
TEST(FlashAttention, sizes_that_are_none) {
  auto const code = [](const AttentionSizes& s, std::int64_t tokens, std::int64_t past = 0) {
    return build::code_of([&] { FlashAttention(rngd, s, tokens, past); });
  };
  AttentionSizes const good{2, 1, 16, 8};
  EXPECT_EQ(code(good, 8), "accepted");
  for (std::int64_t tokens : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9}, INT64_MAX})
    EXPECT_EQ(code(good, tokens), "kernel-attention-tokens");
  for (std::int64_t past : {std::int64_t{-1}, std::int64_t{8}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(code(good, 1, past), "kernel-attention-tokens");
  EXPECT_EQ(code({0, 1, 16, 8}, 1), "kernel-attention-heads");
  EXPECT_EQ(code({1, 0, 16, 8}, 1), "kernel-attention-heads");
  EXPECT_EQ(code({3, 2, 16, 8}, 1), "kernel-attention-heads");
  for (std::int64_t dim : {0, -8, 8, 12, 264}) EXPECT_EQ(code({1, 1, dim, 8}, 1), "kernel-attention-head-dim");
  EXPECT_EQ(code({1, 1, 16, 0}, 1), "kernel-attention-cache");
  EXPECT_EQ(code({1, 1, 16, 8, 0}, 1), "kernel-attention-cache");
}

ir::Module module_of(const Case& c) {
  AttentionSizes const s = sizes_of(c);
  FlashAttention const attend(rngd, s, c.tokens, c.past);
  return build::module_of([&](Context& ctx) {
    std::int64_t const apart = std::int64_t{8} << 30;
    auto const q = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, attend.layout());
    auto const k = dyn::Tensor::hbm_at(apart, ScalarType::bf16, dyn::one, kernels::cache_layout(s));
    auto const v = dyn::Tensor::hbm_at(2 * apart, ScalarType::bf16, dyn::one, kernels::cache_layout(s));
    return attend(ctx, q, k, v);
  });
}
program::Program program_of(const Case& c) { return build::lowered(module_of(c)); }
/// Heads of fewer than 128 numbers fill no unit of HBM, so slices of neighbouring heads exchange rows before they store
/// them. The neighbours are heads of queries that share keys, or where each head has its own keys, heads of keys. Both
/// are tried with one slice per head and with several, and with more heads in a cluster than exchange rows.
TEST(FlashAttention, neighbouring_heads_exchange_rows_whether_or_not_they_share_keys) {
  for (Case c : {Case{40, 32, 32, 16}, {40, 8, 8, 64}, {30, 512, 512, 32}, {40, 32, 2, 16}, {40, 32, 4, 32}, {40, 8, 1, 32}}) {
    EXPECT_NE(ir::print(module_of(c)).find("InterTranspose"), std::string::npos)
        << c.q_heads << " of " << c.kv_heads << " heads of " << c.head_dim;
    expect_right(BackendKind::vector, c);
  }
  expect_right(BackendKind::device, {40, 32, 32, 16});
}
TEST(FlashAttention, every_size_is_a_program) {
  for (Case c : {Case{134, 120, 10, 248, 930}, {143, 90, 15, 240, 1506}})  // blocks of which few have room
    EXPECT_EQ(build::code_of([&] { program_of(c); }), "accepted") << c.q_heads << " of " << c.kv_heads << " heads of " << c.head_dim;
  Random random(3);
  for (int n = 0; n < nightly::cases(24); ++n) {
    Case c{};
    c.kv_heads = random.between(1, 16);
    c.q_heads = c.kv_heads * random.between(1, 16);
    c.head_dim = 8 * random.between(2, 32);
    c.tokens = random.between(1, std::int64_t{1} << random.between(0, 11));
    c.past = random.between(0, 1) * random.between(1, 2000);
    EXPECT_EQ(build::code_of([&] { program_of(c); }), "accepted")
        << c.tokens << " tokens after " << c.past << ", " << c.q_heads << " of " << c.kv_heads << " heads of " << c.head_dim;
  }
}

/// The cycles that the book counts, against the multiply-adds of the causal half at the full rate of both clusters.
double ratio_to_bound(const Case& c) {
  auto const timed = value_or_throw(plan(program_of(c), rngd));
  double const pairs = 0.5 * static_cast<double>(c.tokens) * static_cast<double>(c.tokens + 1);
  double const per_cycle = 2.0 * 256 * 8 * 32;
  return static_cast<double>(timed.schedule.makespan.value) * per_cycle / (2 * pairs * static_cast<double>(c.q_heads * c.head_dim));
}
TEST(FlashAttention, is_near_its_bound) {
  EXPECT_LE(ratio_to_bound({4096, 32, 8, 128}), 1.6);
  EXPECT_LE(ratio_to_bound({4096, 32, 32, 128}), 1.6);
  EXPECT_LE(ratio_to_bound({4096, 64, 8, 128}), 1.6);
}
TEST(FlashAttention, few_heads_and_small_heads_are_near_it_too) {
  EXPECT_LE(ratio_to_bound({4096, 8, 1, 128}), 2.2);  // what one of eight chips has of the 70B model
  EXPECT_LE(ratio_to_bound({4096, 32, 8, 64}), 2.1);
}
TEST(FlashAttention, the_work_is_what_it_cannot_do_without) {
  FlashAttention const attend(rngd, {.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 100}, 10, 5);
  // Token i attends to 5 + i + 1 keys: 6 to 15, 105 in all.
  EXPECT_EQ(attend.work().multiply_adds, 2 * 105 * 8 * 64);
  EXPECT_EQ(attend.work().hbm_bytes, 2 * 64 * (10 * 8 + 10 * 8 + 15 * 2 + 15 * 2));
}

}  // namespace
}  // namespace tcp
