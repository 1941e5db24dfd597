// Levels add up like the factors of one mapping.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "complaints.hpp"
#include "draw.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/parse.hpp"

namespace {

using namespace tcp;

constexpr Axes axes = *parse_axes("A = 12, B = 8, C = 3, D = 7");

std::string draw_factor(Draw& draw) {
  static const char* const factors[] = {"1",          "A",     "A / 4",     "A % 4",      "A / 2 % 2", "A / 6",
                                        "A % 2",      "B",     "B / 2",     "B % 2",      "B # 16",    "B / 4 # 3",
                                        "B #z 9",     "C",     "2",         "1 # 4",      "D # 8 / 4", "D # 8 % 4",
                                        "D #< 1 / 4", "D = 3", "A @ 2 / 4", "[C, 2] # 7", "C @ 2 = 1", "B % 2 @ 1"};
  return draw.of(factors);
}

Levels draw_levels(Draw& draw, std::string& text) {
  Levels levels;
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element, Level::time, Level::packet}) {
    if (draw.chance(50)) continue;
    std::string list = draw_factor(draw);
    if (draw.chance(30)) list += ", " + draw_factor(draw);
    auto const m = parse(list, axes);
    if (!m) continue;
    levels.set(l, *m);
    text += std::string(name_of(l)) + " " + list + "; ";
  }
  return levels;
}

/// All levels as one mapping, the outermost first.
Mapping in_a_row(const Levels& levels) {
  Mapping all;
  for (Mapping const& m : levels.at) all = pair(all, m);
  return all;
}

Place place_at(const Levels& levels, std::int64_t i) {
  std::int64_t at[level_count]{};
  for (int l = level_count - 1; l >= 0; --l) {
    at[l] = i % levels.at[l].size;
    i /= levels.at[l].size;
  }
  return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

RC_GTEST_PROP(Levels, HoldWhatTheirMappingsInARowHold, ()) {
  Draw draw;
  int shown = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string text;
    Levels const levels = draw_levels(draw, text);
    Mapping const row = in_a_row(levels);
    auto const verdict = check_levels(levels);
    bool started = false;  // a start may slide a factor out of its axis, and what is gone is not counted twice
    for (Mapping const& m : levels.at)
      for (int a = 0; a < m.axes; ++a) started |= m.axis[a].start != 0;
    if (!verdict) {
      if (!started && row.fault.kind != FaultKind::axis_twice) RC_FAIL(text + " is refused, but in a row it is " + printed(row));
      RC_ASSERT(std::string(verdict.refusal().code) == "levels-axis-twice");
      ++refused;
      continue;
    }
    if (!row.ok()) {  // starts are a matter of one mapping, not of levels
      RC_ASSERT(row.fault.kind == FaultKind::start_not_outermost || row.fault.kind == FaultKind::start_beyond_axis);
      continue;
    }
    if (row.size > 3000) continue;
    ++shown;
    for (std::int64_t p = 0; p < row.size; ++p) {
      Place const where = place_at(levels, p);
      Cell const got = cell(levels, where), want = cell(row, p);
      if (got.kind != want.kind || !(got.index == want.index))
        RC_FAIL(text + " at " + std::to_string(p) + ": " + printed(got) + ", not " + printed(want) + " of " + printed(row));
      if (!got.live()) continue;
      Place found;
      if (!find_place(levels, got.index, found)) RC_FAIL(text + " does not find " + printed(got.index));
      if (!(cell(levels, found).index == got.index)) RC_FAIL(text + " finds " + printed(got.index) + " in a wrong place");
    }
    // An element that no place holds is not found.
    Index x;
    x.add(Name("A"), draw.between(0, 11))
        .add(Name("B"), draw.between(0, 7))
        .add(Name("C"), draw.between(0, 2))
        .add(Name("D"), draw.between(0, 6));
    bool held = false;
    for (std::int64_t p = 0; p < row.size && !held; ++p) {
      Cell const c = cell(levels, place_at(levels, p));
      if (!c.live()) continue;
      held = true;
      for (int a = 0; a < c.index.n; ++a) held &= c.index.at[a] == x.get(c.index.axis[a]);
    }
    Place found;
    if (find_place(levels, x, found) != held) RC_FAIL(text + (held ? " does not find " : " finds ") + printed(x));
  }
  RC_ASSERT(shown > 3);
  RC_ASSERT(refused > 0);
}

TEST(Levels, OutsideOfAnyLevelIsOutside) {
  Levels levels;
  levels.set(Level::slice, *parse("A / 4", axes)).set(Level::element, *parse("A % 4", axes));
  EXPECT_EQ(cell(levels, {.slice = 3}).kind, CellKind::outside);
  EXPECT_EQ(cell(levels, {.element = 4}).kind, CellKind::outside);
  EXPECT_EQ(cell(levels, {.chip = 1}).kind, CellKind::outside);
  EXPECT_EQ(cell(levels, {.packet = -1}).kind, CellKind::outside);
  EXPECT_TRUE(cell(levels, {.slice = 2, .element = 3}).live());
}

}  // namespace
