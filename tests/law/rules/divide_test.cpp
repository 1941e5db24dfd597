// Division and factorisation against every position and every number that could be meant.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "law/rules/random_pairs.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/divide.hpp"
#include "tcp/mapping/parse.hpp"

namespace {

using tcp::Steps;

/// Whether a run of steps is outer · common · inner with the common part from `low` to `high`, by trying all sizes.
bool falls_apart_at(Steps y, std::int64_t low, std::int64_t high) {
  for (std::int64_t inner = 1; inner <= y.size; ++inner)
    for (std::int64_t common = 1; inner * common <= y.size; ++common)
      if (y.size % (inner * common) == 0 && y.stride * inner == low && low * common == high) return true;
  return false;
}

TEST(FactoriseLaw, finds_the_three_factors_wherever_they_exist) {
  int possible = 0, impossible = 0, apart = 0;
  for (std::int64_t xs = 1; xs <= 12; ++xs)
    for (std::int64_t xn = 1; xn <= 12; ++xn)
      for (std::int64_t ys = 1; ys <= 12; ++ys)
        for (std::int64_t yn = 1; yn <= 12; ++yn) {
          Steps const x{xs, xn}, y{ys, yn};
          tcp::Factors const f = tcp::factorise(x, y);
          std::int64_t const low = std::max(xs, ys), high = std::min(xs * xn, ys * yn);
          bool const expected = low >= high || (falls_apart_at(y, low, high) && falls_apart_at(x, low, high));
          ASSERT_EQ(f.possible, expected) << xs << " * " << xn << " in " << ys << " * " << yn;
          if (!f.possible) {
            ++impossible;
            continue;
          }
          ++(low < high ? possible : apart);
          ASSERT_EQ(f.outer.size * f.common.size * f.inner.size, yn);
          ASSERT_EQ(f.inner.stride, ys);
          ASSERT_EQ(f.inner.end(), f.common.stride);
          ASSERT_EQ(f.common.end(), f.outer.stride);
          ASSERT_EQ(f.outer.end(), ys * yn);
          if (low < high) {
            ASSERT_EQ(f.common, (Steps{low, high / low}));
          } else {
            ASSERT_EQ(f.common.size, 1) << "nothing in common";
          }
        }
  EXPECT_GE(possible, 500);
  EXPECT_GE(impossible, 500);
  EXPECT_GE(apart, 500);
}

TEST(DivideLaw, entries_lead_to_the_terms_elements_and_the_rest_is_the_buffer_without_them) {
  using brute::Pairs;
  using Outcome = tcp::Division::Outcome;
  tcp::Axes axes;
  for (const brute::Axis& a : Pairs::axes) {
    axes.name[axes.n] = tcp::Name(a.name);
    axes.size[axes.n++] = a.extent;
  }
  Pairs pairs(11, {.starts = false, .windows = false, .groups = false});
  std::map<Outcome, int> outcomes;
  for (int i = 0; i < 60000; ++i) {
    brute::Pair const p = pairs.next();
    brute::List const& held = p.buffers[0];
    auto const buffer = tcp::parse(held.text(), axes);
    if (!buffer || buffer->size > 1500) continue;
    brute::Side const side(Pairs::axes, {held}, {1});
    int const axis = static_cast<int>(pairs.below(4));
    tcp::Name const name(Pairs::axes[static_cast<std::size_t>(axis)].name);
    std::int64_t const extent = Pairs::axes[static_cast<std::size_t>(axis)].extent;
    std::int64_t const stride = 1 + pairs.below(6);
    Steps const term{stride, 1 + pairs.below((extent - 1) / stride + 1)};

    tcp::Division const d = tcp::divide(*buffer, name, term);
    ++outcomes[d.outcome];
    std::string const what = held.text() + " divided by " + Pairs::axes[static_cast<std::size_t>(axis)].name + " / " +
                             std::to_string(stride) + " = " + std::to_string(term.size);
    std::map<std::int64_t, std::int64_t> first_place;  // of the elements of this axis, all other coordinates 0
    bool counted = false;
    for (const auto& at : side.positions)
      for (brute::Element e : at.holds) {
        counted |= brute::coordinate(e, axis) != 0;
        if (e == brute::with_coordinate(0, axis, brute::coordinate(e, axis))) first_place.emplace(brute::coordinate(e, axis), at.address);
      }
    if (d.outcome == Outcome::absent) {
      ASSERT_FALSE(counted) << what;
      continue;
    }
    bool missing = false;
    for (std::int64_t j = 0; j < term.size; ++j) missing |= !first_place.contains(j * stride);
    if (d.outcome == Outcome::insufficient) {
      ASSERT_TRUE(missing) << what;
      continue;
    }
    if (d.outcome == Outcome::incompatible) {
      bool blocks_divide = true;
      for (const brute::Item& item : held.items)
        for (const brute::Counted& c : item.counts) {
          if (c.axis != axis) continue;
          bool const inside = stride < c.stride && c.stride < term.end();
          if (inside) blocks_divide &= c.stride % stride == 0 && term.size % (c.stride / stride) == 0;
          if (c.stride <= stride) blocks_divide &= stride % c.stride == 0;
          // The rest of a padded digit must be whole blocks as well.
          if (c.stride <= stride && stride < c.stride * c.size) blocks_divide &= item.slot % (stride / c.stride * term.size) == 0;
        }
      ASSERT_TRUE(missing || !blocks_divide) << what;
      ASSERT_TRUE(d.rest == *buffer) << what;
      continue;
    }
    ASSERT_FALSE(missing) << what;
    std::int64_t rounds = 1;
    for (int k = 0; k < d.entries; ++k) rounds *= d.entry[k].size;
    ASSERT_EQ(rounds, term.size) << what;
    for (std::int64_t j = 0; j < term.size; ++j) {
      std::int64_t rest = j, position = 0;
      for (int k = d.entries - 1; k >= 0; --k) {
        position += rest % d.entry[k].size * d.entry[k].stride;
        rest /= d.entry[k].size;
      }
      ASSERT_EQ(position, first_place[j * stride]) << what << " at step " << j;
    }
    ASSERT_EQ(d.rest.size, buffer->size) << what;
    for (const auto& at : side.positions) {
      tcp::Cell const now = tcp::cell(d.rest, at.address);
      if (!now.live()) continue;
      // What is still live is the same element, and not one that the term counts.
      ASSERT_EQ(at.holds.size(), 1u) << what;
      for (std::size_t a = 0; a < Pairs::axes.size(); ++a)
        ASSERT_EQ(now.index.get(Pairs::axes[a].name), brute::coordinate(at.holds[0], static_cast<int>(a))) << what << " at " << at.address;
      for (std::int64_t j = 1; j < term.size; ++j)
        ASSERT_NE(brute::coordinate(at.holds[0], axis), j * stride) << what << " at " << at.address;
    }
    // And nothing else is lost: where the axis is at 0, everything is still there.
    for (const auto& at : side.positions) {
      bool const untaken = !at.holds.empty() && brute::coordinate(at.holds[0], axis) == 0;
      ASSERT_TRUE(!untaken || tcp::cell(d.rest, at.address).live()) << what << " at " << at.address;
    }
  }
  EXPECT_GE(outcomes[Outcome::whole], 2000);
  EXPECT_GE(outcomes[Outcome::absent], 2000);
  EXPECT_GE(outcomes[Outcome::insufficient], 300);
  EXPECT_GE(outcomes[Outcome::incompatible], 500);
}

}  // namespace
