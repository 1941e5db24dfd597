// The loop around a model, with a model that counts: the word behind n is n + 1.
#include "kernels/llama/generation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

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
  EXPECT_EQ(counting.decodes, (Ids{5, 6, 7}));  // behind the last one nobody asks
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

}  // namespace
}  // namespace tcp
