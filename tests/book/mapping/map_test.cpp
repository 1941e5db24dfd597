// The chapter on layouts and mapping expressions, row by row. Numbers are the book's, with its errata applied; what can be is checked by the compiler too.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tcp/mapping/loops.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"

namespace {

using namespace tcp;

/// The book's `map`: an index, or none.
constexpr bool holds(const Mapping& mapping, std::int64_t i, const Index& x) {
  Cell const c = cell(mapping, i);
  return c.live() && c.index == x;
}
constexpr bool holds_nothing(const Mapping& mapping, std::int64_t i) { return !cell(mapping, i).live(); }

constexpr Index at(const char* a, std::int64_t x) { return Index{}.add(Name(a), x); }
constexpr Index at(const char* a, std::int64_t x, const char* b, std::int64_t y) { return Index{}.add(Name(a), x).add(Name(b), y); }

std::string canonical(const Mapping& mapping) {
  Text t;
  print(t, mapping);
  return std::string(t.view());
}

/// Rows 0 and 1 of the book's 6 × 8 picture are a to h and i to p; the others have no letters.
template <class Map>
std::string letters() {
  std::string buffer;
  for (std::int64_t i = 0; i < Map::size; ++i) {
    Index const x = cell(Map::mapping, i).index;
    buffer += x.get("H") < 2 ? static_cast<char>('a' + 8 * x.get("H") + x.get("W")) : '.';
  }
  return buffer;
}

namespace picture {
TCP_AXES(H = 6, W = 8);
}

TEST(Book, MAP_01_row_major) {
  using picture::H, picture::W;
  using Rows = m<H, W>;
  EXPECT_EQ(letters<Rows>(), "abcdefghijklmnop" + std::string(32, '.'));
  for (std::int64_t h = 0; h < 6; ++h)
    for (std::int64_t w = 0; w < 8; ++w) EXPECT_TRUE(holds(Rows::mapping, 8 * h + w, at("H", h, "W", w)));
}

TEST(Book, MAP_02_column_major) {
  using picture::H, picture::W;
  using Columns = m<W, H>;
  EXPECT_EQ(letters<Columns>(), "ai....bj....ck....dl....em....fn....go....hp....");
  for (std::int64_t h = 0; h < 6; ++h)
    for (std::int64_t w = 0; w < 8; ++w) EXPECT_TRUE(holds(Columns::mapping, 6 * w + h, at("H", h, "W", w)));
}

TEST(Book, MAP_03_tiled_two_by_two) {
  using picture::H, picture::W;
  using Tiled = m<H / 2, W / 2, H % 2, W % 2>;
  EXPECT_EQ(letters<Tiled>(), "abijcdklefmnghop" + std::string(32, '.'));
  for (std::int64_t h = 0; h < 6; ++h)
    for (std::int64_t w = 0; w < 8; ++w)
      EXPECT_TRUE(holds(Tiled::mapping, ((h / 2) * 4 + w / 2) * 4 + (h % 2) * 2 + w % 2, at("H", h, "W", w)));
}

TEST(Book, MAP_04_leftmost_is_slowest) {
  using picture::H, picture::W;
  // The next position moves along the rightmost factor, and the leftmost moves after all others are through.
  static_assert(holds(m<H, W>::mapping, 1, at("W", 1)) && holds(m<H, W>::mapping, 8, at("H", 1)));
  static_assert(holds(m<W, H>::mapping, 1, at("H", 1)) && holds(m<W, H>::mapping, 6, at("W", 1)));
  static_assert(holds(m<H / 2, W, H % 2>::mapping, 1, at("H", 1)) && holds(m<H / 2, W, H % 2>::mapping, 16, at("H", 2)));
}

namespace rows {
TCP_AXES(A = 8, B = 512);
}

/// A tensor's values at all indices, laid out by a mapping. Padding gets a value of its own.
std::vector<int> laid_out(const Mapping& mapping, int padding) {
  std::vector<int> buffer;
  for (std::int64_t i = 0; i < mapping.size; ++i) {
    Cell const c = cell(mapping, i);
    buffer.push_back(c.live() ? static_cast<int>(1000 * c.index.get("A") + c.index.get("B")) : padding);
  }
  return buffer;
}
/// The book's definition of "the buffer holds T".
bool holds_tensor(const std::vector<int>& buffer, const Mapping& mapping) {
  bool all = static_cast<std::int64_t>(buffer.size()) == mapping.size;
  for (std::int64_t i = 0; i < mapping.size && all; ++i) {
    Cell const c = cell(mapping, i);
    if (c.live()) all = buffer[static_cast<std::size_t>(i)] == 1000 * c.index.get("A") + c.index.get("B");
  }
  return all;
}

TEST(Book, MAP_05_moving_keeps_the_value_at_every_index) {
  using rows::A, rows::B;
  Mapping const from = m<A, B>::mapping, to = m<B / 64, A, (B % 64).pad(80)>::mapping;
  std::vector<int> const source = laid_out(from, -1);
  std::vector<int> target(static_cast<std::size_t>(to.size), -1);
  for (std::int64_t i = 0; i < from.size; ++i)
    target[static_cast<std::size_t>(place(to, cell(from, i).index))] = source[static_cast<std::size_t>(i)];
  EXPECT_TRUE(holds_tensor(target, to));
  EXPECT_NE(source, std::vector<int>(target.begin(), target.begin() + 4096)) << "the representation is another one";
}

TEST(Book, MAP_06_every_mapping_has_a_size_a_value_and_a_map) {
  using rows::A, rows::B;
  using M = m<A, B.pad(600)>;
  static_assert(M::size == 8 * 600);
  static_assert(M::mapping == Mapping(group(A, B.pad(600))));
  // Three ways in which a position may be (E-21): an index, padding inside the extent, or no position at all.
  static_assert(cell(M::mapping, 511).kind == CellKind::live);
  static_assert(cell(M::mapping, 512).kind == CellKind::padding);
  static_assert(cell(M::mapping, 4800).kind == CellKind::outside);
  static_assert(cell(M::mapping, -1).kind == CellKind::outside);
  EXPECT_EQ(M::size, 4800);
}

TEST(Book, MAP_07_pair_of_two_axes) {
  using rows::A, rows::B;
  using M = m<A, B>;
  static_assert(M::size == 4096);
  static_assert(holds(M::mapping, 0, index(A.at(0), B.at(0))));
  static_assert(holds(M::mapping, 1, index(A.at(0), B.at(1))));
  static_assert(holds(M::mapping, 512, index(A.at(1), B.at(0))));
  static_assert(holds(M::mapping, 519, index(A.at(1), B.at(7))));
  static_assert(holds(M::mapping, 1031, index(A.at(2), B.at(7))));
  static_assert(holds_nothing(M::mapping, 4096));
  for (std::int64_t i = 0; i < 4096; ++i) EXPECT_TRUE(holds(M::mapping, i, at("A", i / 512, "B", i % 512))) << i;
}

TEST(Book, MAP_08_an_index_names_its_coordinates) {
  using rows::A, rows::B;
  constexpr Index x = index(A.at(2), B.at(3));
  static_assert(x.get("A") == 2 && x.get("B") == 3 && x.get("C") == 0);
  static_assert(text(x) == Text("{A: 2, B: 3}"));
  EXPECT_EQ(text(x).view(), "{A: 2, B: 3}");
}

TEST(Book, MAP_09_zero_coordinates_are_absent) {
  using rows::A;
  static_assert(index(A.at(0)) == index());
  static_assert(index(A.at(1)) != index());
  EXPECT_EQ(text(index(A.at(0))).view(), "{}");
}

TEST(Book, MAP_10_a_host_tensor_holds_the_tensor_at_every_index) {
  using rows::A, rows::B;
  using M = m<A, B>;
  static_assert(M::size == 4096);
  std::vector<int> buffer = laid_out(M::mapping, -1);
  EXPECT_TRUE(holds_tensor(buffer, M::mapping));
  ++buffer[77];
  EXPECT_FALSE(holds_tensor(buffer, M::mapping));
  // Padding is unconstrained.
  using Padded = m<A, B.pad(520)>;
  EXPECT_TRUE(holds_tensor(laid_out(Padded::mapping, 5), Padded::mapping));
  EXPECT_TRUE(holds_tensor(laid_out(Padded::mapping, 6), Padded::mapping));
}

TEST(Book, MAP_11_symbol) {
  using rows::A;
  using M = m<A>;
  static_assert(M::size == 8);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_TRUE(holds(M::mapping, i, at("A", i)));
  static_assert(holds_nothing(M::mapping, 8));
  // The index term: stride 1, modulo 8.
  static_assert(M::mapping.digits == 1 && M::mapping.digit[0].stride == 1 && M::mapping.digit[0].size == 8);
}

TEST(Book, MAP_12_pair_combines_the_maps_of_its_sides) {
  TCP_AXES(A = 2, B = 3, C = 4, D = 5);
  constexpr Mapping left = group(A, B.pad(4)), right = group(C, D), both = pair(left, right);
  static_assert(both.size == left.size * right.size);
  for (std::int64_t i = 0; i < both.size; ++i) {
    Cell const l = cell(left, i / right.size), r = cell(right, i % right.size), c = cell(both, i);
    EXPECT_EQ(c.live(), l.live() && r.live()) << i;
    EXPECT_TRUE(!c.live() || c.index == index(l.index, r.index)) << i;
  }
  static_assert(std::is_same_v<m<A, B, C, D>, m<group(A, group(B, group(C, D)))>>);
}

TEST(Book, MAP_13_identity) {
  using rows::A;
  static_assert(m<1>::size == 1);
  static_assert(holds(m<1>::mapping, 0, index()) && holds_nothing(m<1>::mapping, 1));
  static_assert(std::is_same_v<m<1, A>, m<A>> && std::is_same_v<m<A, 1>, m<A>>);
  EXPECT_EQ(canonical(m<1, A, one, 1>::mapping), "A");
}

namespace padded {
TCP_AXES(C = 13, D = 61);
}

TEST(Book, MAP_14_padded_rows) {
  using padded::C, padded::D;
  using M = m<C, D.pad(64)>;
  static_assert(M::size == 832);
  static_assert(holds(M::mapping, 0, at("C", 0, "D", 0)) && holds(M::mapping, 60, at("C", 0, "D", 60)));
  static_assert(holds_nothing(M::mapping, 61) && holds_nothing(M::mapping, 62) && holds_nothing(M::mapping, 63));
  static_assert(holds(M::mapping, 64, at("C", 1, "D", 0)));
  int pads = 0;
  for (std::int64_t i = 0; i < M::size; ++i) pads += cell(M::mapping, i).kind == CellKind::padding;
  EXPECT_EQ(pads, 3 * 13);
}

TEST(Book, MAP_15_padding_is_top_and_goes_up_only) {
  using padded::D;
  constexpr Mapping mapping = D.pad(64);
  static_assert(mapping.size == 64);
  for (std::int64_t i = 0; i < 61; ++i) EXPECT_TRUE(holds(mapping, i, at("D", i)));
  for (std::int64_t i = 61; i < 64; ++i) EXPECT_EQ(cell(mapping, i).pad, Pad::top);
  // E-20: to fewer positions than there are is refused.
  static_assert(D.pad(61).mapping().ok() && !D.pad(60).mapping().ok());
  EXPECT_STREQ(D.pad(60).mapping().refusal().code, "mapping-pad-below-size");
}

namespace resized {
TCP_AXES(C = 2, D = 3);
}

TEST(Book, MAP_16_resized_rows) {
  using resized::C, resized::D;
  using M = m<C, D.resize(2)>;
  static_assert(M::size == 4);
  static_assert(holds(M::mapping, 0, at("C", 0, "D", 0)) && holds(M::mapping, 1, at("C", 0, "D", 1)));
  static_assert(holds(M::mapping, 2, at("C", 1, "D", 0)) && holds(M::mapping, 3, at("C", 1, "D", 1)));
  static_assert(holds_nothing(M::mapping, 4));
  EXPECT_EQ(canonical(M::mapping), "C, D = 2");
}

TEST(Book, MAP_17_resize_truncates_and_keeps_no_footprint) {
  using resized::C, resized::D;
  static_assert(m<D.resize(2)>::size == 2);
  static_assert(cell(m<D.resize(2)>::mapping, 2).kind == CellKind::outside);
  // E-20: to more positions than there are is refused.
  static_assert(D.resize(3).mapping().ok() && !D.resize(4).mapping().ok());
  EXPECT_STREQ(D.resize(4).mapping().refusal().code, "mapping-resize-above-size");
}

TEST(Book, MAP_18_tiles_of_an_axis) {
  using rows::A, rows::B;
  constexpr Mapping source = m<A, B>::mapping;
  for (std::int64_t start : {0, 2}) {
    auto const view = tile(source, B, 2, start);
    ASSERT_TRUE(view.ok());
    // E-13: the view keeps the stride of A, which is 512 and not 4.
    EXPECT_TRUE(equivalent(view->mapping, m<A, B.resize(2).pad(512)>::mapping));
    EXPECT_EQ(view->rebase, start);
    for (std::int64_t a = 0; a < 8; ++a)
      for (std::int64_t b = 0; b < 2; ++b) {
        std::int64_t const here = 512 * a + b;
        EXPECT_TRUE(holds(view->mapping, here, at("A", a, "B", b)));
        EXPECT_EQ(view->offset + here, 512 * a + start + b);
        EXPECT_TRUE(holds(source, view->offset + here, at("A", a, "B", start + b)));
      }
  }
  static_assert(tile_as(source, B, 2, 2, m<A, B.resize(2).pad(512)>::mapping).ok());
  auto const wrong = tile_as(source, B, 2, 0, m<A, B.resize(2).pad(4)>::mapping);
  ASSERT_FALSE(wrong.ok());
  EXPECT_STREQ(wrong.refusal().code, "tile-wrong-result");
}

TEST(Book, MAP_19_tile_takes_a_dimension_a_length_and_a_start_coordinate) {
  using rows::A, rows::B;
  constexpr Mapping source = m<A, B>::mapping;
  // E-14: the last argument is a coordinate, not the number of a tile: from 1 on, the tile overlaps the one from 0 on.
  constexpr View first = *tile(source, B, 2, 0), second = *tile(source, B, 2, 1);
  static_assert(second.offset - first.offset == 1 && second.rebase == 1);
  static_assert(first.mapping == second.mapping, "metadata only");
  static_assert(first.mapping.size == source.size, "nothing is copied: n live inside the old footprint");
  int live = 0;
  for (std::int64_t i = 0; i < first.mapping.size; ++i) live += cell(first.mapping, i).live();
  EXPECT_EQ(live, 8 * 2);
}

TEST(Book, MAP_20_stride) {
  using rows::B;
  using M = m<B / 64>;
  static_assert(M::size == 8);
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(holds(M::mapping, i, at("B", 64 * i)));
    EXPECT_TRUE(holds(M::mapping, i, (B / 64).at(i)));
  }
  static_assert((B / 64).at(2) == at("B", 128));
  static_assert(holds_nothing(M::mapping, 8));
}

