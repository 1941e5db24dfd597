// From scores to tokens: sampling, and the loop that generates.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/llama/generation.hpp"
#include "kernels/llama/sampling.hpp"

namespace tcp {
namespace {

using kernels::GenerationOptions;
using kernels::StopReason;
using Ids = std::vector<std::int64_t>;

/// 50 words; it remembers which steps it was asked for.
struct Counting {
  std::vector<Ids> prefills;
  Ids decodes;
  bool broken = false;

  kernels::Logits behind(std::int64_t id) const {
    kernels::Logits out(50, broken ? NAN : 0.0f);
    if (!broken) out[static_cast<std::size_t>((id + 1) % 50)] = 9;
    return out;
  }
  kernels::LanguageModel model(std::int64_t context) {
    return {50, context,
            [this](std::span<const std::int64_t> ids) {
              prefills.emplace_back(ids.begin(), ids.end());
              return behind(ids.back());
            },
            [this](std::int64_t id) {
              decodes.push_back(id);
              return behind(id);
            }};
  }
};

std::string code_of(const Ids& prompt, const GenerationOptions& o) {
  Counting counting;
  auto const out = kernels::generate(counting.model(8), prompt, o);
  return out ? "accepted" : out.refusal().code;
}

TEST(Generation, LLM_33_as_many_as_asked_for) {
  Counting counting;
  auto const out = kernels::generate(counting.model(100), Ids{3, 4}, {.most = 4});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->ids, (Ids{5, 6, 7, 8}));
  EXPECT_EQ(out->reason, StopReason::most);
  EXPECT_EQ(counting.prefills, std::vector<Ids>{(Ids{3, 4})});
  EXPECT_EQ(counting.decodes, (Ids{5, 6, 7}));  // after the last one none is asked for
}
TEST(Generation, LLM_33_stops_behind_a_stop_id) {
  Counting counting;
  auto const out = kernels::generate(counting.model(100), Ids{3}, {.most = 20, .stop_ids = {40, 6}});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->ids, (Ids{4, 5, 6}));
  EXPECT_EQ(out->reason, StopReason::stop_id);
}
TEST(Generation, LLM_33_stops_when_the_context_is_full) {
  Counting counting;
  auto const out = kernels::generate(counting.model(6), Ids{0, 1, 2, 3}, {.most = 20});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->reason, StopReason::context);
  EXPECT_EQ(out->ids, (Ids{4, 5, 6}));  // s = 4, 5 and 6 tokens were looked back at; a seventh has no room
  EXPECT_EQ(counting.decodes, (Ids{4, 5}));
  Counting full;
  EXPECT_EQ(kernels::generate(full.model(4), Ids{0, 1, 2, 3}, {.most = 20})->ids, Ids{4});
}
TEST(Generation, LLM_33_stops_when_the_user_says_so) {
  Counting counting;
  Ids seen;
  auto const out = kernels::generate(counting.model(100), Ids{3}, {.most = 20, .on_token = [&](std::int64_t id) {
                                                                     seen.push_back(id);
                                                                     return id < 7;
                                                                   }});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->ids, (Ids{4, 5, 6, 7}));
  EXPECT_EQ(seen, out->ids);
  EXPECT_EQ(out->reason, StopReason::asked);
}
TEST(Generation, prompts_that_are_refused) {
  EXPECT_EQ(code_of({}, {}), "llama-prompt");
  EXPECT_EQ(code_of({50}, {}), "llama-prompt");
  EXPECT_EQ(code_of({-1}, {}), "llama-prompt");
  EXPECT_EQ(code_of(Ids(9, 1), {}), "llama-prompt");
  EXPECT_EQ(code_of(Ids(8, 1), {}), "accepted");
  EXPECT_EQ(code_of({1}, {.most = 0}), "llama-prompt");
  EXPECT_EQ(code_of({1}, {.stop_ids = {99}}), "llama-prompt");
  EXPECT_EQ(code_of({1}, {.sampling = {.top_p = 2}}), "llama-sampling");
  Counting broken{.prefills = {}, .decodes = {}, .broken = true};
  EXPECT_STREQ(kernels::generate(broken.model(8), Ids{1}, {}).refusal().code, "llama-logits");
}

// The choice of the next token, against probabilities worked out by hand.

namespace sampling {

using kernels::SamplingOptions;
constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

/// Logits whose probabilities are these.
std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> out;
  for (double p : probabilities) out.push_back(static_cast<float>(std::log(p)));
  return out;
}
std::vector<std::int64_t> ids(const std::vector<float>& logits, const SamplingOptions& o) {
  std::vector<std::int64_t> out;
  for (auto const& c : kernels::candidates(logits, o)) out.push_back(c.id);
  return out;
}
std::int64_t one(const std::vector<float>& logits, const SamplingOptions& o) { return kernels::Sampler(o)(logits).value_or(-1); }
using Ids = std::vector<std::int64_t>;

