// Which place of a tensor stands where in a picture.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tcp/mapping/draw.hpp"

namespace tcp {

/// Numbers of places after which a factor, or a block of one, begins anew.
struct PictureBorders {
  std::vector<std::int64_t> factor, block;  // ascending
};

/// Which place stands where. Square (r, c) stands for `down` rows of `across` places each, of which it shows the first
/// and the last.
struct PictureGrid {
  std::int64_t from = 0, end = 0;  // the places to be shown
  std::int64_t first = 0;          // of the first square; below `from` if that does not begin a row
  std::int64_t width = 1;          // places in a row
  std::int64_t across = 1, down = 1;
  std::int64_t rows = 1, columns = 1;
  PictureBorders borders;

  static std::int64_t up_to(Checked place, std::int64_t most) { return place.fits ? std::min(place.value, most) : most; }
  std::int64_t place(std::int64_t r, std::int64_t c) const {
    return up_to(Checked(r) * down * width + Checked(c) * across + first, Shown::to_the_end);
  }
  /// The first and the last of the places that square (r, c) stands for and that are to be shown; the first is beyond
  /// the last if there are none.
  std::int64_t first_of(std::int64_t r, std::int64_t c) const { return std::max(place(r, c), from); }
  std::int64_t last_of(std::int64_t r, std::int64_t c) const {
    std::int64_t const in_row = std::min(across, width - c * across) - 1;
    return up_to(Checked(down - 1) * width + in_row + place(r, c), end - 1);
  }
  bool sampled() const { return across > 1 || down > 1; }
};

/// The grid for what is shown. It will be drawn `grids` times.
PictureGrid picture_grid(const Places& places, const Shown& shown, std::int64_t grids);

}  // namespace tcp