TEST(Book, MAP_21_modulo) {
  using rows::B;
  using M = m<B % 64>;
  static_assert(M::size == 64);
  for (std::int64_t j = 0; j < 64; ++j) EXPECT_TRUE(holds(M::mapping, j, at("B", j)));
  static_assert(holds_nothing(M::mapping, 64));
}

TEST(Book, MAP_22_blocks_in_order_are_the_axis) {
  using rows::B;
  using M = m<B / 64, B % 64>;
  static_assert(std::is_same_v<M, m<B>>);
  static_assert(holds(M::mapping, 130, index((B / 64).at(2), (B % 64).at(2))) && holds(M::mapping, 130, at("B", 130)));
  static_assert(holds_nothing(M::mapping, 512));
  EXPECT_EQ(canonical(M::mapping), "B");
}

TEST(Book, MAP_23_blocks_must_divide) {
  using padded::D;
  static_assert(!(D / 4).mapping().ok() && !(D % 4).mapping().ok());
  EXPECT_STREQ((D / 4).mapping().refusal().code, "mapping-stride-not-divisor");
  EXPECT_STREQ((D % 4).mapping().refusal().code, "mapping-modulo-not-divisor");
  static_assert(m<D.pad(64) / 4>::size == 16);
}

TEST(Book, MAP_24_stride_and_modulo_read_every_nth_and_the_first_n) {
  TCP_AXES(A = 6, B = 4);
  constexpr Mapping e = group(A, B).pad(32);
  for (std::int64_t n : {1, 2, 4, 8}) {
    Mapping const stride = e / n, modulo = e % n;
    ASSERT_EQ(stride.size, 32 / n);
    ASSERT_EQ(modulo.size, n);
    for (std::int64_t i = 0; i < stride.size; ++i) EXPECT_TRUE(cell(stride, i).index == cell(e, i * n).index) << n << ' ' << i;
    for (std::int64_t i = 0; i < n; ++i) EXPECT_TRUE(cell(modulo, i).index == cell(e, i).index) << n << ' ' << i;
    EXPECT_EQ(cell(stride, 32 / n).kind, CellKind::outside);
    EXPECT_EQ(cell(modulo, n).kind, CellKind::outside);
  }
}

