#include "tcp/mapping/draw.hpp"

#include <gtest/gtest.h>

#include "tcp/mapping/parse.hpp"
#include "tcp/support/random.hpp"

namespace {

using namespace tcp;

constexpr Axes axes = *parse_axes("A = 8, B = 12, C = 3, D = 61, W = 5, Fw = 3, Huge = 4611686018427387904");

Mapping read(const std::string& text) {
  auto const m = parse(text, axes);
  EXPECT_TRUE(m.ok()) << text << ": " << m.refusal().sentence().s;
  return m ? *m : Mapping{};
}

/// Expressions as a stranger might write them; most of them can be, and those that cannot are drawn again.
class RandomMappings {
 public:
  Mapping next(std::int64_t most) {
    while (true) {
      auto const m = parse(list(0), axes);
      if (m && m->size <= most) return *m;
    }
  }
  Levels next_levels(std::int64_t most) {
    while (true) {
      Levels l;
      l.set(Level::slice, next(40)).set(Level::element, next(60));
      if (random_.below(3) == 0) l.set(Level::row, next(8));
      if (check_levels(l) && l[Level::slice].size * l[Level::row].size * l[Level::element].size <= most) return l;
    }
  }

 private:
  std::string list(int depth) {
    std::string out = item(depth);
    for (auto n = random_.below(3); n > 0; --n) out += ", " + item(depth);
    return out;
  }
  std::string item(int depth) {
    constexpr const char* names[] = {"A", "B", "C", "D", "1", "2", "3"};
    constexpr const char* operators[] = {" / ", " % ", " = ", " # ", " #z ", " #! ", " #< ", " @ "};
    std::string out = depth < 2 && random_.below(4) == 0 ? "[" + list(depth + 1) + "]" : names[random_.below(std::size(names))];
    for (auto n = random_.below(3); n > 0; --n) {
      auto const which = random_.below(std::size(operators));
      out += operators[which] + std::to_string(which >= 6 ? random_.below(5) : 1 + random_.below(which < 3 ? 8 : 70));
    }
    return out;
  }

  Random random_{20260703};
};

Census counted_by_walking(const Levels& levels) {
  Census c;
  Places const places(levels);
  for (std::int64_t i = 0; i < places.size(); ++i) {
    Cell const cell = places.at(i);
    (cell.live() ? c.elements : cell.pad == Pad::zero ? c.zero : cell.pad == Pad::bottom ? c.bottom : c.top)++;
  }
  return c;
}

void expect_same(const Census& counted, const Census& walked, const std::string& of) {
  ASSERT_TRUE(counted.known) << of;
  EXPECT_EQ(counted.elements, walked.elements) << of;
  EXPECT_EQ(counted.zero, walked.zero) << of;
  EXPECT_EQ(counted.top, walked.top) << of;
  EXPECT_EQ(counted.bottom, walked.bottom) << of;
}

std::string text_of(const Levels& levels) {
  std::string out;
  for (Mapping const& m : levels.at) out += text_of(m) + "; ";
  return out;
}

TEST(Census, counts_what_a_walk_counts) {
  RandomMappings random;
  for (int i = 0; i < 4000 && !::testing::Test::HasFailure(); ++i) {
    Mapping const m = random.next(4000);
    expect_same(census(spread(m)), counted_by_walking(spread(m)), text_of(m));
  }
  for (int i = 0; i < 1000 && !::testing::Test::HasFailure(); ++i) {
    Levels const l = random.next_levels(4000);
    expect_same(census(l), counted_by_walking(l), text_of(l));
  }
}

TEST(Census, is_unknown_with_windows_and_beyond_64_bits) {
  EXPECT_FALSE(census(spread(read("$(W:2, Fw)"))).known);
  Levels const many = Levels{}.set(Level::slice, read("Huge")).set(Level::element, read("B"));
  EXPECT_FALSE(census(many).known);
}

TEST(Runs, cover_every_place_once_and_say_what_lies_there) {
  RandomMappings random;
  for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
    Places const places(i % 3 == 0 ? random.next_levels(3000) : spread(random.next(3000)));
    std::int64_t at = 0;
    while (at < places.size()) {
      CellRun const run = run_from(places, at);
      ASSERT_EQ(run.from, at);
      ASSERT_GE(run.count, 1);
      ASSERT_LE(run.count, places.size() - at);
      for (std::int64_t k = 0; k < run.count; ++k) {
        Cell const cell = places.at(at + k);
        Index expected = run.first.index;
        if (run.step != 0) expected.add(run.moving, k * run.step);
        ASSERT_EQ(cell.kind, run.first.kind) << text_of(places.levels()) << at + k;
        ASSERT_EQ(cell.pad, run.first.pad) << text_of(places.levels()) << at + k;
        ASSERT_TRUE(cell.index == expected) << text_of(places.levels()) << at + k;
      }
      at += run.count;
    }
  }
}

