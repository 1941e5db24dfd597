// A reshape that shares storage shows at every place what a copy would; the judge asks the mappings place by place.
#include "exec/vector/renamed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "exec/vector/places.hpp"
#include "exec/vector/transfer.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/view.hpp"

namespace tcp::vector {
namespace {

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

}  // namespace
}  // namespace tcp::vector
