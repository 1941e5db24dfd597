// What a reshape may do: give other names to the same places. The judge here walks all positions.
#include "tcp/rules/view.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/parse.hpp"

namespace tcp {
namespace {

Mapping written(const std::string& text) {
  auto const m = parse(
      text,
      *parse_axes("A = 6, B = 4, C = 24, D = 2, E = 12, N = 1024, Ring = 4, InRing = 16, Own = 16, Cl = 2, Rings = 2, W = 3, D2 = 2"));
  EXPECT_TRUE(m.ok()) << text;
  return m.ok() ? *m : Mapping{};
}
bool accepted(const std::string& from, const std::string& to) {
  Levels before, after;
  before.set(Level::element, written(from));
  after.set(Level::element, written(to));
  return check_reshape(before, after).ok();
}
bool live_alike(const std::string& from, const std::string& to) {
  Mapping const a = written(from), b = written(to);
  if (a.size != b.size) return false;
  for (std::int64_t at = 0; at < a.size; ++at)
    if (cell(a, at).live() != cell(b, at).live()) return false;
  return true;
}

TEST(Reshape, a_group_padded_as_a_whole_is_live_where_one_padded_axis_is) {
  EXPECT_TRUE(accepted("C # 30", "[A, B] # 30"));
  EXPECT_TRUE(accepted("[A, B] # 30", "[D, E] # 30"));
  EXPECT_TRUE(accepted("N # 1168", "[Ring, InRing] # 73, Own"));
  EXPECT_TRUE(accepted("N # 1280", "[Cl, Rings] # 5, InRing, Own"));
  EXPECT_FALSE(accepted("C # 30", "A, B # 5"));
}

TEST(Reshape, a_plain_axis_is_read_as_a_window) {
  EXPECT_TRUE(accepted("A", "$(B, W)"));
  EXPECT_TRUE(accepted("C, A # 8", "C, $(B, W) # 8"));
  EXPECT_TRUE(accepted("E", "$(B:3, W)"));
  EXPECT_TRUE(accepted("C", "$(E:2, D)")) << "the places are all named";
  EXPECT_TRUE(accepted("[A, B] # 30", "$(E:2, D) # 30")) << "of two axes, too";
  EXPECT_FALSE(accepted("A # 8", "$(B, W), 1 # 2")) << "padding stays where it is";
  EXPECT_FALSE(accepted("A # 8", "$(A, W)")) << "what is not there has no name";
}
TEST(Reshape, zeros_that_are_promised_can_be_read) {
  EXPECT_TRUE(accepted("D, A #z 12", "D, E")) << "zeros are elements";
  EXPECT_TRUE(accepted("A #z 12, D", "C"));
  EXPECT_TRUE(accepted("D, A #z 12", "D, $(B:3, W)")) << "of a window, too";
  EXPECT_FALSE(accepted("D, A # 12", "D, E")) << "padding that is not zero is whatever was there";
  EXPECT_FALSE(accepted("D, A #z 12", "D, A # 8, 1 # 2"));
}
TEST(Reshape, promises_no_zeros_that_were_not_promised_before) {
  std::string const some[] = {"A # 12, D",      "A #z 12, D",    "E",
                              "C # 30",         "C #z 30",       "[A, B] # 30",
                              "[A, B] #z 30",   "D #z 4, W # 4", "D # 4, W #z 4",
                              "D #z 4, W #z 4", "D # 4, W # 4",  "D2 #z 4, W # 4"};
  int kept = 0, broken = 0;
  for (const auto& a : some)
    for (const auto& b : some) {
      if (!live_alike(a, b)) continue;
      Mapping const from = written(a), to = written(b);
      bool honest = true;
      for (std::int64_t at = 0; at < from.size; ++at) honest = honest && (cell(to, at).pad != Pad::zero || cell(from, at).pad == Pad::zero);
      EXPECT_EQ(accepted(a, b), honest) << a << " to " << b;
      (honest ? kept : broken) += a != b;
    }
  EXPECT_GE(kept, 8);
  EXPECT_GE(broken, 8);
}
TEST(Reshape, a_window_stays_what_it_is) {
  EXPECT_TRUE(accepted("$(B, W)", "$(B, W)"));
  EXPECT_FALSE(accepted("$(B, W)", "A"));
  EXPECT_FALSE(accepted("$(B, W)", "$(D:4, D2)"));
}

TEST(Reshape, answers_as_walking_every_position_does) {
  std::string const some[] = {"C # 30",           "[A, B] # 30",    "[D, E] # 30",           "A, B # 5",         "A # 15, D",
                              "D, [A, B] # 30",   "D, C # 30",      "[D, A] # 15, B",        "E # 15, B",        "[[D, A] # 13, B] # 60",
                              "[E # 13, B] # 60", "[D, A, B] # 60", "[[A, B] # 25, D] # 60", "[C # 25, D] # 60", "[A, B # 5] # 60"};
  int same = 0;
  for (const auto& a : some)
    for (const auto& b : some) {
      EXPECT_EQ(accepted(a, b), live_alike(a, b)) << a << " to " << b;
      same += live_alike(a, b) && a != b;
    }
  EXPECT_GE(same, 14);
}

}  // namespace
}  // namespace tcp
