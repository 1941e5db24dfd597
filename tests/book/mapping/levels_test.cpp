// The chapters on memory, streams and tensor functions, as far as they speak of mappings, and the notation itself, row by row.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"

namespace {

using namespace tcp;

constexpr Index at(const char* a, std::int64_t x, const char* b, std::int64_t y) { return Index{}.add(Name(a), x).add(Name(b), y); }

namespace matrix {
TCP_AXES(A = 8, B = 512);
/// HbmTensor<bf16, m![A], m![B]>
constexpr Levels hbm = Levels{}.set(Level::chip, m<A>::mapping).set(Level::element, m<B>::mapping);
/// DmTensor<bf16, m![A], m![1], m![B / 2], m![B % 2]>
constexpr Levels dm = Levels{}.set(Level::chip, m<A>::mapping).set(Level::slice, m<B / 2>::mapping).set(Level::element, m<B % 2>::mapping);
}  // namespace matrix

using Values = std::map<std::vector<std::int64_t>, int>;  // by place: chip, cluster, slice, row, element, time, packet

std::vector<Place> places_of(const Levels& levels) {
  std::vector<Place> all;
  for (std::int64_t c = 0; c < levels[Level::chip].size; ++c)
    for (std::int64_t k = 0; k < levels[Level::cluster].size; ++k)
      for (std::int64_t s = 0; s < levels[Level::slice].size; ++s)
        for (std::int64_t r = 0; r < levels[Level::row].size; ++r)
          for (std::int64_t e = 0; e < levels[Level::element].size; ++e)
            for (std::int64_t t = 0; t < levels[Level::time].size; ++t)
              for (std::int64_t p = 0; p < levels[Level::packet].size; ++p) all.push_back({c, k, s, r, e, t, p});
  return all;
}
std::vector<std::int64_t> key(const Place& p) { return {p.chip, p.cluster, p.slice, p.row, p.element, p.time, p.packet}; }

/// What a memory holds when it holds the tensor: the value f(index) at every place that has an index.
template <class Tensor>
Values holding(const Levels& levels, Tensor tensor) {
  Values values;
  for (Place const& p : places_of(levels))
    if (Cell const c = cell(levels, p); c.live()) values[key(p)] = tensor(c.index);
  return values;
}
int first_tensor(const Index& x) { return static_cast<int>(10'000 * x.get("A") + x.get("B")); }

/// A move: each place of the target takes the value from where the source has its index.
Values moved(const Levels& from, const Values& values, const Levels& to) {
  Values target;
  for (Place const& p : places_of(to)) {
    Cell const c = cell(to, p);
    Place source;
    if (c.live() && find_place(from, c.index, source)) target[key(p)] = values.at(key(source));
  }
  return target;
}

TEST(Book, STM_02_an_HBM_tensor_over_eight_chips) {
  using namespace matrix;
  static_assert(check_levels(hbm).ok());
  static_assert(hbm[Level::chip].size == 8 && hbm[Level::element].size == 512);
  std::set<std::vector<std::int64_t>> elements;
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 512; ++j) {
      Cell const c = cell(hbm, {.chip = i, .element = j});
      ASSERT_TRUE(c.live());
      EXPECT_TRUE(c.index == at("A", i, "B", j));
      elements.insert({c.index.get("A"), c.index.get("B")});
    }
  EXPECT_EQ(elements.size(), 4096u);
}

TEST(Book, STM_03_all_units_of_a_level_share_one_mapping) {
  using namespace matrix;
  // Whatever the slice, position j of its elements is j further along B than position 0; and the same for chips and slices.
  for (std::int64_t slice = 0; slice < 256; ++slice)
    for (std::int64_t j = 0; j < 2; ++j)
      EXPECT_EQ(cell(dm, {.slice = slice, .element = j}).index.get("B"), cell(dm, {.slice = slice}).index.get("B") + j);
  for (std::int64_t chip = 0; chip < 8; ++chip)
    for (std::int64_t slice = 0; slice < 256; ++slice) {
      EXPECT_EQ(cell(dm, {.chip = chip, .slice = slice}).index.get("B"), 2 * slice);
      EXPECT_EQ(cell(dm, {.chip = chip, .slice = slice}).index.get("A"), chip);
    }
}

TEST(Book, STM_13_packet_is_what_a_slice_gets_per_step_and_time_has_no_limit) {
  TCP_AXES(T = 1'099'511'627'776, S = 4, P = 6);
  constexpr Levels stream =
      Levels{}.set(Level::slice, m<S>::mapping).set(Level::time, m<T>::mapping).set(Level::packet, m<P.pad(8)>::mapping);
  static_assert(check_levels(stream).ok());
  // At each step each slice receives one packet: the elements of that step and slice, six of eight positions.
  for (std::int64_t time : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 39, (std::int64_t{1} << 40) - 1})
    for (std::int64_t slice = 0; slice < 4; ++slice)
      for (std::int64_t p = 0; p < 8; ++p) {
        Cell const c = cell(stream, {.slice = slice, .time = time, .packet = p});
        ASSERT_EQ(c.live(), p < 6);
        EXPECT_TRUE(!c.live() || (c.index.get("T") == time && c.index.get("S") == slice && c.index.get("P") == p));
      }
  EXPECT_EQ(stream[Level::time].size, std::int64_t{1} << 40);
}

TEST(Book, STM_15_a_stream_of_images) {
  TCP_AXES(N = 4, C = 64, H = 32, W = 32);
  constexpr Levels stream =
      Levels{}.set(Level::slice, m<C / 2>::mapping).set(Level::time, m<N, H, W>::mapping).set(Level::packet, m<C % 2>::mapping);
  static_assert(check_levels(stream).ok());
  static_assert(stream[Level::slice].size == 32);
  static_assert(stream[Level::time].size == 4096);
  static_assert(stream[Level::packet].size == 2);
  std::set<std::int64_t> channels;
  for (std::int64_t slice = 0; slice < 32; ++slice)
    for (std::int64_t p = 0; p < 2; ++p) channels.insert(cell(stream, {.slice = slice, .time = 1234, .packet = p}).index.get("C"));
  EXPECT_EQ(channels.size(), 64u);
}

TEST(Book, STM_16_HBM_levels_add_up) {
  TCP_AXES(A = 64, B = 16);
  // E-19: the partial indices of Chip and Element are added along each axis, here 8 · i and the rest of A.
  constexpr Levels hbm = Levels{}.set(Level::chip, m<A / 8>::mapping).set(Level::element, m<B, A % 8>::mapping);
  static_assert(check_levels(hbm).ok());
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 128; ++j) {
      Index const chip = cell(hbm[Level::chip], i).index, element = cell(hbm[Level::element], j).index;
      Cell const c = cell(hbm, {.chip = i, .element = j});
      ASSERT_TRUE(c.live());
      EXPECT_TRUE(c.index == index(chip, element));
      EXPECT_TRUE(c.index == at("A", 8 * i + j % 8, "B", j / 8));
    }
  // A sum counts each step once.
  constexpr Levels twice = Levels{}.set(Level::chip, m<A / 8>::mapping).set(Level::element, m<A % 16>::mapping);
  ASSERT_FALSE(check_levels(twice).ok());
  EXPECT_STREQ(check_levels(twice).refusal().code, "levels-axis-twice");
}

