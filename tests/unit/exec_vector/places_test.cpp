// Tables and mappings say the same of every place; images hold what the mappings say.
#include "exec/vector/places.hpp"

#include <gtest/gtest.h>

#include "exec/vector/image.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/random.hpp"

namespace tcp::vector {
namespace {

Levels levels_of(const char* chip, const char* slice, const char* element, const char* axes) {
  Axes const all = *parse_axes(axes);
  return Levels{}
      .set(Level::chip, parse(chip, all).value())
      .set(Level::slice, parse(slice, all).value())
      .set(Level::element, parse(element, all).value());
}

struct Case {
  const char *chip, *slice, *element, *axes;
};
constexpr Case cases[] = {
    {"1", "A / 8", "A % 8 # 16, B", "A = 32, B = 3"},
    {"1", "A # 64 / 16", "B, A # 64 % 16", "A = 61, B = 3"},                // ends inside a block
    {"C", "2, A / 4", "[A % 4, B, D] # 40", "A = 8, B = 3, C = 2, D = 3"},  // copies, a tail
    {"1", "B # 4", "$(W:2, F)", "B = 3, W = 5, F = 3"},                     // a window
    {"1", "1", "A #< 20, B", "A = 16, B = 2"},                              // left padding
    {"2", "1", "B % 2, A @ 3, B / 2", "A = 9, B = 6"},
};

TEST(Places, are_what_the_mappings_say) {
  for (const Case& c : cases) {
    Levels const levels = levels_of(c.chip, c.slice, c.element, c.axes);
    Tensor const t = fresh(ScalarType::i16, axes_of(levels));
    PlaceMap const map(levels, t);
    each_place(levels, [&](const Place& place) {
      Cell const want = cell(levels, place);
      Spot spot;
      ASSERT_EQ(map.find(place, spot), want.live())
          << c.element << " chip " << place.chip << " slice " << place.slice << " element " << place.element;
      if (!want.live()) return;
      std::int64_t offset = 0;
      for (const Axis& a : t.axes) offset += want.index.get(a.name) * a.stride;
      EXPECT_EQ(spot.bits, offset);
    });
  }
}
TEST(Places, first_copies_alone_hold_an_element_if_so_asked) {
  for (const char* slice : {"2, A / 4", "A / 4, 2"}) {
    Levels const levels = levels_of("1", slice, "A % 4", "A = 8");
    PlaceMap const map(levels, fresh(ScalarType::i16, axes_of(levels)), Copies::first);
    std::vector<int> held(8, 0);
    each_place(levels, [&](const Place& place) {
      if (Spot spot; map.find(place, spot)) ++held[static_cast<std::size_t>(cell(levels, place).index.get("A"))];
    });
    EXPECT_EQ(held, std::vector<int>(8, 1)) << slice;
  }
}

TEST(Images, hold_what_the_mappings_say) {
  constexpr Case images[] = {
      {"1", "1", "A, B", "A = 8, B = 16"},
      {"C", "1", "A / 4, B, A % 4", "A = 8, B = 16, C = 2"},
      {"1", "1", "A # 64 / 16, B, A # 64 % 16", "A = 61, B = 2"},
      {"1", "1", "B # 4, 2, A # 10", "A = 8, B = 3"},
      {"1", "1", "A @ 3, B", "A = 9, B = 4"},
      {"1", "1", "$(W:2, F), B", "W = 5, F = 3, B = 4"},
      {"1", "1", "[A, B] # 32", "A = 3, B = 10"},
  };
  for (const Case& c : images)
    for (ScalarType type : {ScalarType::i4, ScalarType::i8, ScalarType::bf16, ScalarType::f32}) {
      Levels const levels = levels_of(c.chip, c.slice, c.element, c.axes);
      // An image that something wrote: equal copies, zeros elsewhere.
      Tensor t = fresh(type, axes_of(levels));
      Random random(7);
      for (std::int64_t i = 0; i < t.size(); ++i)
        store_bits(t.writable_data() + i * t.width(), t.width(), static_cast<std::uint32_t>(random.between(1, 15)));
      Image const image = to_image(t, levels);
      ASSERT_EQ(static_cast<std::int64_t>(image.size()), image_size(type, levels));
      std::int64_t const chip_size = image_size(type, levels) / levels[Level::chip].size;
      Tensor const back = from_image(std::make_shared<const Image>(image), type, levels);
      each_place(levels, [&](const Place& place) {
        Cell const here = cell(levels, place);
        std::uint32_t const bits = load_scalar_bits(image.data() + place.chip * chip_size, type, place.element);
        if (here.kind == CellKind::several) return;
        std::int64_t offset = 0, again = 0;
        for (const Axis& a : t.axes) offset += here.index.get(a.name) * a.stride;
        for (const Axis& a : back.axes) again += here.index.get(a.name) * a.stride;
        EXPECT_EQ(bits, here.live() ? load_bits(t.data() + offset * t.width(), t.width()) : 0u) << c.element;
        if (here.live()) {
          EXPECT_EQ(load_bits(back.data() + again * back.width(), back.width()), bits) << c.element;
        }
      });
    }
}
TEST(Images, that_strides_can_describe_are_not_copied) {
  Levels const levels = levels_of("1", "1", "A # 12, B", "A = 8, B = 16");
  auto const bytes = std::make_shared<const Image>(12 * 16 * 2);
  EXPECT_EQ(from_image(bytes, ScalarType::bf16, levels).data(), bytes->data());
}

}  // namespace
}  // namespace tcp::vector
