// Attention of new tokens to a cache, against host loops; and the cache afterwards.
#include "kernels/attention/decode.hpp"

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
using kernels::DecodeAttention;
using oracle::Numbers;

struct Case {
  std::int64_t q_heads, kv_heads, head_dim;
  std::vector<std::int64_t> lengths;
  std::int64_t spare = 0;
  oracle::Scoring scoring{};
};

AttentionSizes sizes_of(const Case& c) {
  std::int64_t longest = 0;
  for (std::int64_t n : c.lengths) longest = std::max(longest, n);
  return {.q_heads = c.q_heads,
          .kv_heads = c.kv_heads,
          .head_dim = c.head_dim,
          .capacity = longest + c.spare,
          .sequences = static_cast<std::int64_t>(c.lengths.size()),
          .window = c.scoring.window,
          .scale = static_cast<float>(c.scoring.scale),
          .cap = static_cast<float>(c.scoring.cap)};
}

/// A query of each sequence, and the keys and values of all its tokens, the new one last.
struct Drawn {
  explicit Drawn(const Case& c) : random(static_cast<std::uint64_t>(c.q_heads * 1009 + c.head_dim + c.lengths.front() * 7)) {
    for (std::int64_t n : c.lengths) {
      q.push_back(oracle::drawn(random, 1, c.q_heads, c.head_dim));
      k.push_back(oracle::drawn(random, n, c.kv_heads, c.head_dim));
      v.push_back(oracle::drawn(random, n, c.kv_heads, c.head_dim));
    }
  }
  Random random;
  std::vector<Numbers> q, k, v;
};

/// The last token of each, as rows.
dyn::HostTensor last_rows(const std::vector<Numbers>& all, const Mapping& layout) {
  Numbers rows(static_cast<std::int64_t>(all.size()), all[0].heads(), all[0].dim());
  for (std::size_t b = 0; b < all.size(); ++b)
    for (std::int64_t h = 0; h < rows.heads(); ++h)
      for (std::int64_t d = 0; d < rows.dim(); ++d)
        rows.bits_at(static_cast<std::int64_t>(b), h, d) = all[b].bits_of(all[b].tokens() - 1, h, d);
  return oracle::rows_of(rows, layout);
}

struct Computed {
  Numbers out;
  dyn::HostTensor k_cache, v_cache;
};
Computed computed(BackendKind backend, const Case& c, const Drawn& in) {
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  AttentionSizes const s = sizes_of(c);
  DecodeAttention const attend(rngd, s, c.lengths);
  auto k_cache = oracle::empty_cache(s), v_cache = oracle::empty_cache(s);
  for (std::size_t b = 0; b < c.lengths.size(); ++b) {
    oracle::put(k_cache, s, static_cast<std::int64_t>(b), in.k[b], c.lengths[b] - 1);
    oracle::put(v_cache, s, static_cast<std::int64_t>(b), in.v[b], c.lengths[b] - 1);
  }
  Mapping const rows = kernels::new_keys_layout(rngd, s, s.sequences);
  auto const q = last_rows(in.q, attend.layout()).to_hbm(ctx.pdma, dyn::one, attend.layout());
  auto const k_new = last_rows(in.k, rows).to_hbm(ctx.pdma, dyn::one, rows), v_new = last_rows(in.v, rows).to_hbm(ctx.pdma, dyn::one, rows);
  auto const k_hbm = k_cache.to_hbm(ctx.pdma, dyn::one, k_cache.element()), v_hbm = v_cache.to_hbm(ctx.pdma, dyn::one, v_cache.element());
  auto const out = launch(attend, ctx, q, k_new, v_new, k_hbm, v_hbm).get().to_host(ctx.pdma, attend.layout());
  return {oracle::numbers_of(out, s.sequences, c.q_heads, c.head_dim), k_hbm.to_host(ctx.pdma, k_cache.element()),
          v_hbm.to_host(ctx.pdma, v_cache.element())};
}