TEST(Book, STM_17_DM_TRF_and_streams_add_up) {
  TCP_AXES(A = 64, B = 16);
  constexpr Levels dm = Levels{}
                            .set(Level::cluster, m<A / 32>::mapping)
                            .set(Level::slice, m<A / 8 % 4, B / 4>::mapping)
                            .set(Level::element, m<A % 8, (B % 4).pad(8)>::mapping);
  constexpr Levels trf =
      Levels{}.set(Level::slice, m<A / 8>::mapping).set(Level::row, m<A % 8>::mapping).set(Level::element, m<B>::mapping);
  constexpr Levels stream =
      Levels{}.set(Level::slice, m<A / 8>::mapping).set(Level::time, m<A % 8, B / 8>::mapping).set(Level::packet, m<B % 8>::mapping);
  for (Levels const& levels : {dm, trf, stream}) {
    ASSERT_TRUE(check_levels(levels).ok());
    std::set<std::pair<std::int64_t, std::int64_t>> elements;
    for (Place const& p : places_of(levels)) {
      Index sum;
      bool all = true;
      for (int l = 0; l < level_count; ++l) {
        Cell const part = cell(levels.at[l], p.on(l));
        all &= part.live();
        sum = index(sum, part.index);
      }
      Cell const c = cell(levels, p);
      ASSERT_EQ(c.live(), all);
      if (!all) continue;
      EXPECT_TRUE(c.index == sum);
      elements.insert({c.index.get("A"), c.index.get("B")});
    }
    EXPECT_EQ(elements.size(), 64u * 16u) << "every element of the tensor, each in one place";
  }
  EXPECT_TRUE(cell(trf, {.slice = 3, .row = 5, .element = 7}).index == at("A", 29, "B", 7));
  EXPECT_TRUE(cell(stream, {.slice = 3, .time = 11, .packet = 6}).index == at("A", 29, "B", 14));
}