TEST(Runs, of_padding_are_as_long_as_the_padding) {
  Places const places(spread(read("A # 1000000007, B, C #z 4")));
  // The padding of A is top, that of C zero: where A is padded, all is top.
  CellRun const run = run_from(places, 8 * 12 * 4);
  EXPECT_EQ(run.count, places.size() - 8 * 12 * 4);
  EXPECT_EQ(run.first.pad, Pad::top);
}

TEST(Runs, of_a_huge_axis_cost_no_walk) {
  Places const places(spread(read("Huge")));
  CellRun const run = run_from(places, 5);
  EXPECT_EQ(run.count, places.size() - 5);
  EXPECT_EQ(run.step, 1);
}

TEST(Places, count_the_last_level_first) {
  Places const places(Levels{}.set(Level::slice, read("A")).set(Level::element, read("B")));
  EXPECT_EQ(places.size(), 96);
  EXPECT_EQ(places.place(29).slice, 2);
  EXPECT_EQ(places.place(29).element, 5);
  EXPECT_EQ(describe(places, 29), "A 2, B 5");
}

TEST(Places, beyond_64_bits_are_counted_as_far_as_numbers_reach) {
  Places const places(Levels{}.set(Level::slice, read("Huge")).set(Level::element, read("A")));
  EXPECT_FALSE(places.all());
  EXPECT_EQ(places.size(), Shown::to_the_end);
  EXPECT_EQ(describe(places, places.size() - 1), "Huge 1152921504606846975, A 6");
  EXPECT_EQ(run_from(places, places.size() - 1).count, 1);
}

TEST(TellingPlaces, are_where_each_factor_steps_on_and_where_padding_begins) {
  Places const places(Levels{}.set(Level::slice, read("A / 2 # 6, C")).set(Level::element, read("A % 2, B")));
  // One step of B's neighbour, of C, of A / 2; the first padding of A / 2; the last run.
  EXPECT_EQ(telling_places(places), (std::vector<std::int64_t>{0, 12, 24, 3 * 24, 12 * 24, 17 * 24}));
}

TEST(Factors, spell_the_canonical_text) {
  RandomMappings random;
  for (int i = 0; i < 2000; ++i) {
    Mapping const m = random.next(1'000'000);
    bool starts_only = false;  // the text has a start that belongs to no factor
    for (int a = 0; a < m.axes; ++a) starts_only |= coarsest_digit(m, a) < 0 && m.axis[a].start != 0;
    std::string joined;
    std::int64_t slots = 1;
    for (Factor const& f : factors(m)) {
      joined += (joined.empty() ? "" : ", ") + f.text;
      slots *= f.slot;
    }
    EXPECT_EQ(slots, m.size) << text_of(m);
    if (!starts_only && m.digits > 0) {
      EXPECT_EQ(joined, text_of(m));
    }
  }
}

TEST(DrawFactors, shows_every_part_of_the_normal_form) {
  EXPECT_EQ(draw_factors(spread(read("[A, B @ 2 = 5, C] # 149, $(W:2, Fw)"))),
            "factor     axis  stride  size  slot  apart  padding\n"
            "A          A          1     8     8    165\n"
            "B @ 2 = 5  B          1     5     5     33\n"
            "C          C          1     3     3     11\n"
            "W:2        W          1     5    11      2\n"
            "Fw         Fw         1     3            1\n"
            "start   B is read from 2 on\n"
            "group   factors 1 to 3 are 120 positions together, padded to 149 (top)\n"
            "window  $(W:2, Fw): all steps with the same sum share a place, the sum being 2 W + Fw\n");
}

TEST(DrawCells, is_a_line_for_each_run) {
  auto const table = draw_cells(spread(read("A / 4, B = 2 #z 4, 2")), {});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->next, -1);
  EXPECT_EQ(table->text,
            "position  A  B\n"
            " 0 to 1   0  0\n"
            " 2 to 3   0  1\n"
            " 4 to 7   zero padding\n"
            " 8 to 9   4  0\n"
            "10 to 11  4  1\n"
            "12 to 15  zero padding\n"
            "(zero padding may be read, and is zero)\n");
}

TEST(DrawCells, shows_the_part_that_was_asked_for_and_where_it_goes_on) {
  auto const table = draw_cells(spread(read("A, B")), {.from = 10, .count = 30, .lines = 2});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->text, "position  A   B\n10 to 11  0  10 to 11\n12 to 23  1   0 to 11\n");
  EXPECT_EQ(table->next, 24);
}

TEST(DrawCells, has_no_blanks_at_the_end_of_a_line) {
  RandomMappings random;
  for (int i = 0; i < 300; ++i) {
    auto const table = draw_cells(random.next_levels(2000), {.colour = i % 2 == 0});
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->text.find(" \n"), std::string::npos);
    EXPECT_EQ(table->text.find('\033') != std::string::npos, i % 2 == 0);
  }
}

