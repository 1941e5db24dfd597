// A picture is read by its rows: what repeats should stand below itself. So rows end where factors end, as far as a
// screen allows, and when there are more cells than can be told apart, squares take in whole blocks.
#include "mapping/picture_grid.hpp"

#include <cmath>
#include <ranges>

#include "tcp/support/round.hpp"

namespace tcp {
namespace {

constexpr std::int64_t most_cells = 20'000;    // that are drawn one by one
constexpr std::int64_t most_squares = 27'000;  // of all grids together, when a square stands for several cells
constexpr std::int64_t most_columns = 128;     // twice as many, if the row is then a whole factor

PictureBorders borders_of(const Places& places) {
  PictureBorders found;
  auto add = [](std::vector<std::int64_t>& to, Checked border) {
    if (border.fits && border.value > 1) to.push_back(border.value);
  };
  Checked unit = 1;
  for (Level l : places.counted() | std::views::reverse) {
    Mapping const& m = places.levels()[l];
    Footprints const foot = footprints(m);
    for (int k = 0; k < m.digits; ++k) {
      Checked const step = unit * foot.inside[k];
      add(found.factor, step);
      constexpr std::int64_t tried = 1024;
      for (std::int64_t j = 1; j <= tried && j <= m.digit[k].slot; ++j) {
        if (m.digit[k].slot % j != 0) continue;
        add(found.block, step * j);
        add(found.block, step * (m.digit[k].slot / j));
      }
    }
    unit = unit * m.size;
    add(found.factor, unit);
  }
  for (auto* each : {&found.factor, &found.block}) {
    std::sort(each->begin(), each->end());
    each->erase(std::unique(each->begin(), each->end()), each->end());
  }
  return found;
}

/// A number of places that is at least `least`, best one at a border.
std::int64_t at_border(const PictureBorders& borders, std::int64_t least) {
  for (auto* each : {&borders.factor, &borders.block})
    for (std::int64_t b : *each)
      if (b >= least && b / 2 < least) return b;
  for (std::int64_t b : borders.block)
    if (b >= least && b / 8 < least) return b;
  return least;
}

}  // namespace

PictureGrid picture_grid(const Places& places, const Shown& shown, std::int64_t grids) {
  PictureGrid g;
  g.borders = borders_of(places);
  g.from = shown.from;
  g.end = shown.count > places.size() - shown.from ? places.size() : shown.from + shown.count;
  std::int64_t const n = g.end - g.from;
  std::int64_t const most = n <= most_cells ? most_cells : most_squares / grids;
  if (places.counted().size() > 1) {
    g.width = std::min(places.levels()[places.innermost()].size, places.size());
    g.first = g.from - g.from % g.width;
    std::int64_t const rows = ceil_div(g.end - g.first, g.width);
    for (std::int64_t columns : {most_columns, most_columns / 2, most_columns / 4}) {
      g.across = g.width <= columns ? 1 : at_border(g.borders, ceil_div(g.width, columns));
      g.columns = ceil_div(g.width, g.across);
      if (rows <= most / g.columns) break;
    }
    if (rows > most / g.columns) {
      std::int64_t const least = ceil_div(rows, most / g.columns);
      Checked const all = Checked(least) * g.width;
      std::int64_t const border = all.fits ? at_border(g.borders, all.value) : 0;
      g.down = border > 0 && border % g.width == 0 ? border / g.width : least;
    }
    g.rows = ceil_div(rows, g.down);
    return g;
  }
  g.across = n <= most ? 1 : at_border(g.borders, ceil_div(n, most));
  std::int64_t const squares = ceil_div(n, g.across);
  // A row that ends with a factor is best, one that ends with a block is good; the grid should be about twice as wide
  // as high.
  double const wanted = std::sqrt(2.0 * static_cast<double>(squares));
  g.columns = std::min(squares, most_columns / 2);
  double best = std::abs(std::log(static_cast<double>(g.columns) / wanted)) + 2.4;
  auto judge = [&](std::int64_t width, std::int64_t most_wide, double penalty) {
    if (width % g.across != 0 || width / g.across > std::min(most_wide, squares)) return;
    std::int64_t const columns = width / g.across;
    double const score = std::abs(std::log(static_cast<double>(columns) / wanted)) + penalty;
    if (score >= best) return;
    best = score;
    g.columns = columns;
  };
  for (std::int64_t b : g.borders.block) judge(b, most_columns, 1.2);
  for (std::int64_t b : g.borders.factor) judge(b, 2 * most_columns, 0);
  g.width = PictureGrid::up_to(Checked(g.columns) * g.across, Shown::to_the_end);
  g.first = g.from - g.from % g.width;
  g.rows = ceil_div(g.end - g.first, g.width);
  return g;
}

}  // namespace tcp
