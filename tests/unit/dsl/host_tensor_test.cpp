// Tensors in the host's memory: filling, finding elements, and the way to HBM and back in other layouts.
#include "tcp/dsl/host_tensor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "recorder.hpp"

namespace tcp {
namespace {

using build::code_of, build::Recorder;

TCP_AXES(A = 8, B = 12, C = 5, D = 2, N = 4, S = 3);

template <class T>
std::int64_t number(T x) {
  return x.to_int();
}

TEST(HostTensor, is_zero_at_first) {
  HostTensor<i32, m<A, B>> const t;
  EXPECT_EQ(t.size(), 96u);
  for (i32 x : t) EXPECT_EQ(x.bits, 0u);
}
TEST(HostTensor, counts_padding) {
  using T = HostTensor<i8, m<A.pad(16), C>>;
  static_assert(T::count() == 80);
  EXPECT_EQ(T().size(), 80u);
}
TEST(HostTensor, the_same_seed_gives_the_same_contents) {
  Random one(42), again(42), other(43);
  auto const a = HostTensor<i8, m<A, B>>::rand(one), b = HostTensor<i8, m<A, B>>::rand(again), c = HostTensor<i8, m<A, B>>::rand(other);
  int same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].bits, b[i].bits);
    same += a[i].bits == c[i].bits;
  }
  EXPECT_LT(same, 10);
}
TEST(HostTensor, random_integers_take_the_whole_range) {
  Random random(1);
  std::set<std::int64_t> four, eight;
  for (i4 x : HostTensor<i4, m<A, B, C, D>>::rand(random)) four.insert(number(x));
  for (i8 x : HostTensor<i8, m<A, B, C, D, N, S>>::rand(random)) eight.insert(number(x));
  EXPECT_EQ(four.size(), 16u);
  EXPECT_EQ(*four.begin(), -8);
  EXPECT_EQ(*four.rbegin(), 7);
  EXPECT_LT(*eight.begin(), -120);
  EXPECT_GT(*eight.rbegin(), 120);
}
template <class T>
void between_minus_one_and_one() {
  Random random(2);
  bool negative = false, positive = false, fraction = false;
  for (T x : HostTensor<T, m<A, B, C>>::rand(random)) {
    double const v = x.to_double();
    ASSERT_LE(-1.0, v);
    ASSERT_LE(v, 1.0);
    negative |= v < 0;
    positive |= v > 0;
    fraction |= v != 0 && v != 1 && v != -1;
  }
  EXPECT_TRUE(negative && positive && fraction);
}
TEST(HostTensor, random_floating_point_numbers_are_between_minus_one_and_one) {
  between_minus_one_and_one<f32>();
  between_minus_one_and_one<bf16>();
  between_minus_one_and_one<f16>();
  between_minus_one_and_one<f8e4m3>();
  between_minus_one_and_one<f8e5m2>();
}

