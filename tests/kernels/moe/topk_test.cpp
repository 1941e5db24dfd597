// The largest K of a row, and the bits that it sorts.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/moe/topk.hpp"
#include "kernels/nightly.hpp"
#include "moe_oracle.hpp"
#include "recorder.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp {
namespace {

using namespace moe_tests;
using dyn::map;
using kernels::TopK;
using kernels::moe::rounds_of;

/// One of the steps of a Top-K, brought to the host as [T, E] or [T, K].
enum class Step { packed, compared, rank, selected, experts, scores, weights };

dyn::HostTensor step_of(BackendKind backend, Step step, std::int64_t tokens, std::int64_t experts, std::int64_t k,
                        const std::vector<bf16>& scores) {
  auto ctx = context_on(backend);
  TopK const topk(rngd, tokens, experts, k);
  Mapping const of_experts = map(topk.token(), topk.expert()), of_choices = map(topk.token(), topk.choice());
  bool const all = step == Step::packed || step == Step::compared || step == Step::rank;
  auto const kernel = [&](Context& on, const dyn::Tensor& in, const dyn::Tensor& numbers) {
    auto const type = step == Step::scores || step == Step::weights ? ScalarType::f32 : ScalarType::i32;
    Mapping const inner = all ? topk.expert() : topk.choice().pad(8);
    auto const out = dyn::Tensor::hbm(on, type, dyn::one, map(topk.token(), inner));
    for (const kernels::moe::Round& round : rounds_of(rngd, topk.token())) {
      dyn::Tensor const packed = topk.packed(on, round, in, numbers);
      dyn::Tensor const compared = step == Step::packed ? packed : topk.compared(on, packed);
      dyn::Tensor const rank = step == Step::packed || step == Step::compared ? compared : topk.ranked(on, compared);
      dyn::Tensor const selected = all ? rank : topk.selected(on, packed, rank);
      dyn::Tensor made = selected;
      if (step == Step::experts) made = topk.experts(on, selected);
      if (step == Step::scores || step == Step::weights) made = topk.scores(on, selected);
      if (step == Step::weights) made = topk.weights(on, made);
      dyn::dma(on.tdma, made, round.of(out, inner));
    }
    return out;
  };
  auto const in = tensor_of(of_experts, scores);
  auto const numbers = numbers_up_to(experts);
  return launch(kernel, ctx, in.to_hbm(ctx.pdma, dyn::one, topk.scores_layout()), numbers.to_hbm(ctx.pdma, dyn::one, numbers.element()))
      .get()
      .to_host(ctx.pdma, all ? of_experts : of_choices);
}
std::vector<std::int32_t> integers_of(Step step, std::int64_t tokens, std::int64_t experts, std::int64_t k,
                                      const std::vector<bf16>& scores) {
  return integers(step_of(BackendKind::vector, step, tokens, experts, k, scores));
}

const std::vector<float> eight{0.5f, -1.0f, 3.0f, -0.0f, 0.0f, 3.0f, -2.5f, 100.0f};

TEST(Moe, MOE_07_packing) {
  auto const packed = integers_of(Step::packed, 1, 8, 1, scores_of(eight));
  for (std::size_t e = 0; e < 8; ++e) EXPECT_EQ(static_cast<std::uint32_t>(packed[e]), to_bf16(eight[e]) << 16 | e);
}
TEST(Moe, MOE_08_integers_in_the_order_of_the_scores) {
  auto const packed = integers_of(Step::packed, 1, 8, 1, scores_of(eight)),
             compared = integers_of(Step::compared, 1, 8, 1, scores_of(eight));
  for (std::size_t e = 0; e < 8; ++e) EXPECT_EQ(compared[e], packed[e] >= 0 ? packed[e] : packed[e] ^ 0x7fff0000);
  std::vector<std::size_t> const descending{7, 5, 2, 0, 4, 3, 1, 6};  // a tie goes to the larger index, and -0 lies below +0
  for (std::size_t i = 0; i + 1 < 8; ++i) EXPECT_GT(compared[descending[i]], compared[descending[i + 1]]) << i;
}
TEST(Moe, MOE_09_who_is_above_whom) {
  // Two experts alone differ, the others are far below: rank 1 is exactly one comparison.
  std::vector<float> scores(8, -1e30f);
  scores[3] = 2.0f, scores[6] = 1.9921875f;  // neighbours in bf16
  auto const rank = integers_of(Step::rank, 1, 8, 1, scores_of(scores));
  EXPECT_EQ(rank[3], 0);
  EXPECT_EQ(rank[6], 1);
  // The largest difference that there is overflows no subtraction.
  std::vector<float> far(8, 0.0f);
  far[0] = 3e38f, far[1] = -3e38f;
  auto const extremes = integers_of(Step::rank, 1, 8, 1, scores_of(far));
  EXPECT_EQ(extremes[0], 0);
  EXPECT_EQ(extremes[1], 7);
}
TEST(Moe, MOE_10_ranks_are_a_permutation) {
  Random random(10);
  for (std::int64_t experts : {8, 32, 128}) {
    auto const scores = random_scores(random, 3 * experts);
    auto const rank = integers_of(Step::rank, 3, experts, 1, scores);
    for (std::int64_t t = 0; t < 3; ++t) {
      std::set<std::int32_t> seen(rank.begin() + t * experts, rank.begin() + (t + 1) * experts);
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), experts);
      EXPECT_EQ(*seen.begin(), 0);
      auto const first = std::find(rank.begin() + t * experts, rank.end(), 0) - (rank.begin() + t * experts);
      EXPECT_EQ(first, best_of(scores.data() + t * experts, experts, 1)[0]);
    }
  }
}
TEST(Moe, MOE_11_the_filter_keeps_the_original_values_in_the_order_of_experts) {
  auto const packed = integers_of(Step::packed, 1, 8, 4, scores_of(eight)), kept = integers_of(Step::selected, 1, 8, 4, scores_of(eight));
  EXPECT_EQ(kept, (std::vector<std::int32_t>{packed[0], packed[2], packed[5], packed[7]}));
  // Negative ones come back as they were, not as they were compared.
  std::vector<float> const negative{-1, -2, -3, -4, -5, -6, -7, -8};
  EXPECT_EQ(integers_of(Step::selected, 1, 8, 1, scores_of(negative))[0], static_cast<std::int32_t>(0xbf800000u));
}
TEST(Moe, MOE_12_unpacked) {
  EXPECT_EQ(integers_of(Step::experts, 1, 8, 4, scores_of(eight)), (std::vector<std::int32_t>{0, 2, 5, 7}));
  auto const scores = step_of(BackendKind::vector, Step::scores, 1, 8, 4, scores_of(eight));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(scores.data<f32>()[k].to_float(), (std::vector<float>{0.5f, 3.0f, 3.0f, 100.0f})[k]);
}
void expect_weights(const dyn::HostTensor& weights, const std::vector<bf16>& scores, std::int64_t tokens, std::int64_t experts,
                    std::int64_t k) {
  for (std::int64_t t = 0; t < tokens; ++t) {
    auto const best = best_of(scores.data() + t * experts, experts, k);
    double largest = -INFINITY, sum = 0;
    auto const score = [&](std::int32_t e) { return static_cast<double>(of_bf16(scores[static_cast<std::size_t>(t * experts + e)].bits)); };
    for (std::int32_t e : best) largest = std::max(largest, score(e));
    for (std::int32_t e : best) sum += std::exp(score(e) - largest);
    for (std::int64_t c = 0; c < k; ++c)
      EXPECT_NEAR(weights.data<f32>()[t * k + c].to_float(), std::exp(score(best[static_cast<std::size_t>(c)]) - largest) / sum, 1e-6);
  }
}
TEST(Moe, MOE_04_top_k_and_softmax) {
  Random random(4);
  for (std::int64_t k : {1, 4, 8}) {
    auto const scores = random_scores(random, 5 * 16);
    std::vector<std::int32_t> expected;
    for (std::int64_t t = 0; t < 5; ++t)
      for (std::int32_t e : best_of(scores.data() + t * 16, 16, k)) expected.push_back(e);
    EXPECT_EQ(integers_of(Step::experts, 5, 16, k, scores), expected) << k;
    auto const weights = step_of(BackendKind::vector, Step::weights, 5, 16, k, scores);
    for (std::int64_t t = 0; t < 5; ++t) {
      double sum = 0;
      for (std::int64_t c = 0; c < k; ++c) sum += static_cast<double>(weights.data<f32>()[t * k + c].to_float());
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}
TEST(Moe, MOE_13_weights) {
  Random random(13);
  for (std::int64_t k : {1, 2, 4, 5, 8}) {
    auto const scores = random_scores(random, 6 * 24);
    expect_weights(step_of(BackendKind::vector, Step::weights, 6, 24, k, scores), scores, 6, 24, k);
  }
  std::vector<float> large(8, 0.0f);
  large[2] = 300, large[4] = 299;  // exp of either is infinite
  expect_weights(step_of(BackendKind::vector, Step::weights, 1, 8, 2, scores_of(large)), scores_of(large), 1, 8, 2);
}
TEST(TopK, the_same_on_every_backend) {
  Random random(5);
  for (std::int64_t k : {1, 4, 8}) {
    auto const scores = random_scores(random, 3 * 16);
    auto const expected = integers_of(Step::experts, 3, 16, k, scores);
    for (BackendKind backend : every_backend) {
      EXPECT_EQ(integers(step_of(backend, Step::experts, 3, 16, k, scores)), expected) << name_of(backend);
      expect_weights(step_of(backend, Step::weights, 3, 16, k, scores), scores, 3, 16, k);
    }
  }
}
TEST(TopK, random_routing_and_more_tokens_than_slices) {
  Random random(6);
  for (int i = 0; i < nightly::cases(12); ++i) {
    std::int64_t const tokens = i == 0 ? 700 : random.between(1, 60), experts = 8 * random.between(1, 16), k = random.between(1, 8);
    auto const scores = random_scores(random, tokens * experts);
    std::vector<std::int32_t> expected;
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::int32_t e : best_of(scores.data() + t * experts, experts, k)) expected.push_back(e);
    EXPECT_EQ(integers_of(Step::experts, tokens, experts, k, scores), expected) << tokens << " tokens, " << k << " of " << experts;
  }
}
/// A NaN ranks above infinity, and its token's weights are NaN; other tokens do not notice.
TEST(TopK, NaN_and_infinity) {
  std::vector<float> scores(16, 0.0f);
  scores[3] = NAN, scores[5] = INFINITY, scores[8 + 6] = -INFINITY, scores[8 + 1] = 1;
  auto const bits = scores_of(scores);
  EXPECT_EQ(integers_of(Step::experts, 2, 8, 2, bits), (std::vector<std::int32_t>{3, 5, 1, 7}));
  auto const weights = step_of(BackendKind::vector, Step::weights, 2, 8, 2, bits);
  EXPECT_TRUE(std::isnan(weights.data<f32>()[0].to_float()) && std::isnan(weights.data<f32>()[1].to_float()));
  EXPECT_NEAR(weights.data<f32>()[2].to_float(), std::exp(1.0) / (std::exp(1.0) + 1), 1e-6);
}
/// Scores are ordered by their bits: subnormals, which arithmetic takes for zeros, keep their order.
TEST(TopK, subnormal_scores_on_every_backend) {
  Random random(7);
  std::vector<bf16> scores;
  for (int i = 0; i < 4 * 16; ++i) scores.push_back(bf16::from_bits(static_cast<std::uint32_t>(random.below(4) | random.below(2) << 15)));
  std::vector<std::int32_t> expected;
  for (std::int64_t t = 0; t < 4; ++t)
    for (std::int32_t e : best_of(scores.data() + t * 16, 16, 4)) expected.push_back(e);
  for (BackendKind backend : every_backend) {
    EXPECT_EQ(integers(step_of(backend, Step::experts, 4, 16, 4, scores)), expected) << name_of(backend);
    auto const weights = step_of(backend, Step::weights, 4, 16, 4, scores);
    for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(weights.data<f32>()[i].to_float(), 0.25f);
  }
}
TEST(TopK, one_token_and_infinities_on_every_backend) {
  std::vector<float> scores(8, -INFINITY);
  scores[2] = INFINITY, scores[6] = -3e38f;
  for (BackendKind backend : every_backend) {
    EXPECT_EQ(integers(step_of(backend, Step::experts, 1, 8, 1, scores_of(scores))), std::vector<std::int32_t>{2}) << name_of(backend);
    EXPECT_EQ(integers(step_of(backend, Step::experts, 1, 8, 2, scores_of(scores))), (std::vector<std::int32_t>{2, 6})) << name_of(backend);
  }
}
TEST(TopK, what_is_refused) {
  EXPECT_EQ(build::code_of([] { TopK(rngd, 1, 0, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, 1, 8, 0); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, -1, 8, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, (std::int64_t{1} << 20) + 1, 8, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, INT64_MAX, 8, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, 0, 8, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, 1, 12, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, 1, 136, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { TopK(rngd, 1, 8, 9); }), "kernel-topk-size");
}

// The same bits as another type: what TopK packs scores by.

using namespace moe_tests;

const Mapping all = dyn::axis("A", 2048);

/// bf16 as i16, widened to i32, shifted up, and as f32 again: the exact widening, of every pattern, NaN and subnormals included.
TEST(Reinterpret, keeps_every_bit_on_every_backend) {
  for (BackendKind backend : every_backend) {
    auto ctx = context_on(backend);
    dyn::HostTensor x(ScalarType::bf16, all);
    for (std::uint32_t i = 0; i < 2048; ++i) x.data<bf16>()[i] = bf16::from_bits((i * 2654435761u) >> 16);
    auto const widen = [](Context& on, const dyn::Tensor& in) {
      auto const dm = in.reinterpret(ScalarType::i16).to_dm(on.tdma, dyn::one.pad(2), all / 8, all % 8);
      auto const bits = dyn::main(on)
                            .begin(dm)
                            .fetch(ScalarType::i32, dyn::one, all % 8)
                            .collect(dyn::one, all % 8)
                            .vector_init()
                            .vector_intra_slice_branch(BranchMode::Unconditional)
                            .vector_fxp(FxpBinaryOp::LeftShift, 16)
                            .vector_final()
                            .commit(all % 8);
      return bits.reinterpret(ScalarType::f32).to_hbm(on.tdma, all);
    };
    auto const y = launch(widen, ctx, x.to_hbm(ctx.pdma, dyn::one, all)).get().to_host(ctx.pdma, all);
    ASSERT_EQ(y.type(), ScalarType::f32);
    for (std::uint32_t i = 0; i < 2048; ++i) ASSERT_EQ(y.data<f32>()[i].bits, x.data<bf16>()[i].bits << 16) << name_of(backend);
  }
}
/// A view is written through as well.
TEST(Reinterpret, writes_through) {
  for (BackendKind backend : every_backend) {
    auto ctx = context_on(backend);
    dyn::HostTensor x(ScalarType::f32, all);
    for (std::uint32_t i = 0; i < 2048; ++i) x.data<f32>()[i] = f32::from_bits(i * 2654435761u);
    auto const copy = [](Context& on, const dyn::Tensor& in) {
      auto const out = dyn::Tensor::hbm(on, ScalarType::i32, dyn::one, all);
      dyn::dma(on.tdma, in, out.reinterpret(ScalarType::f32));
      return out;
    };
    auto const y = launch(copy, ctx, x.to_hbm(ctx.pdma, dyn::one, all)).get().to_host(ctx.pdma, all);
    for (std::uint32_t i = 0; i < 2048; ++i) ASSERT_EQ(y.data<i32>()[i].bits, x.data<f32>()[i].bits) << name_of(backend);
  }
}
TEST(Reinterpret, another_width_is_refused) {
  EXPECT_EQ(build::code_of([] {
              build::module_of([](Context& on) {
                auto const x = dyn::Tensor::hbm(on, ScalarType::f32, dyn::one, all);
                static_cast<void>(x.reinterpret(ScalarType::bf16));
              });
            }),
            "ir-view-differs");
}

}  // namespace
}  // namespace tcp