TEST(Book, MAP_25_four_by_four_table) {
  TCP_AXES(B = 16);
  constexpr Mapping row = B / 4, column = B % 4;
  for (std::int64_t r = 0; r < 4; ++r)
    for (std::int64_t c = 0; c < 4; ++c) {
      EXPECT_TRUE(index(cell(row, r).index, cell(column, c).index) == at("B", 4 * r + c));
      EXPECT_TRUE(holds(m<B / 4, B % 4>::mapping, 4 * r + c, at("B", 4 * r + c)));
    }
}

TEST(Book, MAP_26_modulo_partitions_and_resize_shrinks) {
  TCP_AXES(B = 10);
  // Five and five; but three of ten can only be the first three.
  static_assert(m<B % 5>::size == 5 && (B % 5).mapping().ok() && (B / 5).mapping().ok());
  static_assert(!(B % 3).mapping().ok() && m<B.resize(3)>::size == 3);
  // The blocks of a modulo make the whole extent, those of a resize only themselves.
  static_assert(std::is_same_v<m<B / 5, B % 5>, m<B>>);
  static_assert(!(B.resize(3) / 5).mapping().ok());
  EXPECT_EQ(cell(m<B.resize(3)>::mapping, 3).kind, CellKind::outside);
}

TEST(Book, MAP_27_bits_of_an_axis_in_another_order) {
  using rows::B;
  using M = m<B / 64, B % 32, B / 32 % 2>;
  static_assert(M::size == 512);
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 32; ++j)
      for (std::int64_t k = 0; k < 2; ++k) EXPECT_TRUE(holds(M::mapping, 64 * i + 2 * j + k, at("B", 64 * i + j + 32 * k)));
  static_assert(holds(M::mapping, 67, at("B", 97)));
  static_assert(holds(M::mapping, 0b001'00001'1, at("B", 0b001'1'00001)));
  static_assert(holds_nothing(M::mapping, 512));
}

