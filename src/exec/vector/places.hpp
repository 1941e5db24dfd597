// Which element of a tensor lies at a place of the machine: for the few operations in which places matter, and not only
// the tensor (images, reshapes, filters, shuffles, operands that are written back).
//
// Where no axis ends inside a block, what each level adds to an element's offset does not depend on the other levels,
// and is looked up in one table per level. Elsewhere (windows, skewed factors, ragged ends) the mappings are asked
// place by place.
#pragma once

#include <utility>
#include <vector>

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
  /// Whether the levels are independent: then what `in_unit` and `in_memory` add up to is what `find` finds.
  bool additive() const { return additive_; }
  /// The part of Chip, Cluster, Slice and Row, and that of Element, Time and Packet. Needs: additive().
  bool in_unit(const Place& place, Spot& spot) const { return add_levels(0, static_cast<int>(Level::element), place, spot); }
  bool in_memory(const Place& place, Spot& spot) const { return add_levels(static_cast<int>(Level::element), level_count, place, spot); }
  /// Finds the element of an index; false: the tensor does not hold it.
  bool find(const Index& index, Spot& spot) const;

 private:
  struct Use {
    Name name{};
    std::int64_t size, stride, origin_stride;
  };

  void fill(int level, const Mapping& m, Copies copies);
  bool add_levels(int first, int end, const Place& place, Spot& spot) const;
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

/// Calls visit(place) for the first place of every unit that the levels do not pad, Chip outermost, Row innermost.
template <class Visit>
void each_unit(const Levels& levels, Visit&& visit) {
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
          visit(p);
        }
}

/// Calls visit(place) for every place of a unit's memory, Packet innermost.
template <class Visit>
void each_place_of_unit(const Levels& levels, Place p, Visit&& visit) {
  for (p.element = 0; p.element < levels[Level::element].size; ++p.element)
    for (p.time = 0; p.time < levels[Level::time].size; ++p.time)
      for (p.packet = 0; p.packet < levels[Level::packet].size; ++p.packet) visit(p);
}

/// Calls visit(place) for every place of some levels that their units do not pad, Chip outermost, Packet innermost.
template <class Visit>
void each_place(const Levels& levels, Visit&& visit) {
  each_unit(levels, [&](const Place& unit) { each_place_of_unit(levels, unit, visit); });
}

/// Calls visit(here, there) for each place that both `to` and `from` know, in those slices that `wanted` says true of.
/// Where levels are independent, the places of one memory are looked up once for all units: padding costs nothing.
template <class Wanted, class Visit>
void each_pair(const Levels& levels, const PlaceMap& to, const PlaceMap& from, Wanted&& wanted, Visit&& visit) {
  if (!to.additive() || !from.additive()) {
    each_unit(levels, [&](const Place& unit) {
      if (!wanted(unit.slice)) return;
      each_place_of_unit(levels, unit, [&](const Place& place) {
        Spot here, there;
        if (to.find(place, here) && from.find(place, there)) visit(here, there);
      });
    });
    return;
  }
  std::vector<std::pair<Spot, Spot>> inside;
  each_place_of_unit(levels, {}, [&](const Place& place) {
    Spot here, there;
    if (to.in_memory(place, here) && from.in_memory(place, there)) inside.emplace_back(here, there);
  });
  each_unit(levels, [&](const Place& unit) {
    Spot here, there;
    if (!wanted(unit.slice) || !to.in_unit(unit, here) || !from.in_unit(unit, there)) return;
    for (const auto& [in_here, in_there] : inside)
      visit(Spot{here.bits + in_here.bits, here.origin + in_here.origin}, Spot{there.bits + in_there.bits, there.origin + in_there.origin});
  });
}

}  // namespace tcp::vector
