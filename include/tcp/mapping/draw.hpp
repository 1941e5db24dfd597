// Mappings as people see them: which factors there are, what is where, as tables and as pictures. Run time only.
//
//   std::string const factors = draw_factors(spread(m));          // the normal form, one factor per line
//   auto const cells = draw_cells(spread(m), {.lines = 40});      // position 0 to 31: A 0, B 0 to 31
//   auto const picture = draw_svg(spread(m), {});                 // an SVG file; hover over a cell and it says what it is
//
// A plain mapping is drawn as a tensor that has the one level Element, so there is one kind of drawing for both.
// Nothing here walks over a tensor: the cost is that of the lines or squares that are shown, and a picture of more
// cells than can be told apart shows one of every few.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tcp/mapping/levels.hpp"
#include "tcp/support/expected.hpp"

namespace tcp {

constexpr Levels spread(const Mapping& m) { return Levels{}.set(Level::element, m); }

/// "zero", "top" or "bottom".
constexpr const char* name_of(Pad kind) {
  constexpr const char* names[] = {"none", "zero", "top", "bottom"};
  return names[static_cast<int>(kind)];
}

/// The canonical text: `A / 8 # 256`.
std::string text_of(const Mapping& m);

/// What is between two commas of the canonical text: digits `first` to `last`, more than one in a padded group or a
/// window.
struct Factor {
  int first = 0, last = 0;
  std::int64_t slot = 1;  // positions it counts
  std::string text;
};
/// Law: the texts, joined by commas, are the canonical text of m's digits; the slots multiply to m.size.
std::vector<Factor> factors(const Mapping& m);

/// How many places hold an element, and how many hold padding of each kind.
struct Census {
  std::int64_t elements = 0, zero = 0, top = 0, bottom = 0;
  bool known = true;  // not with windows, whose places hold several elements, nor when the places are too many for 64 bits

  constexpr std::int64_t padding() const { return zero + top + bottom; }
};
/// Law: these are the numbers that a walk over all places would count.
Census census(const Levels& levels);

/// The places of a tensor in one row: the last level that is not 1 is counted first. At most 2^63 - 1 are counted.
class Places {
 public:
  explicit Places(const Levels& levels);

  const Levels& levels() const { return levels_; }
  const std::vector<Level>& counted() const { return counted_; }  // the levels that are not 1, outermost first; Element if all are
  Level innermost() const { return counted_.back(); }
  std::int64_t size() const { return size_; }
  bool all() const { return all_; }  // false: there are more than size()

  Place place(std::int64_t number) const;
  Cell at(std::int64_t number) const { return cell(levels_, place(number)); }

 private:
  Levels levels_;
  std::vector<Level> counted_;
  std::int64_t size_ = 1;
  bool all_ = true;
};

/// The elements at a place, at most `most` of them: none in padding, more than one only in windows.
std::vector<Index> elements_at(const Places& places, std::int64_t number, int most);

/// Neighbouring places that read as one line: padding of one kind, or elements of which one coordinate moves evenly.
struct CellRun {
  std::int64_t from = 0, count = 1;
  Cell first{};
  Name moving{};          // none: all are alike
  std::int64_t step = 0;  // from one to the next along `moving`
};
/// The run that begins at a place, no longer than the innermost level.
/// Law: the i-th cell of the run is `first` with i * step added along `moving`.
CellRun run_from(const Places& places, std::int64_t number);

/// Places that show how each factor moves: the first, one step on of each factor, the first padding of each, the last.
std::vector<std::int64_t> telling_places(const Places& places);

/// Which places are shown.
struct Shown {
  static constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();

  std::int64_t from = 0, count = to_the_end;
  int lines = 100'000;  // of a table, at most
  bool colour = false;  // for a terminal
};

/// Refused: places of which there are none, and windows so long that to look at one of their places would take too
/// long.
Verdict check_shown(const Places& places, const Shown& shown);

/// "256 positions: 128 hold an element, 128 are padding (top)".
std::string draw_summary(const Levels& levels);

/// What a kind of padding promises: "zero padding may be read, and is zero".
std::string describe(Pad kind);
/// The coordinates of an element: "A 1, B 7"; zeros included.
std::string describe(const Index& index);
/// What is at a place: "A 1, B 7", "top padding", or the elements of a window.
std::string describe(const Places& places, std::int64_t number);

/// The normal form as a table: a line for each digit, then starts, paddings of groups and windows.
std::string draw_factors(const Levels& levels, bool colour = false);

/// A table of what is where, one line per run.
struct CellTable {
  std::string text;
  std::int64_t next = -1;  // the first place that did not fit into the lines; -1: all are shown
};
/// Refused: a mapping that cannot be, and what check_shown refuses.
Expected<CellTable> draw_cells(const Levels& levels, const Shown& shown);
/// A table of the given runs.
std::string draw_runs(const Places& places, const std::vector<CellRun>& runs, bool colour = false);
/// The runs at telling places.
std::vector<CellRun> telling_runs(const Places& places);

/// A picture as an SVG file: a grid of places, coloured by axis, padding hatched by kind, and a text for each square
/// when the pointer rests on it. Few cells get one grid with numbers in it, many get one grid per axis. Above 20,000
/// cells a square stands for several, of which it shows the first and the last.
Expected<std::string> draw_svg(const Levels& levels, const Shown& shown);

}  // namespace tcp