TEST(Book, MAP_28_overlapping_tiles_of_blocks) {
  using rows::A, rows::B;
  constexpr Mapping source = m<A, B>::mapping, blocks = B / 32, declared = m<A, (B / 32).resize(2).pad(16), B % 32>::mapping;
  static_assert(blocks.size == 16);
  for (std::int64_t i = 0; i < 15; ++i) {
    auto const view = tile_as(source, blocks, 2, i, declared);
    ASSERT_TRUE(view.ok()) << i;
    EXPECT_EQ(view->offset, 32 * i);
    // The first and the last element of the two blocks i and i + 1.
    EXPECT_TRUE(holds(source, view->offset + 0, at("B", 32 * i)));
    EXPECT_TRUE(holds(view->mapping, 63, at("B", 63)));
    EXPECT_TRUE(holds(source, view->offset + 63, at("B", 32 * (i + 2) - 1)));
    EXPECT_TRUE(holds_nothing(view->mapping, 64));
  }
  // Neighbours share a block: the second of one is the first of the next.
  EXPECT_EQ(tile(source, blocks, 2, 3)->offset + 32, tile(source, blocks, 2, 4)->offset);
  auto const beyond = tile(source, blocks, 2, 15);
  ASSERT_FALSE(beyond.ok());
  EXPECT_STREQ(beyond.refusal().code, "tile-out-of-range");
}