int wrong(const Case& c, const Numbers& out, const Drawn& in) {
  int bad = 0;
  for (std::size_t b = 0; b < c.lengths.size(); ++b)
    for (std::int64_t h = 0; h < c.q_heads; ++h) {
      std::vector<double> const right = oracle::attended(in.q[b], in.k[b], in.v[b], 0, h, c.lengths[b] - 1, c.scoring);
      for (std::int64_t d = 0; d < c.head_dim; ++d)
        bad += !oracle::near(out(static_cast<std::int64_t>(b), h, d), right[oracle::at(d)], oracle::tolerance(2));
    }
  return bad;
}
/// Positions of the cache that are not what they were, or should have become.
int wrong_in_cache(const Case& c, const dyn::HostTensor& cache, const std::vector<Numbers>& right) {
  AttentionSizes const s = sizes_of(c);
  int bad = 0;
  for (std::int64_t b = 0; b < s.sequences; ++b)
    for (std::int64_t h = 0; h < s.kv_heads; ++h)
      for (std::int64_t p = 0; p < s.capacity; ++p)
        for (std::int64_t d = 0; d < s.head_dim; ++d) {
          bool const there = p < c.lengths[oracle::at(b)];
          std::uint32_t const bits = there ? right[oracle::at(b)].bits_of(p, h, d) : 0x7fc0;
          bad += oracle::cached(cache, s, b, h, p, d) != bits;
        }
  return bad;
}

