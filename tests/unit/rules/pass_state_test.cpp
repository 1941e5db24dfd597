// The order of the stages: which follow which, and what is said to have been forgotten.
#include "tcp/rules/pass_state.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"

namespace tcp {
namespace {

PassState at(StreamStage after, ScalarType type = ScalarType::i32, Tu context = Tu::Main) {
  PassState s;
  s.context = context;
  s.after = after;
  s.type = type;
  return s;
}
std::string sentence(const PassState& s, StageKind kind) {
  auto const v = check_follows(rngd, s, kind);
  return v ? "accepted" : std::string(v.refusal().sentence().view());
}

TEST(PassState, the_table_has_every_stage_once) {
  EXPECT_EQ(stage_kind_count, static_cast<int>(StageKind::ToVrf) + 1);
  for (int i = 0; i < stage_kind_count; ++i)
    for (int j = 0; j < i; ++j) {
      EXPECT_STRNE(info_of(static_cast<StageKind>(i)).word, info_of(static_cast<StageKind>(j)).word);
      EXPECT_STRNE(info_of(static_cast<StageKind>(i)).record, info_of(static_cast<StageKind>(j)).record);
    }
}
TEST(PassState, every_stage_can_be_reached_from_the_begin_and_every_place_leads_to_a_sink) {
  for (int k = 0; k < stage_kind_count; ++k) {
    auto const kind = static_cast<StageKind>(k);
    bool const first = detail::stages::follows(kind, Tu::Main, StreamStage::Begin);
    EXPECT_TRUE(first || detail::stages::way_to(kind, Tu::Main, StreamStage::Begin).count > 0) << info_of(kind).record;
  }
  for (int i = 0; i + 1 < stream_stage_count; ++i) {
    auto const place = static_cast<StreamStage>(i);
    bool const now = detail::stages::follows(StageKind::Commit, Tu::Main, place);
    EXPECT_TRUE(now || detail::stages::way_to(StageKind::Commit, Tu::Main, place).count > 0) << name_of(place);
  }
}
TEST(PassState, a_forgotten_stage_is_named) {
  EXPECT_EQ(sentence(at(StreamStage::Fetch), StageKind::VectorInit),
            "error[stage-missing]: vector_init cannot follow fetch: .collect() is missing; help: write .collect() before it");
  EXPECT_EQ(sentence(at(StreamStage::Align, ScalarType::bf16), StageKind::Commit),
            "error[stage-missing]: commit cannot follow align: .contract() and .accumulate() are missing; help: write "
            ".contract().accumulate() before it");
  EXPECT_EQ(sentence(at(StreamStage::VectorEngine), StageKind::Commit),
            "error[stage-missing]: commit cannot follow vector_init: .vector_final() is missing; help: write .vector_final() before it");
  EXPECT_EQ(
      sentence(at(StreamStage::Begin), StageKind::Cast),
      "error[stage-missing]: cast cannot follow begin: .fetch() and .collect() are missing; help: write .fetch().collect() before it");
}
TEST(PassState, there_is_no_way_back) {
  EXPECT_EQ(std::string(check_follows(rngd, at(StreamStage::Collect), StageKind::Switch).refusal().code), "stage-order");
  EXPECT_EQ(std::string(check_follows(rngd, at(StreamStage::Vector), StageKind::VectorOperation).refusal().code), "stage-order");
  EXPECT_EQ(std::string(check_follows(rngd, at(StreamStage::Sink), StageKind::Cast).refusal().code), "stage-after-sink");
}
TEST(PassState, contexts_differ) {
  EXPECT_EQ(sentence(at(StreamStage::Collect, ScalarType::bf16, Tu::Sub), StageKind::Align),
            "error[stage-not-in-context]: align cannot follow collect in the sub context; help: begin the pass with ctx.main");
  EXPECT_EQ(sentence(at(StreamStage::Fetch, ScalarType::i32, Tu::Sub), StageKind::Commit), "accepted");
}
TEST(PassState, an_answer_without_words_is_the_same_answer) {
  for (int i = 0; i < stream_stage_count; ++i)
    for (int k = 0; k < stage_kind_count; ++k)
      for (Tu context : {Tu::Main, Tu::Sub}) {
        PassState const s = at(static_cast<StreamStage>(i), ScalarType::i32, context);
        auto const quiet = check_follows(rngd, s, static_cast<StageKind>(k), nullptr, quietly);
        EXPECT_EQ(quiet.ok(), check_follows(rngd, s, static_cast<StageKind>(k)).ok());
        EXPECT_TRUE(quiet.ok() || quiet.refusal().headline.empty());
      }
}

}  // namespace
}  // namespace tcp