TEST(Book, MAP_29_a_single_block_is_the_identity) {
  using rows::B;
  static_assert(std::is_same_v<m<(B / 32).resize(1)>, m<1>>);
  EXPECT_EQ(canonical((B / 32).resize(1)), "1");
}

TEST(Book, MAP_30_splices) {
  using rows::A, rows::B;
  using L = m<A>;
  using R = m<B>;
  static_assert(std::is_same_v<m<L{}, R{}>, m<A, B>>);
  // The same in the text form.
  Axes const axes = *parse_axes("A = 8, B = 512");
  Splice const splices[] = {{"L", *parse("A", axes)}, {"R", *parse("B", axes)}};
  EXPECT_TRUE(*parse("{ L }, { R }", axes, {}, splices, 2) == (m<A, B>::mapping));
}

TEST(Book, MAP_31_operators_are_one_level_from_left_to_right) {
  Axes const axes = *parse_axes("A = 8, B = 512");
  auto const same = [&](const char* one, const char* other) {
    auto const x = parse(one, axes), y = parse(other, axes);
    return x.ok() && y.ok() && *x == *y;
  };
  EXPECT_TRUE(same("B / 32 % 2", "[B / 32] % 2"));
  EXPECT_TRUE(same("B / 32 = 2 # 16", "[[B / 32] = 2] # 16"));
  EXPECT_TRUE(same("A, B / 32", "A, [B / 32]"));
  EXPECT_TRUE(same("(A, B) / 32", "[A, B] / 32"));
  EXPECT_TRUE(same("A, B # 600", "A, [B # 600]"));
  EXPECT_FALSE(same("A, B # 4800", "[A, B] # 4800"));
  EXPECT_EQ(parse("B / 32 = 2 # 16", axes)->size, 16);
}

