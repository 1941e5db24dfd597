// The rows of the ledger about the Collect Engine: packets become flits of 32 bytes.
#include "tcp/rules/collect.hpp"

#include <gtest/gtest.h>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"

namespace tcp {
namespace {

/// What is left of Time and Packet, in the ledger's notation. The declared stream is compared without kinds of padding.
std::string collected_as(const char* axes, ScalarType type, const char* time, const char* packet, const char* time2, const char* packet2) {
  Written const m{axes};
  return code_of(check_collect(rngd, type, m(time), m(packet), m(time2), m(packet2)));
}

TEST(Book, COL_02_pads_then_cuts) {
  // By the rule's own words: element i of step t of the packet comes in flit i / n of that step, at i % n; the rest of the last flit is padding.
  struct Case {
    const char *axes, *packet;
    ScalarType type;
    std::int64_t flit;
  };
  for (const Case& c : {Case{"A = 3, B = 56", "B", ScalarType::i8, 32}, Case{"A = 3, B = 40", "B", ScalarType::bf16, 16},
                        Case{"A = 3, B = 5", "B", ScalarType::i32, 8}, Case{"A = 3, B = 24", "B", ScalarType::f32, 8}}) {
    Written const m{c.axes};
    auto const made = collected(rngd, c.type, m("A"), m(c.packet));
    ASSERT_TRUE(made) << c.axes;
    std::int64_t const size = m(c.packet).size, flits = (size + c.flit - 1) / c.flit;
    EXPECT_EQ(made->packet.size, c.flit);
    ASSERT_EQ(made->time.size, 3 * flits) << c.axes;
    Levels stream;
    stream.set(Level::time, made->time).set(Level::packet, made->packet);
    for (std::int64_t t = 0; t < 3 * flits; ++t)
      for (std::int64_t p = 0; p < c.flit; ++p) {
        std::int64_t const element = t % flits * c.flit + p;
        Cell const there = cell(stream, {.time = t, .packet = p});
        ASSERT_EQ(there.live(), element < size) << c.axes << ": " << t << ", " << p;
        if (!there.live()) continue;
        EXPECT_EQ(there.index.get("A"), t / flits);
        EXPECT_EQ(there.index.get("B"), element);
      }
  }
}

TEST(Book, COL_03_identity) { EXPECT_EQ(collected_as("A = 8, B = 32", ScalarType::i8, "A", "B", "A", "B # 32"), "accepted"); }
TEST(Book, COL_04_padding) {
  EXPECT_EQ(collected_as("A = 8, B = 16", ScalarType::i8, "A", "B", "A", "B # 32"), "accepted");
  EXPECT_EQ(collected_as("A = 8, B = 16", ScalarType::i8, "A", "B", "A", "B"), "collect-packet-not-one-flit")
      << "the padding is not optional";
}
TEST(Book, COL_05_split) {
  EXPECT_EQ(collected_as("A = 8, B = 32", ScalarType::bf16, "A", "B", "A, B / 16", "B % 16"), "accepted");
  EXPECT_EQ(collected_as("A = 8, B = 32", ScalarType::bf16, "A", "B", "B / 16, A", "B % 16"), "collect-wrong-time");
}
TEST(Book, COL_06_direct_collect) { EXPECT_EQ(collected_as("A = 8, B = 64", ScalarType::i8, "A", "B", "A, B / 32", "B % 32"), "accepted"); }
TEST(Book, COL_07_explicit_padding_stays) {
  Written const m{"A = 8, B = 32"};
  auto const made = collected(rngd, ScalarType::i8, m("A"), m("B # 32"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time, m("A"));
  EXPECT_EQ(made->packet, m("B # 32"));
}
TEST(Book, COL_08_less_than_a_flit) {
  Written const m{"A = 8, B = 16"};
  auto const made = collected(rngd, ScalarType::i8, m("A"), m("B"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time, m("A"));
  EXPECT_TRUE(equivalent(made->packet, m("B # 32")));
  EXPECT_EQ(made->packet, m("B #z 32")) << "what collect adds is zero";
}
TEST(Book, COL_09_several_flits) {
  Written const m{"A = 8, B = 32"};
  auto const made = collected(rngd, ScalarType::bf16, m("A"), m("B"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time, m("A, B / 16"));
  EXPECT_EQ(made->packet, m("B % 16"));
}
TEST(Book, COL_10_both_steps) {
  EXPECT_EQ(collected_as("A = 8, B = 56", ScalarType::i8, "A", "B", "A, B # 64 / 32", "B # 64 % 32"), "accepted");
}

TEST(Book, PIP_07_one_flit_or_nothing) {
  for (std::int64_t elements : {1, 7, 31, 32, 33, 64, 96}) {
    std::string const axes = "A = 4, B = " + std::to_string(elements);
    Written const m{axes.c_str()};
    auto const made = collected(rngd, ScalarType::i8, m("A"), m("B"));
    ASSERT_TRUE(made);
    EXPECT_EQ(packed_size(ScalarType::i8, Elements{made->packet.size}).value(), Bytes{32}) << elements;
    std::string const unchanged = code_of(check_collect(rngd, ScalarType::i8, m("A"), m("B"), m("A"), m("B")));
    EXPECT_EQ(unchanged, elements == 32 ? "accepted" : "collect-packet-not-one-flit") << elements;
  }
}

}  // namespace
}  // namespace tcp
