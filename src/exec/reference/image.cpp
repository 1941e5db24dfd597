// Between values and images: visits every place of a tensor's levels and copies the element that is there.
#include "tcp/exec/reference/image.hpp"

#include "exec/reference/spots.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/round.hpp"

namespace tcp::reference {

namespace {

/// The bytes of one memory: a chip's HBM, or the DM of a slice.
std::int64_t unit_bytes(const Levels& levels, ScalarType type) {
  return ceil_div(levels[Level::element].size * scalar_info(type).packet_bits, 8);
}
std::int64_t units_of(const Levels& levels) { return levels[Level::chip].size * levels[Level::cluster].size * levels[Level::slice].size; }
std::int64_t unit_of(const Levels& levels, const Place& p) {
  return (p.chip * levels[Level::cluster].size + p.cluster) * levels[Level::slice].size + p.slice;
}

/// True of levels where a position that is padding by itself is padding whatever the other levels count: no axis begins
/// before 0, and none is skewed or part of a window.
bool is_padded_by_level(const Levels& levels) {
  for (const Mapping& m : levels.at) {
    for (int a = 0; a < m.axes; ++a)
      if (m.axis[a].start != 0) return false;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].in_window() || m.digit[k].skewed_by != no_axis) return false;
  }
  return true;
}

/// Calls visit(place) for the places of an image, in its order; units that hold padding alone may be left out.
template <class Visit>
void each_place(const Levels& levels, Visit&& visit) {
  bool const by_level = is_padded_by_level(levels);
  auto const is_empty = [&](Level l, std::int64_t position) { return by_level && cell(levels[l], position).kind == CellKind::padding; };
  Place p;
  for (p.chip = 0; p.chip < levels[Level::chip].size; ++p.chip)
    for (p.cluster = 0; p.cluster < levels[Level::cluster].size; ++p.cluster) {
      if (is_empty(Level::chip, p.chip) || is_empty(Level::cluster, p.cluster)) continue;
      for (p.slice = 0; p.slice < levels[Level::slice].size; ++p.slice) {
        if (is_empty(Level::slice, p.slice)) continue;
        for (p.element = 0; p.element < levels[Level::element].size; ++p.element) visit(p);
      }
    }
}

/// Calls visit(byte where the memory begins, position in it, index) for every element that the levels hold, copies
/// included.
template <class Visit>
void each_element(const Levels& levels, ScalarType type, Visit&& visit) {
  std::int64_t const bytes = unit_bytes(levels, type);
  each_place(levels, [&](const Place& p) {
    if (Cell const c = cell(levels, p); c.live()) visit(unit_of(levels, p) * bytes, p.element, c.index);
  });
}

/// Visits each place of a window once: its elements there are all the same, and the first stands for them.
template <class Visit>
void each_first(const Levels& levels, ScalarType type, Visit&& visit) {
  std::int64_t const bytes = unit_bytes(levels, type);
  each_place(levels, [&](const Place& p) {
    detail::Sum sum;
    detail::add_position(sum, levels[Level::chip], p.chip, 0);
    detail::add_position(sum, levels[Level::cluster], p.cluster, 0);
    detail::add_position(sum, levels[Level::slice], p.slice, 0);
    detail::add_position(sum, levels[Level::element], p.element, 0);
    if (Cell const c = sum.conclude(); c.live()) visit(unit_of(levels, p) * bytes, p.element, c.index);
  });
}

/// Visits each element once, at its first place.
template <class Visit>
void each_index(const Levels& levels, ScalarType type, const Value& value, Visit&& visit) {
  std::int64_t const bytes = unit_bytes(levels, type);
  for (std::int64_t i = 0; i < value.size(); ++i) {
    Place place;
    if (find_place(levels, value.index_of(i), place)) visit(unit_of(levels, place) * bytes, place.element, i);
  }
}

}  // namespace

Value from_image(const Image& bytes, ScalarType type, const Levels& levels) {
  Value value(type, axes_of(levels));
  if (has_windows(levels)) {
    each_index(levels, type, value, [&](std::int64_t begin, std::int64_t position, std::int64_t i) {
      value[i].bits = load_scalar_bits(bytes.data() + begin, type, position);
    });
    return value;
  }
  each_element(levels, type, [&](std::int64_t begin, std::int64_t position, const Index& index) {
    value.at(index).bits = load_scalar_bits(bytes.data() + begin, type, position);
  });
  return value;
}

Image to_image(const Value& value, const Levels& levels) {
  Image image(static_cast<std::size_t>(unit_bytes(levels, value.type) * units_of(levels)));
  auto const store = [&](std::int64_t begin, std::int64_t position, const Element& e) {
    store_scalar_bits(image.data() + begin, value.type, position, e.undefined == 0 ? e.bits : 0);
  };
  auto const store_held = [&](std::int64_t begin, std::int64_t position, const Index& index) {
    if (value.holds(index)) store(begin, position, value.at(index));
  };
  if (has_windows(levels)) each_first(levels, value.type, store_held);
  else each_element(levels, value.type, store_held);
  return image;
}

}  // namespace tcp::reference
