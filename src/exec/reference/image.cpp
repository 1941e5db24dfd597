// Between values and images: visits every place of a tensor's levels and copies the element that is there.
#include "tcp/exec/reference/image.hpp"

#include "exec/reference/spots.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/round.hpp"

namespace tcp::reference {

namespace {

/// Calls visit(byte where the chip's part begins, position in it, index) for every element that the levels hold, copies
/// included.
template <class Visit>
void each_element(const Levels& levels, ScalarType type, Visit&& visit) {
  std::int64_t const chips = levels[Level::chip].size, elements = levels[Level::element].size;
  std::int64_t const bytes = ceil_div(elements * scalar_info(type).packet_bits, 8);
  for (std::int64_t chip = 0; chip < chips; ++chip) {
    for (std::int64_t element = 0; element < elements; ++element) {
      Cell const c = cell(levels, {.chip = chip, .element = element});
      if (c.live()) visit(chip * bytes, element, c.index);
    }
  }
}

/// Visits each place of a window once: its elements there are all the same, and the first stands for them.
template <class Visit>
void each_place(const Levels& levels, ScalarType type, Visit&& visit) {
  std::int64_t const elements = levels[Level::element].size;
  std::int64_t const bytes = ceil_div(elements * scalar_info(type).packet_bits, 8);
  for (std::int64_t chip = 0; chip < levels[Level::chip].size; ++chip)
    for (std::int64_t element = 0; element < elements; ++element) {
      detail::Sum sum;
      detail::add_position(sum, levels[Level::chip], chip, 0);
      detail::add_position(sum, levels[Level::element], element, 0);
      if (Cell const c = sum.conclude(); c.live()) visit(chip * bytes, element, c.index);
    }
}

/// Visits each element once, at its first place.
template <class Visit>
void each_index(const Levels& levels, ScalarType type, const Value& value, Visit&& visit) {
  std::int64_t const bytes = ceil_div(levels[Level::element].size * scalar_info(type).packet_bits, 8);
  for (std::int64_t i = 0; i < value.size(); ++i) {
    Place place;
    if (find_place(levels, value.index_of(i), place)) visit(place.chip * bytes, place.element, i);
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
  std::int64_t const bytes = ceil_div(levels[Level::element].size * scalar_info(value.type).packet_bits, 8);
  Image image(static_cast<std::size_t>(bytes * levels[Level::chip].size));
  auto const store = [&](std::int64_t begin, std::int64_t position, const Element& e) {
    store_scalar_bits(image.data() + begin, value.type, position, e.undefined == 0 ? e.bits : 0);
  };
  auto const store_held = [&](std::int64_t begin, std::int64_t position, const Index& index) {
    if (value.holds(index)) store(begin, position, value.at(index));
  };
  if (has_windows(levels)) each_place(levels, value.type, store_held);
  else each_element(levels, value.type, store_held);
  return image;
}

}  // namespace tcp::reference