void expect_right(BackendKind backend, const Case& c) {
  SCOPED_TRACE(testing::Message() << c.lengths.size() << " sequences, the first of " << c.lengths.front() << ", " << c.q_heads << " of "
                                  << c.kv_heads << " heads of " << c.head_dim << " on " << name_of(backend));
  try {
    Drawn const in(c);
    Computed const made = computed(backend, c, in);
    EXPECT_EQ(wrong(c, made.out, in), 0);
    EXPECT_EQ(wrong_in_cache(c, made.k_cache, in.k), 0);
    EXPECT_EQ(wrong_in_cache(c, made.v_cache, in.v), 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

TEST(DecodeAttention, any_size_on_vector) {
  for (Case const& c :
       {Case{1, 1, 16, {1}}, {1, 1, 16, {5}}, {32, 8, 128, {130}}, {4, 2, 16, {1, 600, 77}}, {6, 3, 24, {99}, 100}, {4, 2, 256, {30, 12}}})
    expect_right(BackendKind::vector, c);
}
TEST(DecodeAttention, many_query_heads_of_one) {
  for (Case const& c : {Case{32, 2, 64, {99, 7}}, {22, 2, 32, {300}}, {16, 1, 160, {99}}, {71, 1, 16, {50}}})
    expect_right(BackendKind::vector, c);
}
TEST(DecodeAttention, one_head_of_keys_and_two_sequences_at_once) {
  for (Case const& c : {Case{8, 1, 64, {700, 700}}, {8, 1, 16, {700, 701}}, {2, 1, 32, {256, 256, 256, 256}}})
    expect_right(BackendKind::vector, c);
}
/// Short ones of the same length share a turn.
TEST(DecodeAttention, sequences_beside_each_other_in_a_cluster) {
  for (Case const& c : {Case{4, 2, 16, std::vector<std::int64_t>(8, 70)}, {3, 1, 32, std::vector<std::int64_t>(16, 33)}}) {
    DecodeAttention const attend(
        rngd, {.q_heads = c.q_heads, .kv_heads = c.kv_heads, .head_dim = c.head_dim, .capacity = 128, .sequences = std::ssize(c.lengths)},
        c.lengths);
    EXPECT_EQ(attend.tiling().beside, 2);
    EXPECT_EQ(std::ssize(c.lengths) / attend.tiling().at_once, 4);
    expect_right(BackendKind::vector, c);
    expect_right(BackendKind::device, c);
  }
}
TEST(DecodeAttention, caches_that_come_in_parts) {
  for (Case const& c : {Case{32, 32, 16, {4200}}}) expect_right(BackendKind::vector, c);
}
TEST(DecodeAttention, random_sizes_on_vector) {
  Random random(27);
  for (int n = 0; n < nightly::cases(8); ++n) {
    Case c{};
    c.kv_heads = std::int64_t{1} << random.between(0, 3);
    c.q_heads = c.kv_heads * random.between(1, 9);
    c.head_dim = 8 * random.between(2, 8);
    for (std::int64_t b = random.between(1, 3); b > 0; --b)
      c.lengths.push_back(random.between(1, std::int64_t{1} << random.between(0, 10)));
    expect_right(BackendKind::vector, c);
  }
}
TEST(DecodeAttention, a_window_of_the_last_tokens) {
  for (std::int64_t window : {1, 64, 200, 5000})
    for (Case c : {Case{4, 2, 16, {1, 600, 77}}, {32, 8, 128, {130}}, {8, 1, 64, {700, 700}}, {32, 32, 16, {4200}}}) {
      c.scoring.window = window;
      expect_right(BackendKind::vector, c);
    }
}
TEST(DecodeAttention, scores_with_a_scale_and_a_cap_of_their_own) {
  for (oracle::Scoring const& scoring : {oracle::Scoring{0, 0.1, 0}, {0, 0, 3}, {0, 0.4, 2}, {20, 0.3, 1.5}})
    for (Case c : {Case{4, 2, 16, {1, 600, 77}}, {22, 2, 32, {300}}, {4, 2, 256, {30, 12}}}) {
      c.scoring = scoring;
      expect_right(BackendKind::vector, c);
    }
}
TEST(DecodeAttention, windows_and_caps_have_the_same_bits_on_the_simulated_chip) {
  for (oracle::Scoring const& scoring : {oracle::Scoring{30, 0, 0}, {0, 0.4, 2}}) {
    Case c{8, 4, 16, {130, 65}};
    c.scoring = scoring;
    Drawn const in(c);
    EXPECT_EQ(computed(BackendKind::vector, c, in).out.bits, computed(BackendKind::device, c, in).out.bits);
  }
}
TEST(DecodeAttention, the_same_on_the_simulated_chip) {
  for (Case const& c : {Case{1, 1, 16, {1}}, {4, 2, 16, {130, 5}}, {32, 8, 64, {200}}, {8, 1, 32, {300, 300}}, {32, 2, 32, {99}}})
    expect_right(BackendKind::device, c);
}
TEST(DecodeAttention, every_backend_gives_the_same_bits) {
  Case const c{2, 1, 16, {130, 5}};
  Drawn const in(c);
  Numbers const out = computed(BackendKind::vector, c, in).out;
  EXPECT_EQ(out.bits, computed(BackendKind::device, c, in).out.bits);
  EXPECT_EQ(out.bits, computed(BackendKind::reference, c, in).out.bits);
}
TEST(DecodeAttention, nan_stays_in_its_heads) {
  Case const c{4, 2, 16, {60, 60}};
  Drawn in(c);
  in.k[1].bits_at(30, 1, 3) = 0x7fc0;
  Numbers const out = computed(BackendKind::vector, c, in).out;
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < 4; ++h)
      for (std::int64_t d = 0; d < 16; ++d) EXPECT_EQ(std::isnan(out(b, h, d)), b == 1 && h >= 2);
}

TEST(DecodeAttention, numbers_at_the_edges_of_their_format) {
  for (Case const& c : {Case{4, 2, 16, {30, 5, 1}}, Case{2, 1, 24, {60}}}) {
    Drawn in(c);
    for (std::size_t b = 0; b < c.lengths.size(); ++b) {
      oracle::to_the_edges(in.random, in.q[b]);
      oracle::to_the_edges(in.random, in.k[b]);
      for (std::uint32_t& bits : in.v[b].bits)
        if (in.random.below(3) == 0) bits = static_cast<std::uint32_t>(in.random.below(2)) << 15 | 0x11;
    }
    in.k[0].bits_at(c.lengths[0] - 1, 0, 3) = 0xffa5;  // a NaN goes into the cache with all its bits
    Computed const made = computed(BackendKind::vector, c, in);
    EXPECT_EQ(wrong(c, made.out, in), 0);
    EXPECT_EQ(wrong_in_cache(c, made.k_cache, in.k), 0);
    EXPECT_EQ(wrong_in_cache(c, made.v_cache, in.v), 0);
    EXPECT_EQ(made.out.bits, computed(BackendKind::device, c, in).out.bits);
    EXPECT_EQ(made.out.bits, computed(BackendKind::reference, c, in).out.bits);
  }
}
TEST(DecodeAttention, lengths_that_are_none) {
  auto const code = [](std::int64_t sequences, const std::vector<std::int64_t>& lengths) {
    return build::code_of(
        [&] { DecodeAttention(rngd, {.q_heads = 2, .kv_heads = 1, .head_dim = 16, .capacity = 8, .sequences = sequences}, lengths); });
  };
  EXPECT_EQ(code(1, {8}), "accepted");
  for (std::int64_t length : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(code(1, {length}), "kernel-attention-lengths");
  EXPECT_EQ(code(1, {}), "kernel-attention-lengths");
  EXPECT_EQ(code(1, {3, 3}), "kernel-attention-lengths");
  EXPECT_EQ(code(2, {3}), "kernel-attention-lengths");
}

program::Program program_of(const Case& c) {
  AttentionSizes const s = sizes_of(c);
  DecodeAttention const attend(rngd, s, c.lengths);
  Mapping const rows = kernels::new_keys_layout(rngd, s, s.sequences), cache = kernels::cache_layout(s);
  ir::Module module = build::module_of([&](Context& ctx) {
    std::int64_t const apart = std::int64_t{1} << 30;
    auto const tensor = [&](std::int64_t address, const Mapping& layout) {
      return dyn::Tensor::hbm_at(address, ScalarType::bf16, dyn::one, layout);
    };
    return attend(ctx, tensor(0, attend.layout()), tensor(apart / 4, rows), tensor(apart / 2, rows), tensor(apart, cache),
                  tensor(16 * apart, cache));
  });
  return build::lowered(std::move(module));
}
TEST(DecodeAttention, every_size_is_a_program) {
  Random random(4);
  for (int n = 0; n < nightly::cases(24); ++n) {
    Case c{};
    c.kv_heads = random.between(1, 16);
    c.q_heads = c.kv_heads * random.between(1, 16);
    c.head_dim = 8 * random.between(2, 32);
    for (std::int64_t b = random.between(1, 4); b > 0; --b)
      c.lengths.push_back(random.between(1, std::int64_t{1} << random.between(0, 15)));
    EXPECT_EQ(build::code_of([&] { program_of(c); }), "accepted") << c.q_heads << " of " << c.kv_heads << " heads of " << c.head_dim;
  }
}

/// The cycles that the book counts, against the bytes of keys and values at the full rate of HBM: 1,536 a cycle.
double ratio_to_bound(const Case& c) {
  auto const timed = value_or_throw(plan(program_of(c), rngd));
  std::int64_t tokens = 0;
  for (std::int64_t n : c.lengths) tokens += n;
  return static_cast<double>(timed.schedule.makespan.value) * 1536 / static_cast<double>(2 * 2 * tokens * c.kv_heads * c.head_dim);
}
TEST(DecodeAttention, is_near_its_bound) {
  EXPECT_LE(ratio_to_bound({32, 8, 128, {32768}}), 1.1);
  EXPECT_LE(ratio_to_bound({32, 8, 128, std::vector<std::int64_t>(16, 4096)}), 1.2);
  EXPECT_LE(ratio_to_bound({32, 8, 128, std::vector<std::int64_t>(16, 32768)}), 1.1);
  EXPECT_LE(ratio_to_bound({8, 1, 128, std::vector<std::int64_t>(16, 32768)}), 1.2);  // what one of eight chips has of the 70B model
}
TEST(DecodeAttention, the_work_is_what_it_cannot_do_without) {
  DecodeAttention const attend(rngd, {.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 100, .sequences = 2}, {10, 15});
  EXPECT_EQ(attend.work().multiply_adds, 2 * 25 * 8 * 64);
  EXPECT_EQ(attend.work().hbm_bytes, 2 * 64 * (2 * 8 + 2 * 8 + 25 * 2 + 25 * 2));
}

}  // namespace
}  // namespace tcp
