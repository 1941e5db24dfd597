// Tensors as strided views: every look at one is checked element by element against the numbers that it was filled with.
#include "exec/vector/tensor.hpp"

#include <gtest/gtest.h>

#include "tcp/mapping/parse.hpp"

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

}  // namespace
}  // namespace tcp::vector