TEST(Book, MAP_32_skewed_axis) {
  Axes const axes = *parse_axes("A = 4, B = 4");
  Mapping const mapping = *parse("A, skew(B, A)", axes);
  struct {
    std::int64_t a, step, b;
  } const table[] = {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 3, 3}, {1, 0, 1}, {1, 1, 2}, {1, 2, 3}, {1, 3, 0}};
  for (auto const& row : table) EXPECT_TRUE(holds(mapping, 4 * row.a + row.step, at("A", row.a, "B", row.b)));
}

TEST(Book, MAP_33_skewed_axis_remaining_rows) {
  Axes const axes = *parse_axes("A = 4, B = 4");
  Mapping const mapping = *parse("A, skew(B, A)", axes);
  std::int64_t const third[] = {2, 3, 0, 1}, fourth[] = {3, 0, 1, 2};
  for (std::int64_t step = 0; step < 4; ++step) {
    EXPECT_TRUE(holds(mapping, 8 + step, at("A", 2, "B", third[step])));
    EXPECT_TRUE(holds(mapping, 12 + step, at("A", 3, "B", fourth[step])));
  }
}

TEST(Book, MAP_34_size_of_a_linear_combination) {
  TCP_AXES(N = 5, F = 3, G = 4);
  static_assert(m<slide(N, F.by(2))>::size == 1 + (5 - 1) * 1 + (3 - 1) * 2);
  static_assert(m<slide(N.by(3), F.by(2))>::size == 1 + (5 - 1) * 3 + (3 - 1) * 2);
  static_assert(m<slide(N.by(7), F.by(2), G)>::size == 1 + 4 * 7 + 2 * 2 + 3);
  EXPECT_EQ((m<slide(N, F)>::size), 7);
}

TEST(Book, MAP_35_relation_of_a_linear_combination) {
  TCP_AXES(N = 5, F = 3);
  constexpr Mapping mapping = m<slide(N.by(3), F.by(2))>::mapping;
  for (std::int64_t s = 0; s < mapping.size; ++s) {
    std::int64_t related = 0;
    for (std::int64_t n = 0; n < 5; ++n)
      for (std::int64_t f = 0; f < 3; ++f) {
        bool found = false;
        for (std::int64_t which = 0; which < preimages(mapping, s); ++which) found |= preimage(mapping, s, which) == at("N", n, "F", f);
        EXPECT_EQ(found, s == 3 * n + 2 * f) << s;
        related += found;
      }
    EXPECT_EQ(preimages(mapping, s), related);
  }
}