TEST(Book, TFN_02_to_dm_is_the_identity_on_values) {
  using namespace matrix;
  static_assert(check_levels(dm).ok());
  static_assert(dm[Level::slice].size == 256 && dm[Level::element].size == 2);
  int pairs = 0;
  for (Place const& p : places_of(dm)) {
    Cell const c = cell(dm, p);
    ASSERT_TRUE(c.live());
    Place source;
    ASSERT_TRUE(find_place(hbm, c.index, source));
    EXPECT_TRUE(cell(hbm, source).index == c.index);
    EXPECT_EQ(source.chip, p.chip);
    EXPECT_EQ(source.element, 2 * p.slice + p.element);
    ++pairs;
  }
  EXPECT_EQ(pairs, 8 * 256 * 2);
  EXPECT_EQ(moved(hbm, holding(hbm, first_tensor), dm), holding(dm, first_tensor));
}

TEST(Book, API_01_axes_are_declared_with_their_sizes) {
  TCP_AXES(X = 12, Long_name_9 = 5);
  static_assert(X.size == 12 && m<X>::size == 12 && m<Long_name_9>::size == 5);
  auto const axes = parse_axes("X = 12, Long_name_9 = 5");
  ASSERT_TRUE(axes.ok());
  EXPECT_EQ(axes->n, 2);
  EXPECT_EQ(axes->size[axes->find(Name("Long_name_9"))], 5);
  // E-16: an uppercase letter, then letters, digits and underscores.
  EXPECT_STREQ(parse_axes("x = 12").refusal().code, "mapping-axis-name");
  EXPECT_STREQ(parse_axes("_X = 12").refusal().code, "mapping-axis-name");
}

TEST(Book, API_02_mappings_and_indices_are_written_as_the_book_writes_them) {
  TCP_AXES(X = 12, Y = 5);
  auto const axes = *parse_axes("X = 12, Y = 5");
  EXPECT_TRUE(*parse("X / 4, Y # 8, X % 4", axes) == (m<X / 4, Y.pad(8), X % 4>::mapping));
  EXPECT_EQ(text(m<X / 4, Y.pad(8), X % 4>::mapping).view(), "m![X / 4, Y # 8, X % 4]");
  EXPECT_EQ(text(index(X.at(7), Y.at(2))).view(), "{X: 7, Y: 2}");
  EXPECT_TRUE(index((X / 4).at(2), (X % 4).at(3)) == index(X.at(11)));
}

}  // namespace
