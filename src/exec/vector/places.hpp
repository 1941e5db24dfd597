// Which element of a tensor lies at a place of the machine: for the few operations in which places matter, and not only
// the tensor (images, reshapes, filters, shuffles, operands that are written back).
//
// Where no axis ends inside a block, what each level adds to an element's offset does not depend on the other levels,
// and is looked up in one table a level. Elsewhere (windows, skewed factors, ragged ends) the mappings are asked place
// by place.
#pragma once

#include "exec/vector/tensor.hpp"

namespace tcp::vector {

/// An element's place in a tensor's storage, and in its plane of origins.
struct Spot {
  std::int64_t bits = 0, origin = 0;
};

enum class Copies : std::uint8_t { all, first };

class PlaceMap {
 public:
  /// `first`: of positions that repeat others, the first alone holds an element.
  PlaceMap(const Levels& levels, const Tensor& tensor, Copies copies = Copies::all);

  /// False: nothing lives there, or the tensor does not hold it.
  bool find(const Place& place, Spot& spot) const;
  /// Finds the element of an index; false: the tensor does not hold it.
  bool find(const Index& index, Spot& spot) const;

 private:
  struct Use {
    Name name{};
    std::int64_t size, stride, origin_stride;
  };

  void fill(int level, const Mapping& m, Copies copies);
  bool is_copy(const Place& place) const;

  Levels levels_;
  Copies copies_;
  std::vector<Use> axes_;
  bool additive_ = true, tracked_ = false;
  std::vector<std::int64_t> bits_[level_count], origins_[level_count];  // below 0: padding
};

/// Whether some place may hold several elements.
bool has_windows(const Levels& levels);

/// The positions of one level but for its own padding: of 256 slices most are often idle.
std::vector<std::int64_t> positions_in_use(const Mapping& m);

/// Calls visit(place) for every place of some levels that their units do not pad, Chip outermost, Packet innermost.
template <class Visit>
void each_place(const Levels& levels, Visit&& visit) {
  Place p;
  auto const clusters = positions_in_use(levels[Level::cluster]), slices = positions_in_use(levels[Level::slice]),
             rows = positions_in_use(levels[Level::row]);
  for (std::int64_t chip : positions_in_use(levels[Level::chip]))
    for (std::int64_t cluster : clusters)
      for (std::int64_t slice : slices)
        for (std::int64_t row : rows) {
          p.chip = chip;
          p.cluster = cluster;
          p.slice = slice;
          p.row = row;
          for (p.element = 0; p.element < levels[Level::element].size; ++p.element)
            for (p.time = 0; p.time < levels[Level::time].size; ++p.time)
              for (p.packet = 0; p.packet < levels[Level::packet].size; ++p.packet) visit(p);
        }
}

}  // namespace tcp::vector
