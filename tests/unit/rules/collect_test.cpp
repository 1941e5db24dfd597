#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/collect.hpp"

namespace tcp {
namespace {

TCP_AXES(A = 8, B = 32, C = 56, D = 16, E = 64, R = 3);

static_assert(check_collect(rngd, ScalarType::bf16, m<A>{}, m<B>{}, m<A, B / 16>{}, m<B % 16>{}).ok());

std::string code(const Expected<Stream>& s) { return s ? "accepted" : s.refusal().code; }

/// That collect makes this of a stream, and accepts its declaration.
void expect_collected(ScalarType type, const Mapping& time, const Mapping& packet, const Mapping& time2, const Mapping& packet2) {
  auto const made = collected(rngd, type, time, packet);
  ASSERT_TRUE(made.ok()) << made.refusal().sentence().view();
  EXPECT_TRUE(equivalent(made->time, time2)) << text(made->time).view();
  EXPECT_TRUE(equivalent(made->packet, packet2)) << text(made->packet).view();
  EXPECT_EQ(code(check_collect(rngd, type, time, packet, time2, packet2)), "accepted");
}

TEST(Collect, pads_to_whole_flits_and_gives_the_outer_ones_to_time) {
  // The arithmetic of the book's examples. 32 bytes: 32 of i8, 16 of bf16, 8 of f32, 64 of i4.
  expect_collected(ScalarType::i8, A, B, A, B);                                    // COL-03: exactly one flit
  expect_collected(ScalarType::i8, A, B.pad(32), A, B.pad(32));                    // COL-07
  expect_collected(ScalarType::i8, A, D, A, D.pad(32));                            // COL-04, COL-08: less than one
  expect_collected(ScalarType::bf16, A, B, m<A, B / 16>{}, B % 16);                // COL-05, COL-09: two
  expect_collected(ScalarType::i8, A, E, m<A, E / 32>{}, E % 32);                  // COL-06
  expect_collected(ScalarType::i8, A, C, m<A, C.pad(64) / 32>{}, C.pad(64) % 32);  // COL-10: both steps
  expect_collected(ScalarType::f32, A, B, m<A, B / 8>{}, B % 8);
  expect_collected(ScalarType::i4, A, E, A, E);
  expect_collected(ScalarType::i4, A, B, A, B.pad(64));
  expect_collected(ScalarType::i9, A, B, A, B);  // travels in the places of i8
  expect_collected(ScalarType::f32, one, one, one, one.pad(8));
}

TEST(Collect, keeps_every_element_at_its_place) {
  Mapping const time = A, packet = C;
  auto const made = collected(rngd, ScalarType::i8, time, packet);
  Mapping const before = pair(time, packet), after = pair(made->time, made->packet);
  ASSERT_EQ(after.size, 8 * 64);
  for (std::int64_t i = 0; i < after.size; ++i) {
    Cell const now = cell(after, i);
    if (i % 64 >= 56) {
      ASSERT_EQ(now.kind, CellKind::padding) << i;
      ASSERT_EQ(now.pad, Pad::zero) << "what collect adds is zero";
    } else {
      ASSERT_TRUE(now.live() && now.index == cell(before, i / 64 * 56 + i % 64).index) << i;
    }
  }
}

TEST(Collect, computes_the_kind_whatever_was_declared) {
  auto const made = check_collect(rngd, ScalarType::i8, A, D, A, D.pad(32));
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->packet == Mapping(D.pad_zero(32))) << text(made->packet).view();
  // Padding that was there before keeps its kind.
  EXPECT_TRUE(collected(rngd, ScalarType::i8, A, D.pad(32))->packet == Mapping(D.pad(32)));
}

TEST(Collect, COL_12_a_packet_that_is_no_flit) {
  EXPECT_EQ(code(check_collect(rngd, ScalarType::bf16, A, B, A, B)), "collect-packet-not-one-flit");
  EXPECT_EQ(code(check_collect(rngd, ScalarType::i8, A, D, A, D)), "collect-packet-not-one-flit");
  EXPECT_EQ(code(check_collect(rngd, ScalarType::i4, A, one.pad(3), A, one.pad(3))), "scalar-not-whole-bytes");
}

TEST(Collect, COL_13_another_time) {
  EXPECT_EQ(code(check_collect(rngd, ScalarType::bf16, A, B, m<B / 16, A>{}, B % 16)), "collect-wrong-time") << "order";
  EXPECT_EQ(code(check_collect(rngd, ScalarType::bf16, A, B, A, B % 16)), "collect-wrong-time") << "content";
}

TEST(Collect, COL_14_another_packet) {
  EXPECT_EQ(code(check_collect(rngd, ScalarType::bf16, A, B, m<A, B % 2>{}, B / 2)), "collect-wrong-packet");
  EXPECT_EQ(code(check_collect(rngd, ScalarType::i8, A, C, m<A, C / 28>{}, (C % 28).pad(32))), "collect-wrong-packet");
}

TEST(Collect, a_flit_ends_where_a_factor_ends) {
  expect_collected(ScalarType::bf16, A, m<R, B % 8>{}, m<A, R.pad(4) / 2>{},
                   m<R.pad(4) % 2, B % 8>{});  // two rows of 8 a flit, and an empty one
  EXPECT_EQ(code(collected(rngd, ScalarType::bf16, A, m<R, B.resize(10)>{})), "collect-packet-not-cut") << "flits of 16 in rows of 10";
  EXPECT_EQ(code(collected(rngd, ScalarType::bf16, A, m<R, B.resize(10).pad(16)>{})), "accepted");
}

TEST(Collect, follows_the_device) {
  Device wide = rngd;
  wide.flit.bytes = Bytes{64};
  EXPECT_EQ(code(check_collect(wide, ScalarType::bf16, A, B, A, B)), "accepted");
  EXPECT_EQ(code(check_collect(wide, ScalarType::bf16, A, B, m<A, B / 16>{}, B % 16)), "collect-packet-not-one-flit");
}

TEST(Collect, a_mapping_that_cannot_be_is_said_to_be_so) {
  Mapping const faulty = B / 7;
  for (const Expected<Stream>& s :
       {check_collect(rngd, ScalarType::i8, faulty, B, A, B), check_collect(rngd, ScalarType::i8, A, faulty, A, B),
        check_collect(rngd, ScalarType::i8, A, B, faulty, B), check_collect(rngd, ScalarType::i8, A, B, A, faulty)})
    EXPECT_EQ(code(s), "mapping-stride-not-divisor");
  EXPECT_EQ(code(collected(rngd, ScalarType::bf16, B / 16, B)), "mapping-axis-twice") << "the flits of B would be counted in Time twice";
}

}  // namespace
}  // namespace tcp