TEST(HostTensor, from_numbers_elements_and_any_range) {
  std::vector<int> const numbers{1, -2, 3, -4, 5, -6, 7, -8};
  auto const a = HostTensor<i8, m<A>>::from(numbers);
  EXPECT_EQ(number(a[3]), -4);
  std::array<float, 8> const floats{0.5f, -1.5f, 2, 3, 4, 5, 6, 7};
  auto const b = HostTensor<bf16, m<A>>::from(floats);
  EXPECT_EQ(b[1].to_float(), -1.5f);
  std::vector<i8> elements;
  for (i8 x : a) elements.push_back(x);
  auto const c = HostTensor<i8, m<A>>::from(elements);
  EXPECT_EQ(number(c[7]), -8);
  int const plain[] = {8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(number(HostTensor<i32, m<A>>::from(plain)[0]), 8);
  for (i32 x : HostTensor<i32, m<A>>::full(i32::from_int(9))) EXPECT_EQ(number(x), 9);
}
TEST(HostTensor, a_wrong_number_of_values_is_refused) {
  std::vector<int> const seven(7), nine(9);
  EXPECT_EQ(code_of([&] { (void)HostTensor<i8, m<A>>::from(seven); }), "dsl-host-count");
  EXPECT_EQ(code_of([&] { (void)HostTensor<i8, m<A>>::from(nine); }), "dsl-host-count");
}
TEST(HostTensor, numbers_that_the_type_does_not_have_are_refused) {
  std::vector<int> const large{0, 0, 0, 0, 0, 0, 0, 128}, low{0, 0, 0, 0, 0, 0, 0, -9};
  EXPECT_EQ(code_of([&] { (void)HostTensor<i8, m<A>>::from(large); }), "dsl-host-value");
  EXPECT_EQ(code_of([&] { (void)HostTensor<i4, m<A>>::from(low); }), "dsl-host-value");
  std::vector<double> const fraction{0, 0, 0, 0, 0, 0, 0, 0.5};
  EXPECT_EQ(code_of([&] { (void)HostTensor<i8, m<A>>::from(fraction); }), "dsl-host-value");
}
TEST(HostTensor, elements_by_their_index) {
  HostTensor<i32, m<A, B>> t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = i32::from_int(static_cast<std::int64_t>(i));
  EXPECT_EQ(number(t.at(index(A.at(2), B.at(3)))), 27);
  EXPECT_EQ(number(t.at(index(B.at(3), A.at(2)))), 27);
  t.at(index(A.at(7), B.at(11))) = i32::from_int(-1);
  EXPECT_EQ(number(t[95]), -1);
  const auto& constant = t;
  EXPECT_EQ(number(constant.at(index(A.at(0), B.at(0)))), 0);
  HostTensor<i32, m<B % 4, A, B / 4>> const other;
  EXPECT_EQ(&other.at(index(A.at(2), B.at(7))) - other.data(), 3 * 24 + 2 * 3 + 1);
}
TEST(HostTensor, an_index_without_an_element_is_refused) {
  HostTensor<i32, m<A, B>> const t;
  Index outside;
  EXPECT_EQ(code_of([&] { (void)t.at(outside.add(Name("A"), 8)); }), "dsl-host-index");
  EXPECT_EQ(&t.at(index(A.at(2))) - t.data(), 24);                    // an axis that is not named has coordinate 0
  EXPECT_EQ(&t.at(index(A.at(2), B.at(3), C.at(1))) - t.data(), 27);  // along one that the tensor lacks all elements are alike
}
TEST(HostTensor, copies_are_apart_and_moves_leave_nothing_behind) {
  auto a = HostTensor<i32, m<A>>::full(i32::from_int(1));
  auto b = a;
  b[0] = i32::from_int(2);
  EXPECT_EQ(number(a[0]), 1);
  const i32* const where = b.data();
  auto c = std::move(b);
  EXPECT_EQ(c.data(), where);
  a = c;
  c[0] = i32::from_int(3);
  EXPECT_EQ(number(a[0]), 2);
  a = std::move(c);
  EXPECT_EQ(number(a[0]), 3);
  auto const& itself = a;
  a = itself;
  EXPECT_EQ(number(a[0]), 3);
}

// To HBM and back: element by element, by independent arithmetic over the axes.

template <class T>
HostTensor<T, m<A, B>> numbered() {
  HostTensor<T, m<A, B>> t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = T::from_bits(static_cast<std::uint32_t>(i * 37 + 11));
  return t;
}
TEST(HostTensor, pairs_of_four_bit_numbers_move_together) {
  Recorder r;
  auto const t = numbered<i4>();
  auto const back = t.to_hbm<m<A / 4>, m<B / 2, A % 4, B % 2>>(r.ctx.pdma, 0).to_host<m<B / 2, A, B % 2>>(r.ctx.pdma);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = 0; b < 12; ++b) EXPECT_EQ(back[b / 2 * 16 + a * 2 + b % 2].bits, t[a * 12 + b].bits);
}
template <class T>
void keeps_elements() {
  Recorder r;
  auto const t = numbered<T>();
  auto const same = t.template to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 0).template to_host<m<A, B>>(r.ctx.pdma);
  auto const turned = t.template to_hbm<m<1>, m<B, A>>(r.ctx.pdma, 0);
  auto const host_turned = turned.template to_host<m<B, A>>(r.ctx.pdma);
  auto const back = turned.template to_host<m<B / 4, A, B % 4>>(r.ctx.pdma);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = 0; b < 12; ++b) {
      auto const x = t[a * 12 + b].bits;
      EXPECT_EQ(same[a * 12 + b].bits, x);
      EXPECT_EQ(host_turned[b * 8 + a].bits, x);
      EXPECT_EQ(back[b / 4 * 32 + a * 4 + b % 4].bits, x);
    }
}
TEST(HostTensor, other_layouts_keep_every_element_of_every_type) {
  keeps_elements<i8>();
  keeps_elements<i16>();
  keeps_elements<i32>();
  keeps_elements<f8e4m3>();
  keeps_elements<f8e5m2>();
  keeps_elements<bf16>();
  keeps_elements<f16>();
  keeps_elements<f32>();
}
TEST(HostTensor, four_bit_numbers_lie_two_in_a_byte_lower_first) {
  Recorder r;
  auto const t = HostTensor<i4, m<A>>::from(std::vector<int>{1, 2, 3, 4, 5, 6, 7, -8});
  auto const hbm = t.to_hbm<m<1>, m<A>>(r.ctx.pdma, 0);
  auto const image = detail::image_of(*r.ctx.session()->contents_of(*detail::node_of(hbm), {}));
  ASSERT_EQ(image->size(), 4u);
  EXPECT_EQ((*image)[0], std::byte{0x21});
  EXPECT_EQ((*image)[3], std::byte{0x87});
}
TEST(HostTensor, each_chip_has_its_part) {
  Recorder r;
  auto const t = numbered<i32>();
  auto const hbm = t.to_hbm<m<A / 2>, m<A % 2, B>>(r.ctx.pdma, 4096);
  auto const image = detail::image_of(*r.ctx.session()->contents_of(*detail::node_of(hbm), {}));
  ASSERT_EQ(image->size(), 96u * 4);
  std::uint32_t word = 0;
  std::memcpy(&word, image->data() + (3 * 24 + 1 * 12 + 5) * 4, 4);  // chip 3, A % 2 = 1, B = 5
  EXPECT_EQ(word, t.at(index(A.at(7), B.at(5))).bits);
  auto const back = hbm.to_host<m<B, A>>(r.ctx.pdma);
  EXPECT_EQ(back.at(index(A.at(7), B.at(5))).bits, word);
}
TEST(HostTensor, four_bit_numbers_on_two_chips) {
  Recorder r;
  auto const t = HostTensor<i4, m<D, C.pad(6)>>::from(std::vector<int>{0, 1, 2, 3, 4, 9 - 16, 5, 6, 7, -8, -7, 1});
  auto const hbm = t.to_hbm<m<D>, m<C.pad(6)>>(r.ctx.pdma, 0);
  auto const image = detail::image_of(*r.ctx.session()->contents_of(*detail::node_of(hbm), {}));
  ASSERT_EQ(image->size(), 6u);
  EXPECT_EQ((*image)[2], std::byte{0x04});  // beside the fifth is padding
  EXPECT_EQ((*image)[3], std::byte{0x65});
  auto const back = hbm.to_host<m<D, C.pad(6)>>(r.ctx.pdma);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(back[i].bits, i % 6 == 5 ? 0 : t[i].bits) << i;
}
TEST(HostTensor, padding_goes_and_comes_as_zero) {
  Recorder r;
  Random random(5);
  auto const t = HostTensor<i8, m<C.pad(8), A>>::rand(random);  // its padding is random, too
  auto const hbm = t.to_hbm<m<1>, m<C.pad(8), A>>(r.ctx.pdma, 0);
  auto const image = detail::image_of(*r.ctx.session()->contents_of(*detail::node_of(hbm), {}));
  for (std::size_t i = 40; i < 64; ++i) EXPECT_EQ((*image)[i], std::byte{0}) << i;
  auto const back = hbm.to_host<m<A, C.pad(6)>>(r.ctx.pdma);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(back[a * 6 + c].bits, c < 5 ? t[c * 8 + a].bits : 0) << a << c;
}
TEST(HostTensor, broadcast_on_the_way) {
  Recorder r;
  auto const t = HostTensor<i32, m<A>>::from(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
  auto const back = t.to_hbm<m<1>, m<D, A>>(r.ctx.pdma, 0).to_host<m<A, D>>(r.ctx.pdma);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(number(back[i]), static_cast<int>(i / 2 + 1));
}
TEST(HostTensor, the_type_on_the_left_decides) {
  Recorder r;
  auto const t = numbered<i32>();
  HbmTensor<i32, m<A>, m<B>> const on_chips = t.to_hbm(r.ctx.pdma, 0);
  HbmTensor<i32, m<1>, m<B, A>> const placed = t.to_hbm(r.ctx.pdma);
  EXPECT_EQ((placed.to_host<m<A, B>>(r.ctx.pdma)[13].bits), t[13].bits);
  EXPECT_EQ((on_chips.to_host(r.ctx.pdma, m<A, B>{})[13].bits), t[13].bits);
}

// Places in HBM.

TEST(Hbm, tensors_without_an_address_do_not_meet) {
  Recorder r;
  std::vector<HbmTensor<i32, m<1>, m<A, B>>> all;
  for (int i = 0; i < 10; ++i) all.push_back(HostTensor<i32, m<A, B>>::full(i32::from_int(i)).to_hbm<m<1>, m<A, B>>(r.ctx.pdma));
  all.erase(all.begin() + 4);  // its bytes are free again
  all.push_back(HostTensor<i32, m<A, B>>::full(i32::from_int(10)).to_hbm<m<1>, m<A, B>>(r.ctx.pdma));
  int const expected[] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10};
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ((number(all[i].to_host<m<A, B>>(r.ctx.pdma)[95])), expected[i]);
  EXPECT_EQ(detail::node_of(all[9])->place.begin.value, 4 * 512);
}
TEST(Hbm, a_tensor_that_was_overwritten_is_lost_and_says_so) {
  Recorder r;
  auto const a = numbered<i32>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 0);
  auto const beside = numbered<i32>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 384);
  auto const over = numbered<i32>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 128);
  EXPECT_EQ(code_of([&] { (void)a.to_host<m<A, B>>(r.ctx.pdma); }), "dsl-tensor-overwritten");
  EXPECT_EQ(code_of([&] { (void)beside.to_host<m<A, B>>(r.ctx.pdma); }), "dsl-tensor-overwritten");
  EXPECT_EQ(code_of([&] { (void)over.to_host<m<A, B>>(r.ctx.pdma); }), "accepted");
  EXPECT_EQ(code_of([&] { r.module_of([&](Context& ctx) { (void)a.to_hbm<m<A, B>>(ctx.tdma, 4096); }); }), "dsl-tensor-overwritten");
}
TEST(Hbm, an_address_outside_of_it_is_refused) {
  Recorder r;
  EXPECT_NE(code_of([&] { (void)numbered<i32>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, -4); }), "accepted");
  EXPECT_NE(code_of([&] { (void)numbered<i32>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 48LL << 30); }), "accepted");
  EXPECT_EQ(code_of([&] { (void)numbered<i32>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, (48LL << 30) - 384); }), "accepted");
}

}  // namespace
}  // namespace tcp
