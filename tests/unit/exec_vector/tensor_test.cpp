// Tensors of the vector interpreter: strides, places of the machine, other names.
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/vector/image.hpp"
#include "exec/vector/places.hpp"
#include "exec/vector/renamed.hpp"
#include "exec/vector/tensor.hpp"
#include "exec/vector/transfer.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/view.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/random.hpp"

namespace tcp::vector {
namespace {

Mapping mapped(const char* text, const char* axes) { return parse(text, *parse_axes(axes)).value(); }

Levels two(const char* slice, const char* element, const char* axes) {
  return Levels{}.set(Level::slice, mapped(slice, axes)).set(Level::element, mapped(element, axes));
}

/// Element i holds first + i, in the order of the axes.
Tensor counting(ScalarType type, const std::vector<AxisSize>& axes, std::uint32_t first = 0) {
  Tensor t = fresh(type, axes);
  for (std::int64_t i = 0; i < t.size(); ++i)
    store_bits(t.writable_data() + i * t.width(), t.width(), first + static_cast<std::uint32_t>(i));
  return t;
}
std::uint32_t at(const Tensor& t, std::initializer_list<std::pair<const char*, std::int64_t>> coordinates) {
  std::int64_t offset = 0;
  for (const auto& [name, c] : coordinates)
    if (const Axis* a = t.find(Name(name))) offset += c * a->stride;
  return load_bits(t.data() + offset * t.width(), t.width());
}

/// Live coordinates of an axis by asking every place.
std::vector<bool> asked(const Levels& levels, Name axis, std::int64_t extent) {
  std::vector<bool> live(static_cast<std::size_t>(extent), false);
  for (std::int64_t s = 0; s < levels[Level::slice].size; ++s)
    for (std::int64_t e = 0; e < levels[Level::element].size; ++e)
      if (Cell const c = cell(levels, {.slice = s, .element = e}); c.live()) live[static_cast<std::size_t>(c.index.get(axis))] = true;
  return live;
}

struct Case {
  const char *slice, *element, *axes, *axis;
  std::int64_t extent;
};
constexpr Case cases[] = {
    {"1", "A", "A = 61", "A", 61},       {"A # 64 / 16", "A # 64 % 16", "A = 61", "A", 61}, {"A / 8", "A % 8 = 3", "A = 64", "A", 64},
    {"1", "A / 4", "A = 64", "A", 64},   {"A / 16", "B, A % 2", "A = 64, B = 3", "A", 64},  {"1", "A @ 5", "A = 16", "A", 16},
    {"1", "A #< 20", "A = 16", "A", 16}, {"B % 4", "B / 4 # 7", "B = 24", "B", 24},
};

TEST(VectorTensor, live_runs_are_the_live_coordinates) {
  for (const Case& c : cases) {
    Levels const levels = two(c.slice, c.element, c.axes);
    std::vector<bool> found(static_cast<std::size_t>(c.extent), false);
    std::int64_t before = -1;
    for (const Stretch& r : live_runs(levels, Name(c.axis))) {
      EXPECT_GT(r.begin, before) << c.element;
      before = r.begin + r.size;
      for (std::int64_t i = r.begin; i < r.begin + r.size; ++i) found[static_cast<std::size_t>(i)] = true;
    }
    EXPECT_EQ(found, asked(levels, Name(c.axis), c.extent)) << c.slice << " | " << c.element;
  }
}
TEST(VectorTensor, axes_reach_to_the_last_live_coordinate) {
  for (const Case& c : cases) {
    Levels const levels = two(c.slice, c.element, c.axes);
    auto const live = asked(levels, Name(c.axis), c.extent);
    std::int64_t reach = 1;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (live[i]) reach = static_cast<std::int64_t>(i) + 1;
    for (const AxisSize& a : axes_of(levels))
      if (a.name == Name(c.axis)) {
        EXPECT_EQ(a.size, reach) << c.slice << " | " << c.element;
      }
  }
}

TEST(VectorTensor, looks_share_the_storage) {
  Tensor const t = counting(ScalarType::i16, {{Name("A"), 4}, {Name("B"), 6}});
  Tensor const part = cut(t, Name("B"), 2, 3), row = fixed_at(t, Name("A"), 3);
  EXPECT_EQ(part.storage, t.storage);
  EXPECT_EQ(at(part, {{"A", 1}, {"B", 2}}), 6u + 4);
  EXPECT_EQ(at(row, {{"B", 5}}), 18u + 5);
  EXPECT_EQ(row.find(Name("A")), nullptr);
  Tensor const fewer = restricted(t, {{Name("B"), 2}, {Name("C"), 9}});
  ASSERT_EQ(fewer.axes.size(), 1u);
  EXPECT_EQ(fewer.axes[0].size, 2);
  EXPECT_EQ(at(fewer, {{"B", 1}}), 1u);
  Tensor const more = spread(t, {{Name("C"), 5}});
  EXPECT_EQ(more.size(), 120);
  EXPECT_EQ(at(more, {{"A", 2}, {"B", 1}, {"C", 4}}), 13u);
}

TEST(VectorTensor, copies_follow_names_not_positions) {
  for (ScalarType type : {ScalarType::i8, ScalarType::i16, ScalarType::i32}) {
    Tensor const from = counting(type, {{Name("A"), 5}, {Name("B"), 7}});
    Tensor to = fresh(type, {{Name("B"), 7}, {Name("C"), 2}, {Name("A"), 5}});
    copy_into(to, from);
    for (std::int64_t a = 0; a < 5; ++a)
      for (std::int64_t b = 0; b < 7; ++b)
        for (std::int64_t c = 0; c < 2; ++c) EXPECT_EQ(at(to, {{"A", a}, {"B", b}, {"C", c}}), static_cast<std::uint32_t>(a * 7 + b));
  }
}
TEST(VectorTensor, copies_of_runs_leave_the_rest) {
  for (const auto& runs : std::vector<std::vector<Stretch>>{{{0, 3}}, {{1, 2}, {5, 2}, {9, 2}}, {{0, 1}, {4, 3}, {11, 1}}, {}}) {
    Tensor const from = counting(ScalarType::i32, {{Name("B"), 12}, {Name("A"), 3}}, 100);
    Tensor to = counting(ScalarType::i32, {{Name("A"), 3}, {Name("B"), 12}});
    copy_into(to, from, {{{0, 2}}, runs});
    for (std::int64_t a = 0; a < 3; ++a)
      for (std::int64_t b = 0; b < 12; ++b) {
        bool inside = false;
        for (const Stretch& r : runs) inside |= b >= r.begin && b < r.begin + r.size;
        auto const want = inside && a < 2 ? 100 + b * 3 + a : a * 12 + b;
        EXPECT_EQ(at(to, {{"A", a}, {"B", b}}), static_cast<std::uint32_t>(want)) << a << " " << b;
      }
  }
}

TEST(VectorTensor, undefined_elements_are_copied_as_such) {
  Tensor const unknown = uniform(ScalarType::i32, {{Name("A"), 4}, {Name("B"), 4}}, 0, 7);
  Tensor t = own_copy(unknown);
  ASSERT_TRUE(t.has_undefined());
  Tensor const known = counting(ScalarType::i32, {{Name("A"), 4}});
  Tensor first = cut(t, Name("B"), 0, 1), rest = cut(t, Name("B"), 1, 3);
  copy_into(first, known);
  EXPECT_FALSE(without_idle_origins(first).has_undefined());
  EXPECT_TRUE(without_idle_origins(rest).has_undefined());
  EXPECT_TRUE(without_idle_origins(t).has_undefined());
  EXPECT_EQ(rest.origin_data()[0], 7u);
  copy_into(rest, known);
  EXPECT_FALSE(without_idle_origins(t).has_undefined());
}
TEST(VectorTensor, storages_of_others_are_never_writable) {
  auto const bytes = std::make_shared<const Image>(16);
  EXPECT_FALSE(Storage::of(bytes)->writable());
  EXPECT_TRUE(Storage::make(16)->writable());
}

// Tables and mappings say the same of every place; images hold what the mappings say.

namespace places {

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

}  // namespace places

// A reshape that shares storage shows at every place what a copy would; the judge asks the mappings place by place.

namespace renamed {

constexpr const char* all_axes = "A = 8, B = 3, C = 24, D = 2, E = 12, R = 13, S = 77, F = 1001, G = 4, M = 16, N = 6, P = 6, T = 13";

Levels levels_of(const char* slice, const char* element) {
  Axes const axes = *parse_axes(all_axes);
  return Levels{}.set(Level::slice, parse(slice, axes).value()).set(Level::element, parse(element, axes).value());
}
Tensor numbered(const std::vector<AxisSize>& axes) {
  Tensor t = fresh(ScalarType::i16, axes);
  for (std::int64_t i = 0; i < t.size(); ++i) store_bits(t.writable_data() + i * 2, 2, static_cast<std::uint32_t>(i));
  return t;
}
/// Whether every live place shows the same element.
void expect_same(const Tensor& in, const Levels& from, const Tensor& out, const Levels& to, const char* what) {
  each_place(to, [&](const Place& place) {
    Cell const before = cell(from, place), after = cell(to, place);
    ASSERT_EQ(before.live(), after.live()) << what << " at " << place.element;
    if (!after.live()) return;
    std::int64_t was = 0, is = 0;
    for (const Axis& a : in.axes) was += before.index.get(a.name) * a.stride;
    for (const Axis& a : out.axes) is += after.index.get(a.name) * a.stride;
    ASSERT_EQ(load_bits(in.data() + was * 2, 2), load_bits(out.data() + is * 2, 2))
        << what << " at " << place.slice << ", " << place.element;
  });
}

struct Case {
  const char *slice_from, *from, *slice_to, *to;
  bool shared;
};
constexpr Case cases[] = {
    {"1", "R # 16, S # 80", "1", "T # 16, S # 80", true},  // other names
    {"1", "R, S", "1", "F", true},                         // two axes are one
    {"1", "F", "1", "R, S", true},                         // and one is two
    {"1", "A, B", "1", "C", true},
    {"1", "B, A", "1", "C", false},  // stored as A, B below
    {"1", "[A, B] # 40", "1", "[D, E] # 40", true},
    {"1", "A % 4, B, A / 4", "1", "D, E", false},
    {"A / 2", "A % 2, B", "G", "N", true},
    {"A / 2", "A % 2, B", "M / 4", "M % 4 # 6", false},  // other live places: never asked
    {"1", "F # 1024 / 8, F # 1024 % 8", "1", "[R, S] # 1024", true},
};

TEST(Renamed, shows_the_same_elements_at_the_same_places) {
  for (const Case& c : cases) {
    Levels const from = levels_of(c.slice_from, c.from), to = levels_of(c.slice_to, c.to);
    if (!check_reshape(from, to)) continue;
    std::vector<AxisSize> axes = axes_of(from);
    std::sort(axes.begin(), axes.end(), [](const AxisSize& a, const AxisSize& b) { return a.name.head < b.name.head; });
    Tensor const in = numbered(axes);
    auto const out = renamed(in, from, to);
    EXPECT_EQ(out.has_value(), c.shared) << c.from << " to " << c.to;
    if (!out) continue;
    EXPECT_EQ(out->storage, in.storage);
    expect_same(in, from, *out, to, c.to);
  }
}

/// A plain axis as a window: the storage is shared, and two coordinates walk it.
TEST(Renamed, a_window_has_two_coordinates_for_one_axis) {
  struct Windows {
    const char *from, *to;
    bool shared;
  };
  for (const Windows& w : {Windows{"C, R # 16", "C, $(A, N) # 16", true}, Windows{"C, R", "$(E:2, D), R", true},
                           Windows{"E, R # 16", "$(N:2, D), $(A, P) # 16", true}, Windows{"B, A", "$(E:2, D)", false}}) {
    Levels const from = levels_of("1", w.from), to = levels_of("1", w.to);
    ASSERT_TRUE(check_reshape(from, to).ok()) << w.to;
    std::vector<AxisSize> axes = axes_of(from);
    std::sort(axes.begin(), axes.end(), [](const AxisSize& a, const AxisSize& b) { return a.name.head < b.name.head; });
    Tensor const in = numbered(axes);
    auto const shared = renamed(in, from, to);
    EXPECT_EQ(shared.has_value(), w.shared) << w.to;
    Tensor const out = reread(in, from, to, Level::chip, {});
    std::int64_t seen = 0;
    for (std::int64_t i = 0; i < out.size(); ++i, ++seen) {
      std::int64_t rest = i, is = 0, was = 0;
      Index index;
      for (auto a = out.axes.rbegin(); a != out.axes.rend(); ++a) {
        index.add(a->name, rest % a->size);
        is += rest % a->size * a->stride;
        rest /= a->size;
      }
      Cell const behind = cell(from.at[static_cast<int>(Level::element)], place(to.at[static_cast<int>(Level::element)], index));
      ASSERT_TRUE(behind.live()) << w.to;
      for (const Axis& a : in.axes) was += behind.index.get(a.name) * a.stride;
      ASSERT_EQ(load_bits(out.data() + is * 2, 2), load_bits(in.data() + was * 2, 2)) << w.to << " element " << i;
    }
    EXPECT_GT(seen, 0);
  }
}

TEST(Renamed, parts_of_a_tensor_and_axes_that_it_lacks) {
  Levels const from = levels_of("1", "R # 16, S # 80"), to = levels_of("1", "T # 16, S # 80");
  Tensor const wide = numbered({{Name("R"), 20}, {Name("S"), 100}});
  Tensor const part = restricted(cut(wide, Name("R"), 5, 15), axes_of(from));
  auto const out = renamed(part, from, to);
  ASSERT_TRUE(out.has_value());
  expect_same(part, from, *out, to, "a part");
  EXPECT_FALSE(renamed(wide, from, to).has_value()) << "longer than the mapping says";
  Tensor const one_row = numbered({{Name("S"), 77}});
  auto const repeated = renamed(one_row, from, to);
  ASSERT_TRUE(repeated.has_value());
  expect_same(one_row, from, *repeated, to, "all rows alike");
}

}  // namespace renamed

}  // namespace
}  // namespace tcp::vector