TEST(Book, MAP_36_outer_sum) {
  TCP_AXES(N = 5, F = 3);
  static_assert(std::is_same_v<m<slide(N.by(3), F.by(1))>, m<N, F>>);
  static_assert(std::is_same_v<m<slide(N.by(1), F.by(5))>, m<F, N>>);
  EXPECT_EQ(canonical(m<slide(N.by(3), F)>::mapping), "N, F");
}

TEST(Book, MAP_37_sliding_window) {
  TCP_AXES(N = 5, F = 3);
  constexpr Mapping mapping = m<slide(N, F.by(2))>::mapping;
  static_assert(mapping.size == 9);
  std::int64_t const table[5][3] = {{0, 2, 4}, {1, 3, 5}, {2, 4, 6}, {3, 5, 7}, {4, 6, 8}};
  for (std::int64_t n = 0; n < 5; ++n)
    for (std::int64_t f = 0; f < 3; ++f) EXPECT_EQ(place(mapping, at("N", n, "F", f)), table[n][f]);
}

TEST(Book, MAP_38_preimages_of_a_sliding_window) {
  TCP_AXES(N = 5, F = 3);
  constexpr Mapping mapping = m<slide(N, F.by(2))>::mapping;
  std::vector<Index> const want[9] = {
      {index()},
      {at("N", 1)},
      {at("N", 2), at("F", 1)},
      {at("N", 3), at("N", 1, "F", 1)},
      {at("N", 4), at("N", 2, "F", 1), at("F", 2)},
      {at("N", 3, "F", 1), at("N", 1, "F", 2)},
      {at("N", 4, "F", 1), at("N", 2, "F", 2)},
      {at("N", 3, "F", 2)},
      {at("N", 4, "F", 2)},
  };
  for (std::int64_t s = 0; s < 9; ++s) {
    auto const& all = want[static_cast<std::size_t>(s)];
    ASSERT_EQ(preimages(mapping, s), static_cast<std::int64_t>(all.size())) << s;
    for (Index const& x : all) {
      bool found = false;
      for (std::int64_t which = 0; which < preimages(mapping, s); ++which) found |= preimage(mapping, s, which) == x;
      EXPECT_TRUE(found) << s << ' ' << text(x).view();
    }
    EXPECT_EQ(cell(mapping, s).kind, all.size() == 1 ? CellKind::live : CellKind::several) << s;
  }
}

TEST(Book, MAP_39_indirect_positions_come_from_a_table) {
  TCP_AXES(Rows = 10, K = 4, D = 3);
  // Four rows of a buffer of ten, picked by an index tensor over K: row number table[k], three elements each.
  constexpr Mapping buffer = m<Rows, D>::mapping, time = m<K>::mapping, packet = m<D>::mapping;
  Indirect const rows{Name("K"), Name("Rows")};
  auto const loops = derive_loops(buffer, time, packet, {.indirect = &rows});
  ASSERT_TRUE(loops.ok());
  std::int64_t const table[4] = {7, 0, 9, 2};
  for (std::int64_t k = 0; k < 4; ++k)
    for (std::int64_t d = 0; d < 3; ++d) EXPECT_TRUE(holds(buffer, loops->at(3 * k + d, table), at("Rows", table[k], "D", d)));
  // It is an operand of a move, and no part of the notation.
  EXPECT_FALSE(parse("indirect(K)", *parse_axes("K = 4")).ok());
}

TEST(Book, MAP_40_equivalence) {
  using padded::D;
  constexpr Mapping x = D.pad(64), y = group(D.pad(64) / 16, D.pad(64) % 16), z = D.pad_zero(64), other = D.pad(65);
  // Sizes equal, and map agrees at every position: the kind of padding is not asked for.
  static_assert(equivalent(x, x));
  static_assert(equivalent(x, y) && equivalent(y, x));
  static_assert(equivalent(y, z) && equivalent(x, z));
  static_assert(!equivalent(x, other) && !equivalent(x, D.resize(60).pad(64)));
  for (std::int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(cell(x, i).live(), cell(z, i).live());
    EXPECT_TRUE(cell(x, i).index == cell(z, i).index);
  }
}

