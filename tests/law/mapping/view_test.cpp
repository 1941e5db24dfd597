// The laws of tiles and of windows.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "small_expressions.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/mapping/view.hpp"

namespace {

using namespace tcp;

constexpr Axes axes = *parse_axes("A = 12, B = 8, C = 3, D = 7");
const char* const names[] = {"A", "B", "C", "D"};

std::string draw_text(Draw& draw, int depth) {
  std::int64_t const choice = depth == 0 ? 0 : draw.between(0, 9);
  if (choice <= 1) return draw.of(names);
  if (choice == 2) return std::to_string(draw.between(1, 3));
  if (choice <= 6) return "[" + draw_text(draw, depth - 1) + ", " + draw_text(draw, depth - 1) + "]";
  static const char* const operators[] = {" / ", " % ", " # ", " #z ", " = "};
  return draw_text(draw, depth - 1) + draw.of(operators) + std::to_string(draw.between(1, draw.chance(50) ? 4 : 16));
}

/// A block of an axis, the last perhaps no whole one: the dimension of a tile.
std::string draw_dimension(Draw& draw, const std::string& name, std::int64_t extent) {
  std::int64_t const n = draw.between(1, 6), k = draw.between(1, 6);
  if (extent % n != 0 && draw.chance(70)) return name + " # " + std::to_string((extent + n - 1) / n * n) + " / " + std::to_string(n);
  if (extent % n != 0) return name;
  std::string const blocks = name + " / " + std::to_string(n);
  return extent / n % k == 0 && draw.chance(40) ? blocks + " % " + std::to_string(k) : blocks;
}

using Coordinates = std::map<std::string, std::int64_t>;
Coordinates coordinates(const Index& x) {
  Coordinates c;
  for (const char* name : names) c[name] = x.get(name);
  return c;
}

constexpr int tiles_a_case = 400;

RC_GTEST_PROP(Tile, MAP_19_shows_exactly_the_elements_inside_where_they_lie, ()) {
  Draw draw;
  int shown = 0;
  for (int i = 0; i < tiles_a_case; ++i) {
    auto const source = parse(draw_text(draw, 4), axes);
    if (!source || source->size > 1500) continue;
    std::string const name = draw.of(names);
    std::int64_t const extent = axes.size[axes.find(Name(name))];
    auto const dimension = parse(draw_dimension(draw, name, extent), axes);
    RC_ASSERT(dimension.ok());
    std::int64_t const length = draw.between(1, dimension->size), start = draw.between(0, dimension->size - length);
    auto const view = tile(*source, *dimension, length, start);
    std::string const what =
        printed(*source) + " along " + printed(*dimension) + ", " + std::to_string(length) + " from " + std::to_string(start);
    if (!view) {
      RC_ASSERT(std::string(view.refusal().code) == "tile-not-in-source" || std::string(view.refusal().code) == "tile-beyond-axis");
      continue;
    }
    ++shown;
    RC_ASSERT(view->mapping.size == source->size);
    if (dimension->size == 1) {
      RC_ASSERT(view->mapping == *source && view->offset == 0 && view->rebase == 0);
      continue;
    }
    RC_ASSERT(view->rebase == start * (dimension->digits > 0 ? dimension->digit[0].stride : 0));

    // Every element of the source whose step along the dimension lies in the tile, at its position; and nothing else.
    std::int64_t const stride = dimension->digit[0].stride, steps = dimension->digit[0].size;
    std::map<std::int64_t, Coordinates> want, got;
    for (std::int64_t p = 0; p < source->size; ++p) {
      Cell const c = cell(*source, p);
      if (!c.live()) continue;
      std::int64_t const step = c.index.get(name) / stride % steps;
      if (step >= start && step < start + length) want[p] = coordinates(c.index);
    }
    for (std::int64_t p = 0; p < view->mapping.size; ++p) {
      Cell const c = cell(view->mapping, p);
      if (!c.live()) continue;
      Index x = c.index;
      x.add(view->axis, view->rebase);
      got[view->offset + p] = coordinates(x);
    }
    if (want != got) RC_FAIL(what + " is " + printed(view->mapping) + " at offset " + std::to_string(view->offset));

    auto const again = parse(printed(view->mapping), axes);
    if (!again || !(*again == view->mapping)) RC_FAIL(what + " is " + printed(view->mapping) + ", which is not in normal form");
    RC_ASSERT(tile_as(*source, *dimension, length, start, view->mapping).ok());
    RC_ASSERT(tile_as(*source, *dimension, length, start, without_kinds(view->mapping)).ok());
    auto const wrong = tile_as(*source, *dimension, length, start, view->mapping.pad(view->mapping.size + 1));
    RC_ASSERT(!wrong.ok());
    RC_ASSERT(std::string(wrong.refusal().code) == "tile-wrong-result");
  }
  RC_ASSERT(shown > 3);
}

RC_GTEST_PROP(Tile, OfWholeAxesIsNeverRefusedWithinRange, ()) {
  Draw draw;
  for (int i = 0; i < tiles_a_case; ++i) {
    std::vector<std::string> list{names[0], names[1], names[2], names[3]};
    std::swap(list[0], list[static_cast<std::size_t>(draw.between(0, 3))]);
    auto const source = *parse(list[0] + ", " + list[1] + " # 20, " + list[2] + ", " + list[3], axes);
    std::string const name = draw.of(names);
    auto const dimension = *parse(draw_dimension(draw, name, axes.size[axes.find(Name(name))]), axes);
    std::int64_t const length = draw.between(-1, dimension.size + 1), start = draw.between(-1, dimension.size + 1);
    auto const view = tile(source, dimension, length, start);
    bool const within = length >= 1 && start >= 0 && start + length <= dimension.size;
    if (list[1] == name && !view && within) continue;  // 20 positions may not be whole rounds of a part of a block
    RC_ASSERT(view.ok() == within);
    bool const in_padded = list[1] == name;
    if (!view && !in_padded) RC_ASSERT(std::string(view.refusal().code) == "tile-out-of-range");
  }
}

// Windows and skewed axes against the relation they are defined by, spelt out pair by pair: MAP-34, MAP-35, MAP-36, MAP-32.

namespace window {

using namespace tcp;

constexpr Axes axes = *parse_axes("A = 4, B = 3, N = 5, F = 3, W = 6");
const char* const names[] = {"A", "B", "N", "F", "W"};

using Coordinates = std::map<std::string, std::int64_t>;

/// What a mapping relates each of its positions to. No element: padding. Several: only in windows.
struct Relation {
  std::string text;
  std::vector<std::set<Coordinates>> at;