TEST(DrawCells, of_places_that_are_not_there_is_refused) {
  for (Shown const& shown : {Shown{.from = 96}, Shown{.from = -1}, Shown{.from = 0, .count = 0}}) {
    auto const table = draw_cells(spread(read("A, B")), shown);
    ASSERT_FALSE(table.ok());
    EXPECT_STREQ(table.refusal().code, "draw-no-such-place");
    EXPECT_FALSE(draw_svg(spread(read("A, B")), shown).ok());
  }
  EXPECT_FALSE(draw_cells(Levels{}.set(Level::slice, read("A")).set(Level::element, read("A")), {}).ok());
  EXPECT_FALSE(draw_svg(spread(divide_by(read("A"), 3)), {}).ok());
}

int occurrences(const std::string& in, const std::string& what) {
  int n = 0;
  for (std::size_t at = in.find(what); at != in.npos; at = in.find(what, at + 1)) ++n;
  return n;
}

TEST(DrawSvg, numbers_the_cells_of_a_small_mapping) {
  auto const svg = draw_svg(spread(read("C, A / 2 #z 6")), {});
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(occurrences(*svg, "<g><title>position "), 18);
  EXPECT_EQ(occurrences(*svg, "<title>position 8: C 1, A 4</title>"), 1);
  EXPECT_EQ(occurrences(*svg, "<title>position 11: zero padding</title><path class=\"zero\""), 1);
  EXPECT_EQ(occurrences(*svg, ">6</text>"), 4);  // three cells, and the label of a row
}

TEST(DrawSvg, draws_one_grid_an_axis_when_there_are_many_cells) {
  auto const svg = draw_svg(spread(read("D # 64, B")), {});
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(occurrences(*svg, "<g><title>position "), 2 * 64 * 12);
  EXPECT_EQ(occurrences(*svg, ">axis D: 0 to 60</text>"), 1);
  EXPECT_EQ(occurrences(*svg, ">axis B: 0 to 11</text>"), 1);
  EXPECT_EQ(occurrences(*svg, "class=\"top\""), 2 * 3 * 12 + 1);
}

TEST(DrawSvg, tells_the_kinds_of_padding_apart) {
  auto const svg = draw_svg(spread(read("C #z 4, A # 9, 2 #! 3")), {});
  ASSERT_TRUE(svg.ok());
  for (const char* kind : {"zero", "top", "bottom"}) {
    EXPECT_GT(occurrences(*svg, std::string("class=\"") + kind + "\""), 1) << kind;
    EXPECT_EQ(occurrences(*svg, std::string("<pattern id=\"") + kind + "\""), 1) << kind;
  }
}

TEST(DrawSvg, escapes_what_xml_reserves) {
  auto const svg = draw_svg(spread(read("B #< 2")), {});
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(occurrences(*svg, "m![B #&lt; 2]"), 1);
}

/// A walk over these tensors would never end.
TEST(DrawSvg, costs_what_it_shows_however_large_the_tensor_is) {
  Levels const spread_out = Levels{}.set(Level::slice, read("Huge / 4096, C")).set(Level::element, read("Huge % 4096, D # 64, B"));
  for (Levels const& levels : {spread(read("Huge")), spread(read("Huge # 9223372036854775807")), spread_out}) {
    auto const svg = draw_svg(levels, {});
    ASSERT_TRUE(svg.ok());
    int const squares = occurrences(*svg, "<g><title>");
    EXPECT_GT(squares, 1000);
    EXPECT_LE(squares, 27'000);
    EXPECT_EQ(occurrences(*svg, "each square stands for "), 1);
  }
}

TEST(DrawSvg, shows_20000_cells_one_by_one) {
  auto const svg = draw_svg(spread(parse("X, Y", *parse_axes("X = 100, Y = 200")).value()), {});
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(occurrences(*svg, "<g><title>position "), 2 * 20'000);
  EXPECT_EQ(occurrences(*svg, "each square stands for "), 0);
}

TEST(DrawSvg, shows_only_the_asked_part) {
  auto const svg = draw_svg(spread(read("Huge")), {.from = 1'000'003, .count = 30});
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(occurrences(*svg, "<g><title>position "), 30);
  EXPECT_EQ(occurrences(*svg, "<title>position 1000003: Huge 1000003</title>"), 1);
}

TEST(DrawSvg, shows_all_elements_of_a_window) {
  auto const svg = draw_svg(spread(read("$(W:2, Fw)")), {});
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(occurrences(*svg, "<title>position 2: several elements: W 0, Fw 2; W 1, Fw 0</title>"), 1);
}

}  // namespace
