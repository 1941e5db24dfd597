// Tiles: a view shows exactly the elements of the source that lie in the tile, where they lie.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "complaints.hpp"
#include "draw.hpp"
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

}  // namespace