TEST(Book, MAP_41_law_pair_identity) {
  using rows::A, rows::B;
  using E = m<A / 2, B.pad(600)>;
  static_assert(std::is_same_v<m<E{}, 1>, E> && std::is_same_v<m<1, E{}>, E>);
  static_assert(equivalent(pair(E::mapping, copies(1)), E::mapping));
}

TEST(Book, MAP_42_law_stride_modulo) {
  using padded::C, padded::D;
  using rows::A, rows::B;
  static_assert(std::is_same_v<m<m<A, B>{} / 1024, m<A, B>{} % 1024>, m<A, B>>);
  static_assert(std::is_same_v<m<D.pad(64) / 16, D.pad(64) % 16>, m<D.pad(64)>>);  // by the overshoot rule
  using E = m<C, D.pad(64)>;
  static_assert(std::is_same_v<m<E{} / 32, E{} % 32>, E>);
  // For the cuts that are accepted; these two are not.
  TCP_AXES(X = 2, Y = 3, Z = 5);
  static_assert(!(group(X, Y) / 2).mapping().ok());
  static_assert(!(Z.resize(3).pad(4) / 2).mapping().ok());
  EXPECT_STREQ((group(X, Y) / 2).mapping().refusal().code, "mapping-cut-inside-digit");
}

TEST(Book, MAP_43_law_pair_projection) {
  using padded::D;
  using rows::A;
  using L = m<A / 2>;
  using R = m<D.pad(64)>;
  static_assert(std::is_same_v<m<group(L{}, R{}) / R::size>, L>);
  static_assert(std::is_same_v<m<group(L{}, R{}) % R::size>, R>);
}

TEST(Book, MAP_44_law_pair_associativity) {
  using padded::D;
  using rows::A, rows::B;
  using E1 = m<A % 4>;
  using E2 = m<D.pad(64)>;
  using E3 = m<B / 2, A / 4>;
  static_assert(std::is_same_v<m<E1{}, E2{}, E3{}>, m<group(E1{}, E2{}), E3{}>>);
  static_assert(std::is_same_v<m<E1{}, E2{}, E3{}>, m<E1{}, group(E2{}, E3{})>>);
}

TEST(Book, MAP_45_law_idempotent_operations) {
  using padded::D;
  using rows::A, rows::B;
  using E = m<A, D.pad(64), B / 2>;
  static_assert(std::is_same_v<m<E{} / 1>, E>);
  static_assert(std::is_same_v<m<E{}.pad(E::size)>, E>);
  static_assert(std::is_same_v<m<E{}.resize(E::size)>, E>);
}

TEST(Book, MAP_46_law_modulo_one) {
  using padded::D;
  using rows::A;
  static_assert(std::is_same_v<m<m<A, D.pad(64)>{} % 1>, m<1>>);
  static_assert(std::is_same_v<m<D % 1>, m<1>>);
}

TEST(Book, MAP_47_overshoot_is_padding) {
  using padded::D;
  using M = m<D.pad(64) / 16, D.pad(64) % 16>;
  static_assert(holds_nothing(M::mapping, 63) && cell(M::mapping, 63).kind == CellKind::padding);
  static_assert(holds_nothing(m<D.pad(64)>::mapping, 63));
  static_assert(holds(M::mapping, 60, at("D", 60)) && holds_nothing(M::mapping, 61));
  // Also where the two factors do not stand side by side: 48 + 15 is beyond the axis.
  TCP_AXES(E = 2);
  using Apart = m<D.pad(64) / 16, E, D.pad(64) % 16>;
  static_assert(holds(Apart::mapping, 3 * 32 + 12, at("D", 60)) && holds_nothing(Apart::mapping, 3 * 32 + 15));
}

TEST(Book, MAP_48_mappings_are_normalised_and_compared_by_the_compiler) {
  using rows::A, rows::B;
  static_assert(std::is_same_v<m<A, B / 64, B % 64>, m<A, B>>);
  static_assert(!std::is_same_v<m<B, A>, m<A, B>>);
  static_assert((m<A, B / 64, B % 64>::mapping) == (m<A, B>::mapping));
  // A layout that cannot be is an error of the compiler: tests/refuse/mapping.cpp compiles one of each.
  static_assert(!(B / 7).mapping().ok());
}

}  // namespace
