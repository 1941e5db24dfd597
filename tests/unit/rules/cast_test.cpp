// The cast of packets with several factors, and the kinds of their padding.
#include <gtest/gtest.h>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/cast.hpp"

namespace tcp {
namespace {

Expected<Mapping> to_i8(const Written& m, const char* packet, const char* packet2) {
  return check_cast(rngd, ScalarType::i32, ScalarType::i8, m(packet), m(packet2));
}

TEST(Cast, works_in_constant_expressions) {
  static constexpr Expr packet{"A", "A = 8"}, packet2{"A # 16", "A = 8"};
  static_assert(check_cast(rngd, ScalarType::f32, ScalarType::bf16, packet, packet2).ok());
}

TEST(Cast, elements_keep_their_places) {
  Written const m{"A = 2, B = 3"};
  auto const r = to_i8(m, "A, B # 4", "[A, B # 4] # 32");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  for (std::int64_t i = 0; i < 32; ++i) {
    Cell const before = cell(m("A, B # 4"), i), after = cell(*r, i);
    EXPECT_EQ(after.live(), i < 8 && before.live());
    if (after.live()) {
      EXPECT_EQ(after.index, before.index);
    }
  }
  EXPECT_EQ(code_of(to_i8(m, "A, B # 4", "A, B # 16")), "cast-wrong-packet");
}

TEST(Cast, padding_is_zero_where_it_was_or_is_added) {
  Written const m{"A = 4, B = 8"};
  EXPECT_EQ(text_of(*to_i8(m, "A #z 8", "A # 32")), "A #z 32");
  EXPECT_EQ(text_of(*to_i8(m, "A # 8", "A # 32")), "A # 32") << "one factor has one kind, the weaker promise";
  EXPECT_EQ(text_of(*to_i8(m, "B", "B # 32")), "B #z 32");
}

TEST(Cast, devices_without_a_cast) {
  Device d = rngd;
  d.cast.f32_to_f16 = false;
  Written const m{"A = 8"};
  EXPECT_EQ(code_of(check_cast(d, ScalarType::f32, ScalarType::f16, m("A"), m("A # 16"))), "cast-no-such-cast");
  EXPECT_TRUE(check_cast(d, ScalarType::f32, ScalarType::bf16, m("A"), m("A # 16")));
}

}  // namespace
}  // namespace tcp