  std::int64_t size() const { return static_cast<std::int64_t>(at.size()); }
};

Coordinates sum(Coordinates a, const Coordinates& b) {
  for (auto const& [name, v] : b) a[name] += v;
  std::erase_if(a, [](auto const& entry) { return entry.second == 0; });
  return a;
}

Relation pair_of(const Relation& l, const Relation& r) {
  Relation both{l.text.empty() ? r.text : l.text + ", " + r.text, {}};
  for (auto const& x : l.at)
    for (auto const& y : r.at) {
      auto& here = both.at.emplace_back();
      for (auto const& a : x)
        for (auto const& b : y) here.insert(sum(a, b));
    }
  return both;
}

/// A run of steps of one axis.
Relation draw_run(Draw& draw) {
  std::string const name = draw.of(names);
  std::int64_t const extent = axes.size[axes.find(Name(name))];
  Relation r{name, {}};
  std::int64_t stride = 1, size = extent;
  switch (draw.between(0, 3)) {
    case 0:
      if (extent % 2 == 0) r.text += " / 2", stride = 2, size = extent / 2;
      break;
    case 1:
      if (extent % 2 == 0) r.text += " % 2", size = 2;
      break;
    case 2: r.text += " = 2", size = 2; break;
    default: break;
  }
  for (std::int64_t i = 0; i < size; ++i) r.at.push_back({sum({}, {{name, i * stride}})});
  return r;
}

/// MAP-35: s relates to t iff s = Σ sk·nk and t = Σ tk, each sk related to tk.
Relation draw_window(Draw& draw) {
  std::vector<std::pair<Relation, std::int64_t>> members;
  Relation r{"$(", {}};
  std::int64_t size = 1;
  for (std::int64_t n = draw.between(1, 3); n > 0; --n) {
    auto const& [run, step] = members.emplace_back(draw_run(draw), draw.between(1, 4));
    r.text += (members.size() > 1 ? ", " : "") + run.text;
    if (step != 1 || draw.chance(30)) r.text += ":" + std::to_string(step);
    size += (run.size() - 1) * step;  // MAP-34
  }
  r.text += ")";
  std::map<std::int64_t, std::set<Coordinates>> reached{{0, {Coordinates{}}}};
  for (auto const& [run, step] : members) {
    std::map<std::int64_t, std::set<Coordinates>> next;
    for (auto const& [s, ts] : reached)
      for (std::int64_t k = 0; k < run.size(); ++k)
        for (auto const& t : ts) next[s + k * step].insert(sum(t, *run.at[static_cast<std::size_t>(k)].begin()));
    reached = std::move(next);
  }
  r.at.resize(static_cast<std::size_t>(size));
  for (auto const& [s, ts] : reached) r.at[static_cast<std::size_t>(s)] = ts;
  return r;
}

/// A comma list of runs and windows, each with at most one `#` or `=`, maybe padded as a group.
Relation draw_list(Draw& draw) {
  Relation all{"", {{Coordinates{}}}};
  for (std::int64_t n = draw.between(1, 3); n > 0; --n) {
    Relation r = draw.chance(60) ? draw_window(draw) : draw_run(draw);
    std::int64_t size = r.size();
    if (draw.chance(20)) size += draw.between(0, 4), r.text += (draw.chance(50) ? " # " : " #z ") + std::to_string(size);
    else if (draw.chance(20)) size = draw.between(1, size), r.text += " = " + std::to_string(size);
    r.at.resize(static_cast<std::size_t>(size));
    all = pair_of(all, r);
  }
  if (draw.chance(20)) {
    all.at.resize(all.at.size() + 3);
    all.text = "[" + all.text + "] # " + std::to_string(all.size());
  }
  return all;
}

std::set<Coordinates> held(const Mapping& m, std::int64_t i) {
  std::set<Coordinates> all;
  for (std::int64_t which = 0, n = preimages(m, i); which < n; ++which) {
    Index const x = preimage(m, i, which);
    Coordinates c;
    for (const char* name : names) c[name] = x.get(name);
    all.insert(sum({}, c));
  }
  return all;
}

constexpr int lists_a_case = 40;
constexpr std::int64_t most_positions = 800;

RC_GTEST_PROP(Windows, MAP_35_relate_positions_to_elements_as_defined, ()) {
  Draw draw;
  for (int i = 0; i < lists_a_case; ++i) {
    Relation const want = draw_list(draw);
    auto const m = parse(want.text, axes);
    if (!m || want.size() > most_positions) continue;
    if (m->size != want.size()) RC_FAIL(want.text + " has " + std::to_string(m->size) + " positions, not " + std::to_string(want.size()));
    for (std::int64_t p = 0; p < want.size(); ++p) {
      auto const& elements = want.at[static_cast<std::size_t>(p)];
      if (held(*m, p) != elements || preimages(*m, p) != static_cast<std::int64_t>(elements.size()))
        RC_FAIL(want.text + " = " + printed(*m) + " at " + std::to_string(p) + " holds " + std::to_string(preimages(*m, p)) +
                " elements, not " + std::to_string(elements.size()) + ", or others");
      Cell const c = cell(*m, p);
      CellKind const kind = elements.empty() ? CellKind::padding : elements.size() == 1 ? CellKind::live : CellKind::several;
      if (c.kind != kind) RC_FAIL(want.text + " = " + printed(*m) + " at " + std::to_string(p) + " is " + printed(c));
    }
    auto const again = parse(printed(*m), axes);
    if (!again || !(*again == *m)) RC_FAIL(want.text + " prints " + printed(*m));
  }
}

RC_GTEST_PROP(Windows, MAP_36_an_outer_sum_is_a_pair, ()) {
  Draw draw;
  for (int i = 0; i < lists_a_case; ++i) {
    Relation const l = draw_run(draw), r = draw_run(draw);
    auto const window = parse("$(" + l.text + ":" + std::to_string(r.size()) + ", " + r.text + ")", axes);
    auto const both = parse(l.text + ", " + r.text, axes);
    RC_ASSERT(window.ok() == both.ok());
    if (window) RC_ASSERT(*window == *both);
  }
}

RC_GTEST_PROP(Windows, AreTheSameInWhateverOrderTheirMembersStand, ()) {
  Draw draw;
  for (int i = 0; i < lists_a_case; ++i) {
    std::string const x = draw_run(draw).text + ":" + std::to_string(draw.between(1, 4)),
                      y = draw_run(draw).text + ":" + std::to_string(draw.between(1, 4));
    auto const one = parse("$(" + x + ", " + y + ")", axes), other = parse("$(" + y + ", " + x + ")", axes);
    RC_ASSERT(one.ok() == other.ok());
    if (one) RC_ASSERT(*one == *other);
  }
}

/// MAP-32: skew(B, A) holds B = (B' + A) mod |B|, B' being the step.
RC_GTEST_PROP(Skew, MAP_32_wraps_around_by_the_other_axis, ()) {
  Draw draw;
  std::string const turning = draw.of(names);
  std::string by = draw.of(names);
  while (by == turning) by = draw.of(names);
  std::int64_t const extent = axes.size[axes.find(Name(turning))], other = axes.size[axes.find(Name(by))];
  bool const outside = draw.chance(50);
  std::string const skewed = "skew(" + turning + ", " + by + ")";
  auto const m = parse(outside ? by + ", " + skewed : skewed + ", " + by, axes);
  RC_ASSERT(m.ok());
  RC_ASSERT(m->size == extent * other);
  for (std::int64_t i = 0; i < m->size; ++i) {
    std::int64_t const counted = outside ? i / extent : i % other, step = outside ? i % extent : i / other;
    Cell const c = cell(*m, i);
    RC_ASSERT(c.live());
    RC_ASSERT(c.index.get(by) == counted);
    RC_ASSERT(c.index.get(turning) == (step + counted) % extent);
    RC_ASSERT(place(*m, c.index) == i);
  }
  auto const again = parse(printed(*m), axes);
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == *m);
}

}  // namespace window

}  // namespace
