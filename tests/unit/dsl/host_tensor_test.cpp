// Tensors in the host's memory: filling, finding elements, and uploads where nothing runs. tests/unit/runtime has the way to HBM and back.
#include "tcp/dsl/host_tensor.hpp"

#include <gtest/gtest.h>

#include <array>
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

// Uploads where nothing runs: a recording can be made of the tensors, and mistakes are errors all the same.

TEST(HostTensor, is_uploaded_where_nothing_runs) {
  Recorder r;
  auto const x = HostTensor<i32, m<A, B>>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 512);
  EXPECT_EQ(detail::node_of(x)->place.begin.value, 512);
  EXPECT_EQ(r.ctx.session()->contents_of(*detail::node_of(x), {})->image, nullptr);
  auto const over = HostTensor<i32, m<A, B>>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 512);
  EXPECT_EQ(code_of([&] { (void)x.to_host<m<A, B>>(r.ctx.pdma); }), "dsl-tensor-overwritten");
  EXPECT_EQ(code_of([&] { (void)HostTensor<i32, m<A, B>>().to_hbm<m<1>, m<A, B>>(r.ctx.pdma, 48LL << 30); }), "memory-beyond-end");
}

}  // namespace
}  // namespace tcp