TEST(Sampling, LLM_24_greedy_takes_the_largest) {
  EXPECT_EQ(one({1, 5, 2}, {}), 1);
  EXPECT_EQ(one({3, 5, 5}, {}), 1);  // the smaller id among equals
  EXPECT_EQ(one({nan, -7, nan}, {}), 1);
  EXPECT_EQ(one({-infinity, -infinity}, {}), 0);
  EXPECT_EQ(one({0, infinity, infinity}, {}), 1);
  EXPECT_EQ(one({nan, nan}, {}), -1);
  EXPECT_EQ(one({}, {}), -1);
}
TEST(Sampling, LLM_24_probabilities_with_temperature) {
  auto const c = kernels::candidates(logits_of({0.1, 0.6, 0.3}), {.temperature = 1});
  ASSERT_EQ(c.size(), 3u);
  EXPECT_EQ(c[0].id, 1);
  EXPECT_NEAR(c[0].probability, 0.6, 1e-6);
  EXPECT_NEAR(c[1].probability, 0.3, 1e-6);
  EXPECT_NEAR(c[2].probability, 0.1, 1e-6);
  // Half the temperature squares the odds: 0.01 : 0.36 : 0.09.
  EXPECT_NEAR(kernels::candidates(logits_of({0.1, 0.6, 0.3}), {.temperature = 0.5})[0].probability, 0.36 / 0.46, 1e-6);
}
TEST(Sampling, LLM_24_top_k_and_top_p) {
  auto const logits = logits_of({0.05, 0.5, 0.15, 0.3});
  EXPECT_EQ(ids(logits, {.temperature = 1, .top_k = 2}), (Ids{1, 3}));
  EXPECT_EQ(ids(logits, {.temperature = 1, .top_k = 9}), (Ids{1, 3, 2, 0}));
  EXPECT_EQ(ids(logits, {.temperature = 1, .top_p = 0.79}), (Ids{1, 3}));
  EXPECT_EQ(ids(logits, {.temperature = 1, .top_p = 0.81}), (Ids{1, 3, 2}));
  EXPECT_EQ(ids(logits, {.temperature = 1, .top_p = 0.01}), Ids{1});
  EXPECT_NEAR(kernels::candidates(logits, {.temperature = 1, .top_k = 2})[1].probability, 0.375, 1e-6);
  // Of the two that top_k leaves the first has 0.625 of what is left.
  EXPECT_EQ(ids(logits, {.temperature = 1, .top_k = 2, .top_p = 0.6}), Ids{1});
}
TEST(Sampling, LLM_24_draws_by_probability_and_seed) {
  auto const logits = logits_of({0.2, 0.5, 0.3});
  kernels::Sampler sampler({.temperature = 1, .seed = 4}), again({.temperature = 1, .seed = 4}), other({.temperature = 1, .seed = 5});
  std::array<int, 3> seen{};
  int different = 0;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    auto const id = static_cast<std::size_t>(sampler(logits).value_or(-1));
    ++seen.at(id);
    EXPECT_EQ(again(logits).value_or(-1), static_cast<std::int64_t>(id));
    different += other(logits).value_or(-1) != static_cast<std::int64_t>(id);
  }
  // Four standard deviations of a share are about 0.014.
  EXPECT_NEAR(seen[0], 0.2 * draws, 0.014 * draws);
  EXPECT_NEAR(seen[1], 0.5 * draws, 0.014 * draws);
  EXPECT_GT(different, draws / 4);
}
TEST(Sampling, infinities_are_certain) {
  EXPECT_EQ(ids({1, infinity, 2}, {.temperature = 1, .top_p = 0.99}), Ids{1});
  EXPECT_EQ(one({-infinity, 3, -infinity}, {.temperature = 2, .seed = 9}), 1);
}
TEST(Sampling, options_that_mean_nothing) {
  for (SamplingOptions const& o : {SamplingOptions{.temperature = -1},
                                   {.temperature = nan},
                                   {.temperature = infinity},
                                   {.top_k = -1},
                                   {.top_p = 0},
                                   {.top_p = 1.5},
                                   {.top_p = nan}})
    EXPECT_FALSE(kernels::check_sampling(o).ok());
  EXPECT_TRUE(kernels::check_sampling({.temperature = 0.7, .top_k = 40, .top_p = 0.9}).ok());
}

}  // namespace sampling

}  // namespace
}  // namespace tcp
