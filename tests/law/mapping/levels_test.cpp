// The laws of levels, and the laws of the algebra as the compiler checks them, on the book's examples.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "small_expressions.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/mapping/walk.hpp"

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

// The laws as the compiler checks them, on the book's examples.

using namespace tcp;

TCP_AXES(A = 8, B = 512, C = 13, D = 61, H = 6, W = 8, X = 2, Y = 3, Z = 5);

constexpr bool same(const Cell& x, const Cell& y) { return x.kind == y.kind && x.pad == y.pad && x.index == y.index; }
constexpr bool same_cells(const Mapping& x, const Mapping& y) {
  if (x.size != y.size) return false;
  for (std::int64_t i = 0; i < x.size; ++i)
    if (!same(cell(x, i), cell(y, i))) return false;
  return true;
}

/// parse(print(m)) is m.
constexpr bool reads_back(const Mapping& m) {
  Text written, names;
  print(written, m);
  print_axes(names, m);
  return *parse(written, m.axes == 0 ? Axes{} : *parse_axes(names)) == m;
}
/// E / n holds E(i·n), E % n holds E(i), and the two together are E.
constexpr bool splits(const Mapping& e, std::int64_t n) {
  Halves const h = split_at(e, n);
  if (h.outer.size != e.size / n || h.inner.size != n) return false;
  for (std::int64_t i = 0; i < h.outer.size; ++i)
    if (!same(cell(h.outer, i), cell(e, i * n))) return false;
  for (std::int64_t i = 0; i < n; ++i)
    if (!same(cell(h.inner, i), cell(e, i))) return false;
  return pair(h.outer, h.inner) == e;
}
/// E # n holds E(i), then padding; E = k holds the first of E.
constexpr bool pads_and_resizes(const Mapping& e, std::int64_t more, std::int64_t less) {
  Mapping const padded = e.pad(e.size + more), resized = e.resize(less);
  for (std::int64_t i = 0; i < e.size; ++i)
    if (!same(cell(padded, i), cell(e, i))) return false;
  for (std::int64_t i = e.size; i < padded.size; ++i)
    if (cell(padded, i).pad != Pad::top) return false;
  for (std::int64_t i = 0; i < less; ++i)
    if (!same(cell(resized, i), cell(e, i))) return false;
  return padded.size == e.size + more && resized.size == less && padded.resize(e.size) == e;
}
/// place is the inverse of cell.
constexpr bool finds_all(const Mapping& e) {
  for (std::int64_t i = 0; i < e.size; ++i) {
    Cell const c = cell(e, i);
    if (c.live() && !(cell(e, place(e, c.index)).index == c.index)) return false;
  }
  return true;
}
constexpr bool walks(const Mapping& e) {
  Walk w(e);
  for (std::int64_t i = 0; i < e.size; ++i, w.next()) {
    Cell const c = cell(e, i);
    if (w.done() || w.live() != c.live()) return false;
    for (int a = 0; a < e.axes && c.live(); ++a)
      if (w.coordinate(a) != c.index.get(e.axis[a].name)) return false;
  }
  return w.done();
}
constexpr bool tiles(const Mapping& source, const Mapping& dimension, std::int64_t length, std::int64_t start) {
  View const v = *tile(source, dimension, length, start);
  for (std::int64_t i = 0; i < v.mapping.size; ++i) {
    Cell const c = cell(v.mapping, i);
    if (!c.live()) continue;
    Index x = c.index;
    x.add(v.axis, v.rebase);
    Cell const s = cell(source, v.offset + i);
    if (!s.live() || !(s.index == x)) return false;
  }
  return true;
}

constexpr Mapping tiled = m<H / 2, W / 2, H % 2, W % 2>::mapping, rows = m<C, D.pad(64)>::mapping,
                  bits = m<B / 64, B % 32, B / 32 % 2>::mapping, tail = m<group(X, Y, Z).pad(32)>::mapping,
                  front = m<D.pad_left(2).pad_zero(64)>::mapping, copied = m<2, D.pad(64) / 16, 3>::mapping;

static_assert(reads_back(tiled) && reads_back(rows) && reads_back(bits) && reads_back(tail) && reads_back(front) && reads_back(copied));
static_assert(reads_back(m<slide(W.by(2), Y).pad(32)>::mapping) && reads_back(m<1>::mapping) &&
              reads_back(m<B.from(5).resize(1), A>::mapping));
static_assert(splits(tiled, 4));
static_assert(splits(tiled, 16));
static_assert(splits(tiled, 48));
static_assert(splits(tiled, 1));
static_assert(splits(rows, 64));
static_assert(splits(rows, 16));
static_assert(splits(bits, 64));
static_assert(splits(bits, 8));
static_assert(splits(copied, 3));
static_assert(pair(front / 16, front % 16) == front && pair(tail / 32, tail % 32) == tail);
static_assert(pads_and_resizes(tiled, 7, 16));
static_assert(pads_and_resizes(bits, 1, 64));
static_assert(pads_and_resizes(m<X, Y, Z>::mapping, 2, 15));
static_assert(finds_all(tiled));
static_assert(finds_all(rows));
static_assert(finds_all(bits));
static_assert(finds_all(tail));
static_assert(finds_all(front));
static_assert(finds_all(copied));
static_assert(walks(tiled));
static_assert(walks(rows));
static_assert(walks(bits));
static_assert(walks(tail));
static_assert(walks(front));
static_assert(walks(copied));
static_assert(tiles(tiled, H / 2, 2, 1));
static_assert(tiles(bits, B / 64, 3, 2));
static_assert(tiles(rows, C, 1, 12));
static_assert(same_cells(m<D.pad(64) / 16, D.pad(64) % 16>::mapping, m<D.pad(64)>::mapping));
static_assert(without_kinds(front) == without_kinds(m<D.pad_left(2).pad_bottom(64)>::mapping) && !(front == without_kinds(front)));

TEST(Laws, HoldAtRunTimeByTheSameCode) {
  for (Mapping const& e : {tiled, rows, bits, copied}) {
    int cuts = 0;
    for (std::int64_t n = 1; n <= e.size; ++n) {
      if (!split_at(e, n).outer.ok()) continue;
      EXPECT_TRUE(splits(e, n)) << n;
      ++cuts;
    }
    EXPECT_GE(cuts, 4);
    EXPECT_TRUE(reads_back(e) && finds_all(e) && walks(e));
  }
}

}  // namespace
