// Fetch lifts against what every place holds: wherever the lifted source is live, the source has the same element in the same unit, as far in as the steps say.
#include "tcp/rules/lift.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/fetch.hpp"

namespace tcp {
namespace {

constexpr const char* axes = "A = 8, B = 3, C = 10, P = 4, Q = 6, W = 8, H = 2";

Mapping written(const std::string& text) {
  auto const declared = parse_axes(axes);
  auto const m = parse(text, *declared);
  EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
  return m.ok() ? *m : Mapping{};
}

struct Case {
  const char *is, *element, *becomes, *left;
};

Levels source(const Case& c) { return Levels{}.set(Level::slice, written(c.is)).set(Level::element, written(c.element)); }

void keeps_its_law(const Case& c) {
  SCOPED_TRACE(std::string(c.is) + " -> " + c.becomes + " of " + c.element);
  Mapping const becomes = written(c.becomes);
  Levels const from = source(c);
  auto const made = lifted(from, nullptr, nullptr, &becomes);
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_TRUE(equivalent(made->at[Level::element], written(c.left))) << text(made->at[Level::element]).s;
  int live = 0;
  for (std::int64_t slice = 0; slice < becomes.size; ++slice)
    for (std::int64_t e = 0; e < made->at[Level::element].size; ++e) {
      Cell const wanted = cell(made->at, {.slice = slice, .element = e});
      if (!wanted.live()) continue;
      ++live;
      std::int64_t at = e;
      for (int k = 0; k < made->lifts.count; ++k)
        at += slice / made->lifts.step[k].inside % made->lifts.step[k].size * made->lifts.step[k].stride;
      ASSERT_LE(at, e + made->lifts.reach());
      Cell const held = cell(from, {.slice = slice, .element = at});
      ASSERT_TRUE(held.live()) << slice << ", " << e;
      for (int a = 0; a < wanted.index.n; ++a) EXPECT_EQ(wanted.index.at[a], held.index.get(wanted.index.axis[a])) << slice << ", " << e;
    }
  EXPECT_GT(live, 0);
}

TEST(Lift, CHIP_26_every_unit_finds_its_own_part_in_its_copy) {
  constexpr Case cases[] = {
      {"8, P", "A, W", "A, P", "1 # 8, W"},                          // a whole axis
      {"P, 8", "A, W", "P, A", "1 # 8, W"},                          // inside of another
      {"4, P", "A, W", "A / 2, P", "A % 2 # 8, W"},                  // blocks of one
      {"4, P", "A, W", "A % 4, P", "A / 4, 1 # 4, W"},               // steps inside a block
      {"8, P", "B, A, W", "A / 4, 4, P", "B, A % 4 # 8, W"},         // some of the copies stay copies
      {"8, P", "B, A, W", "2, A % 4, P", "B, A / 4, 1 # 4, W"},      // the outer ones
      {"24, P", "B, A, W", "A, B, P", "1 # 24, W"},                  // two axes, in another order
      {"16 # 64", "A, H, W", "[A, H] # 64", "1 # 16, W"},            // padding behind the copies
      {"4, P", "B, W", "B # 4, P", "1 # 3, W"},                      // a copy too many
      {"A / 4, 4", "A % 4, W", "A", "1 # 4, W"},                     // the rest of an axis that Slice has
      {"C # 12 / 4 # 4, 4", "C # 12 % 4, W", "C # 16", "1 # 4, W"},  // one that ends inside a block
      {"3, P", "C # 12, W", "C # 12 / 4, P", "C = 4 # 12, W"},       // the same in Element
      {"P / 2, 8, P % 2", "W, A # 16", "P / 2, A, P % 2", "W, 1 # 16"},
  };
  for (const Case& c : cases) keeps_its_law(c);
}

std::string refused(const Case& c) {
  Mapping const becomes = written(c.becomes);
  auto const made = lifted(source(c), nullptr, nullptr, &becomes);
  return made ? "accepted" : std::string(made.refusal().code);
}

TEST(Lift, CHIP_26_nothing_but_copies_changes) {
  EXPECT_EQ(refused({"4, P", "A, W", "A, P", ""}), "fetch-lift-size");
  EXPECT_EQ(refused({"8, P", "A, W", "A", ""}), "fetch-lift-size");
  EXPECT_EQ(refused({"1 # 8, P", "A, W", "A, P", ""}), "fetch-lift-not-copies");  // padding is no copy
  EXPECT_EQ(refused({"Q # 8, P", "A, W", "A, P", ""}), "fetch-lift-not-copies");
  EXPECT_EQ(refused({"8, P", "A, W", "P, A", ""}), "fetch-lift-not-copies");      // P would move
  EXPECT_EQ(refused({"8, P", "A, W", "A, 4", ""}), "fetch-lift-not-copies");      // P would be forgotten
  EXPECT_EQ(refused({"8, P", "A, W", "1 # 8, P", ""}), "fetch-lift-not-copies");  // a name of nothing
  EXPECT_EQ(refused({"6 # 8, P", "A, W", "A, P", ""}), "fetch-lift-not-copies");  // two of the eight hold nothing
  EXPECT_EQ(refused({"6, P", "Q, W", "Q, P", ""}), "accepted");
  EXPECT_EQ(refused({"6, P", "A, W", "Q, P", ""}), "fetch-lift-not-held");
  EXPECT_EQ(refused({"3, P", "A, W", "A = 3, P", ""}), "fetch-lift-not-held");  // the rest of A would have no steps of its own
  EXPECT_EQ(refused({"8, P", "A % 4, W", "A, P", ""}), "fetch-lift-not-held");
  EXPECT_EQ(refused({"8, P", "A, W", "8, P", ""}), "accepted");  // nothing is lifted
}

TEST(Lift, CHIP_26_on_all_levels_at_once) {
  Mapping const chip = written("H"), cluster = written("A / 4"), slice = written("A % 4, P");
  Levels from = Levels{}.set(Level::chip, written("2")).set(Level::cluster, written("2")).set(Level::slice, written("4, P"));
  from.set(Level::element, written("H, A, W"));
  auto const made = lifted(from, &chip, &cluster, &slice);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->lifts.count, 3);
  EXPECT_EQ(made->lifts.step[0].level, Level::chip);
  EXPECT_EQ(made->lifts.step[0].stride, 64);
  EXPECT_EQ(made->lifts.step[1].level, Level::cluster);
  EXPECT_EQ(made->lifts.step[1].stride, 32);
  EXPECT_EQ(made->lifts.step[2].level, Level::slice);
  EXPECT_EQ(made->lifts.step[2].inside, 4);
  EXPECT_EQ(made->lifts.step[2].stride, 8);
  EXPECT_EQ(made->lifts.reach(), 64 + 32 + 3 * 8);
}

TEST(Lift, CHIP_26_the_furthest_unit_stays_in_memory) {
  Mapping const slice = written("A, P, 8");
  Levels from = Levels{}.set(Level::cluster, written("1 # 2")).set(Level::slice, written("8, P, 8")).set(Level::element, written("A, W"));
  auto const source = lifted(from, nullptr, nullptr, &slice);
  ASSERT_TRUE(source);
  auto const f = check_fetch(rngd, {}, ScalarType::f32, source->at, ScalarType::f32, Mapping{}, written("W"), {}, source->lifts);
  ASSERT_TRUE(f) << f.refusal().sentence().s;
  std::int64_t const last = rngd.dm.slice_capacity.value - 8 * 32;
  EXPECT_TRUE(check_fetch_address(rngd, ScalarType::f32, *f, Bytes{last}));
  EXPECT_FALSE(check_fetch_address(rngd, ScalarType::f32, *f, Bytes{last + 8}));
}

TEST(Lift, CHIP_26_what_was_lifted_is_not_walked) {
  Mapping const slice = written("A, P, 8");
  Levels from = Levels{}.set(Level::cluster, written("1 # 2")).set(Level::slice, written("8, P, 8")).set(Level::element, written("A, W"));
  auto const source = lifted(from, nullptr, nullptr, &slice);
  ASSERT_TRUE(source);
  auto const f = check_fetch(rngd, {}, ScalarType::f32, source->at, ScalarType::f32, written("A"), written("W"), {}, source->lifts);
  ASSERT_FALSE(f);
  EXPECT_EQ(f.refusal().code, std::string_view("levels-axis-twice"));
}

TEST(Lift, CHIP_26_parts_of_bytes_are_no_begin) {
  Mapping const slice = written("B # 4, 64");
  Levels from = Levels{}.set(Level::cluster, written("1 # 2")).set(Level::slice, written("4, 64"));
  auto const fetched = [&](const char* element) {
    auto const source = lifted(Levels{from}.set(Level::element, written(element)), nullptr, nullptr, &slice);
    return check_fetch(rngd, {}, ScalarType::i4, source->at, ScalarType::i4, Mapping{}, written("B = 1 # 16"), {}, source->lifts);
  };
  auto const odd = fetched("B, A = 5");
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.refusal().code, std::string_view("fetch-half-byte"));
  EXPECT_TRUE(fetched("B, A = 6"));
}

}  // namespace
}  // namespace tcp
