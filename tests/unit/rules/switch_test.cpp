// From the fetch to the engines: the switch against what every packet holds, and the arithmetic of collect.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/switch.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

struct Text2 {
  const char *slice, *time, *packet = "1";
};

Mapping written(const std::string& text, const char* axes) {
  auto const declared = parse_axes(axes);
  EXPECT_TRUE(declared.ok());
  auto const m = parse(text, *declared);
  EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
  return m.ok() ? *m : Mapping{};
}

Levels stream(const Text2& in, const char* axes) {
  Levels l;
  return l.set(Level::slice, written(in.slice, axes)).set(Level::time, written(in.time, axes)).set(Level::packet, written(in.packet, axes));
}

Expected<Switched> through(const Device& d, const char* axes, const Text2& in, const SwitchConfig& c, const Text2& out) {
  return check_switch(d, stream(in, axes), c, written(out.slice, axes), written(out.time, axes));
}

std::string code(const Expected<Switched>& s) { return s.ok() ? "accepted" : s.refusal().code; }

/// Law of Switched: every live output packet is the input packet at its source, and padding that the input sends as zeros is what comes out. Copies that
/// `1 # n` does not name are undefined, whatever was sent (CHIP-01).
void expect_same_packets(const Levels& in, const Switched& s, const std::string& what, bool names_first_copy = false) {
  Levels out = in;
  out[Level::slice] = s.slice;
  out[Level::time] = s.time;
  std::vector<bool> used(static_cast<std::size_t>(in[Level::slice].size * in[Level::time].size));
  for (std::int64_t slice = 0; slice < s.slice.size; ++slice) {
    for (std::int64_t time = 0; time < s.time.size; ++time) {
      Cell const got = cell(out, {.slice = slice, .time = time});
      SwitchSource const from = s.source(slice, time);
      if (from.slice < 0) {
        ASSERT_FALSE(got.live()) << what << " slice " << slice << " time " << time;
        ASSERT_NE(got.pad, Pad::zero) << what;
        continue;
      }
      ASSERT_LT(from.slice, in[Level::slice].size) << what << " slice " << slice << " time " << time;
      ASSERT_TRUE(s.snoops(slice, from.slice)) << what;
      ASSERT_EQ(slice / s.ring_size, from.slice / s.ring_size) << what << ": a packet from outside the ring";
      Cell const sent = cell(in, {.slice = from.slice, .time = from.time});
      used[static_cast<std::size_t>(from.slice * in[Level::time].size + from.time)] = true;
      if (!got.live() && names_first_copy) {
        ASSERT_EQ(got.pad, Pad::top) << what;
        continue;
      }
      ASSERT_EQ(got.live(), sent.live()) << what << " slice " << slice << " time " << time << " from " << from.slice << ", " << from.time;
      if (got.live()) {
        for (int a = 0; a < sent.index.n; ++a) ASSERT_EQ(got.index.get(sent.index.axis[a]), sent.index.at[a]) << what;
      } else {
        ASSERT_GE(got.pad, sent.pad) << what;
      }
    }
  }
  bool lost = false;
  for (std::int64_t slice = 0; slice < in[Level::slice].size; ++slice) {
    for (std::int64_t time = 0; time < in[Level::time].size; ++time) {
      Cell const c = cell(in, {.slice = slice, .time = time});
      Place found;
      if (!c.live() || used[static_cast<std::size_t>(slice * in[Level::time].size + time)]) continue;
      bool const held = find_place(out, c.index, found) && cell(out, found).live();  // a copy may have been taken from elsewhere
      Index const there = cell(out, found).index;
      bool same = held;
      for (int a = 0; a < c.index.n; ++a) same &= there.get(c.index.axis[a]) == c.index.at[a];
      lost |= !same;
    }
  }
  ASSERT_EQ(lost, s.drops_live) << what;
}

constexpr const char* small = "A = 4, B = 4, C = 3, T = 6, X = 2, Y = 4, Z = 16, U = 8, V = 2";

void expect_accepted(const Text2& in, const SwitchConfig& c, const Text2& out, std::int64_t ring, bool names_first_copy = false) {
  auto const s = through(logical, small, in, c, out);
  std::string const what = std::string(in.slice) + " | " + in.time + " -> " + out.slice + " | " + out.time;
  ASSERT_TRUE(s.ok()) << what << ": " << s.refusal().sentence().s;
  EXPECT_EQ(s->ring_size, ring) << what;
  expect_same_packets(stream(in, small), *s, what, names_first_copy);
}

TEST(Switch, CHIP_01_the_first_copy_alone_has_a_name) {
  using C = SwitchConfig;
  expect_accepted({"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"1 # 4, B", "T, A"}, 16, true);
  expect_accepted({"A, B", "T"}, C::Broadcast1{.slice1 = 2, .slice0 = 4}, {"A / 2, 1 # 2, B", "T, A % 2"}, 8, true);
  expect_accepted({"A, B", "T"}, C::Broadcast01{.slice1 = 4, .slice0 = 4, .time0 = 1}, {"1 # 16", "T, A, B"}, 16, true);
  expect_accepted({"A, B", "T"}, C::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 3}, {"A, 1 # 4", "T / 3, B / 2, T % 3, B % 2"}, 4, true);
  expect_accepted({"A, B", "T"}, C::CustomBroadcast{}, {"1 # 16", "T, A, B"}, 16, true);
  expect_accepted({"A, B", "T"}, C::CustomBroadcast{}, {"A, 1 # 4", "T, B"}, 4, true);
  // Dead slices of the source send as well: padding, which arrives as padding of Time.
  expect_accepted({"C # 16", "T"}, C::Broadcast1{.slice1 = 16, .slice0 = 1}, {"1 # 16", "T, C # 16"}, 16, true);
  expect_accepted({"C # 16", "T"}, C::Broadcast01{.slice1 = 4, .slice0 = 4, .time0 = 1}, {"1 # 16", "T, C # 16"}, 16, true);
  // A name for padding, and a topology that has it not.
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"C # 4, B", "T, A"})),
            "switch-copies-not-whole");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"2 # 4, B", "T, A"})),
            "switch-copies-padded");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, C::TransposedBroadcast1{.slice1 = 4, .slice0 = 4}, {"1 # 4, A", "T, B"})),
            "switch-copies-padded");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, C::Broadcast1{.slice1 = 2, .slice0 = 4}, {"A / 2, T / 3, B", "T, A % 2"})),
            "switch-axis-known");
}

TEST(Switch, CHIP_02_copies_are_counted_by_parts_of_a_new_axis) {
  using C = SwitchConfig;
  expect_accepted({"A, B", "T"}, C::Broadcast01{.slice1 = 4, .slice0 = 4, .time0 = 1}, {"U / 4, X, U % 4", "T, A, B"},
                  16);                                                                                // all of U, in two digits
  expect_accepted({"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"U / 2, B", "T, A"}, 16);  // a part of it
  expect_accepted({"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"U % 4, B", "T, A"}, 16);
  expect_accepted({"A, B", "T"}, C::CustomBroadcast{}, {"U / 4, A / 2, U % 4", "T, A % 2, B"}, 16);
  expect_accepted({"A, B", "T"}, C::CustomBroadcast{}, {"U = 4, B", "T, A"}, 16);
  expect_accepted({"A, B", "T"}, C::CustomBroadcast{}, {"Y % 2, Y / 2, B", "T, A"}, 16);
  // An axis that ends inside its last block, of which another digit counts the rest: that would be padding.
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, C::CustomBroadcast{}, {"C # 4 / 2, B, C # 4 % 2", "T, A"})),
            "switch-copies-not-whole");
}

TEST(Switch, CHIP_23_flits_that_wait_in_an_InterTranspose) {
  auto const sent = [](std::int64_t slice1, std::int64_t time0, ScalarType type, std::int64_t elements) {
    auto const v = check_consecutive_flits(rngd, type, copies(elements), SwitchConfig::InterTranspose{slice1, 1, time0});
    return std::string(v ? "accepted" : v.refusal().code);
  };
  EXPECT_EQ(sent(2, 18, ScalarType::i8, 32), "accepted");
  EXPECT_EQ(sent(2, 19, ScalarType::i8, 32), "switch-too-many-flits");
  EXPECT_EQ(sent(2, 9, ScalarType::i8, 64), "accepted") << "two flits a packet";
  EXPECT_EQ(sent(2, 10, ScalarType::i8, 64), "switch-too-many-flits");
  EXPECT_EQ(sent(2, 9, ScalarType::i8, 40), "accepted") << "a part of a flit is one";
  EXPECT_EQ(sent(2, 10, ScalarType::i8, 40), "switch-too-many-flits");
  EXPECT_EQ(sent(128, 2, ScalarType::f32, 72), "accepted");
  EXPECT_EQ(sent(128, 2, ScalarType::f32, 73), "switch-too-many-flits");
  EXPECT_EQ(sent(256, 1, ScalarType::f32, 1024), "accepted") << "a single packet does not wait for itself";
  EXPECT_EQ(sent(1, 64, ScalarType::i8, 32), "accepted") << "nothing is exchanged";
  EXPECT_TRUE(check_consecutive_flits(rngd, ScalarType::i8, copies(64), SwitchConfig::Broadcast01{2, 1, 64})) << "no slice waits";
}

TEST(Switch, CHIP_13_a_ring_has_the_slices_that_exchange_something) {
  using Custom = SwitchConfig::CustomBroadcast;
  expect_accepted({"Y # 16", "T"}, Custom{.ring_size = 4}, {"Y % 2 # 8, Y / 2", "T"}, 4);  // of 16 slices, 0 to 3
  expect_accepted({"Y # 16", "T"}, Custom{.ring_size = 16}, {"Y % 2 # 8, Y / 2", "T"}, 16);
  expect_accepted({"U # 16", "T"}, Custom{.ring_size = 8}, {"1 # 16", "T, U"}, 8, true);
  expect_accepted({"U # 16", "T"}, Custom{}, {"1 # 16", "T, U"}, 8, true);
  EXPECT_EQ(code(through(logical, small, {"U # 16", "T"}, Custom{.ring_size = 4}, {"1 # 16", "T, U"})), "switch-ring-size");
}

TEST(Switch, regular_topologies_route_what_they_declare) {
  expect_accepted({"A, B", "T"}, SwitchConfig::Forwarding{}, {"A, B", "T"}, 1);
  expect_accepted({"A, B", "T"}, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 3}, {"A, Y", "T / 3, B / 2, T % 3, B % 2"},
                  4);
  expect_accepted({"A, B", "T"}, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 3}, {"A, X, V", "T / 3, B / 2, T % 3, B % 2"},
                  4);
  expect_accepted({"A, B", "T"}, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 1}, {"A, 4", "T, B"}, 4);
  expect_accepted({"A, B", "T"}, SwitchConfig::Broadcast1{.slice1 = 2, .slice0 = 4}, {"A / 2, X, B", "T, A % 2"}, 8);
  expect_accepted({"A, B", "T"}, SwitchConfig::Transpose{.slice1 = 2, .slice0 = 4}, {"A / 2, B, A % 2", "T"}, 8);
  expect_accepted({"A, B", "T"}, SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 2, .time0 = 3}, {"A, T / 3, B % 2", "T % 3, B / 2"},
                  4);
  expect_accepted({"A, B", "Y, T"}, SwitchConfig::InterTranspose{.slice1 = 4, .slice0 = 4, .time0 = 6}, {"Y, B", "T, A"}, 16);
  expect_accepted({"A, B", "T"}, SwitchConfig::TransposedBroadcast1{.slice1 = 2, .slice0 = 4}, {"A / 2, 4, A % 2", "T, B"}, 8);
}

TEST(Switch, padded_slices_stay_padded) {
  expect_accepted({"C # 4, B", "T"}, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 4}, {"Y, B", "T, C # 4"}, 16);
  expect_accepted({"C #z 4, B", "T"}, SwitchConfig::Transpose{.slice1 = 4, .slice0 = 4}, {"B, C # 4", "T"}, 16);
  expect_accepted({"T # 16", "C"}, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 1}, {"T # 8 / 4 # 4, 4", "C, T # 8 % 4"},
                  4);
  expect_accepted({"1 # 16", "T"}, SwitchConfig::Broadcast01{.slice1 = 16, .slice0 = 1, .time0 = 1}, {"Z", "T, 1 # 16"}, 16);
  auto const zero = through(logical, small, {"C #z 4, B", "T"}, SwitchConfig::Transpose{.slice1 = 4, .slice0 = 4}, {"B, C # 4", "T"});
  EXPECT_EQ(zero->slice, written("B, C #z 4", small)) << "kinds are computed";
}

TEST(Switch, custom_permutes_and_copies) {
  using Custom = SwitchConfig::CustomBroadcast;
  expect_accepted({"A, B", "T"}, Custom{}, {"A, B", "T"}, 1);
  expect_accepted({"A, B", "T"}, Custom{}, {"B, A", "T"}, 16);
  expect_accepted({"A, B", "T"}, Custom{}, {"A, B % 2, B / 2", "T"}, 4);
  expect_accepted({"A, B", "T"}, Custom{}, {"B % 2, B / 2, A % 2, A / 2", "T"}, 16);
  expect_accepted({"A, B", "T"}, Custom{}, {"A / 2, X, B / 2, V", "T, A % 2, B % 2"}, 8);
  expect_accepted({"A, B", "T"}, Custom{}, {"A / 2, 2, B / 2, 2", "T, A % 2, B % 2"}, 8);
  expect_accepted({"A, B", "T"}, Custom{}, {"A, Y", "T, B"}, 4);
  expect_accepted({"A, B", "T"}, Custom{}, {"Z", "T, A, B"}, 16);
  expect_accepted({"A, 4", "T"}, Custom{}, {"A, 4", "T"}, 1);
  expect_accepted({"A, 4", "T"}, Custom{}, {"A % 2, A / 2, 4", "T"}, 16);
  expect_accepted({"A, 2, X", "T"}, Custom{}, {"A, X, 2", "T"}, 4);
  // With `B % 2, B / 2` in Slice, the axis leaves for Time in that order too.
  expect_accepted({"A, B % 2, B / 2", "T"}, Custom{}, {"A, 4", "T, B % 2, B / 2"}, 4);
  EXPECT_EQ(code(through(logical, small, {"A, B % 2, B / 2", "T"}, Custom{}, {"A, 4", "T, B"})), "switch-moved-out-of-order");
}

TEST(Switch, custom_with_padding) {
  using Custom = SwitchConfig::CustomBroadcast;
  expect_accepted({"C # 4, B", "T"}, Custom{}, {"B, C # 4", "T"}, 16);
  expect_accepted({"C #z 4, B", "T"}, Custom{}, {"B, C # 4", "T"}, 16);
  expect_accepted({"A, C # 4", "T"}, Custom{}, {"A, Y", "T, C"}, 4);
  expect_accepted({"A, C # 4", "T"}, Custom{}, {"A, Y", "T, C # 4"}, 4);
  expect_accepted({"A, 1 # 4", "T"}, Custom{}, {"A # 16", "T"}, 16);
  expect_accepted({"A # 16", "T"}, Custom{}, {"A, 1 # 4", "T"}, 16);
  expect_accepted({"A # 16", "T"}, Custom{}, {"A, Y", "T"}, 16);
  expect_accepted({"1 # 16", "T"}, Custom{}, {"Z", "T"}, 16);
  expect_accepted({"T # 16", "C"}, Custom{}, {"T # 8 / 4 # 4, 4", "C, T # 8 % 4"}, 4);
  expect_accepted({"T # 8 % 4, T # 8 / 4, 1 # 2", "C"}, Custom{}, {"T # 16", "C"}, 16);
  auto const zero = through(logical, small, {"C #z 4, B", "T"}, Custom{}, {"B, C # 4", "T"});
  EXPECT_EQ(zero->slice, written("B, C #z 4", small));
  auto const top = through(logical, small, {"A #z 8, X", "T"}, Custom{}, {"X, A # 8", "T"});
  EXPECT_EQ(top->slice, written("X, A #z 8", small));
  auto const grown = through(logical, small, {"C #z 4, 1 # 4", "T"}, Custom{}, {"C # 16", "T"});
  EXPECT_EQ(grown->slice, written("C # 16", small)) << "what no slice sends is not zero";
  EXPECT_EQ(code(through(logical, small, {"A, C # 4", "T"}, Custom{}, {"A, Y", "T, C # 8"})), "switch-time-not-from-slice");
}

TEST(Switch, custom_partial_extraction_must_be_said) {
  using Custom = SwitchConfig::CustomBroadcast;
  expect_accepted({"A, B", "T"}, Custom{}, {"A, Y", "T, B = 3"}, 4);
  EXPECT_TRUE(through(logical, small, {"A, B", "T"}, Custom{}, {"A, Y", "T, B = 3"})->drops_live);
  EXPECT_FALSE(through(logical, small, {"A, C # 4", "T"}, Custom{.extraction = Extraction::Whole}, {"A, Y", "T, C"})->drops_live);
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{.extraction = Extraction::Whole}, {"A, Y", "T, B = 3"})),
            "switch-drops-data");
  // `B = 2` is the mapping B % 2: that it leaves B / 2 behind does not show.
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{}, {"A, Y", "T, B = 2"})), "switch-drops-data");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{}, {"A, Y", "T"})), "switch-drops-data");
  expect_accepted({"A, B", "T"}, Custom{.extraction = Extraction::Partial}, {"A, Y", "T, B = 2"}, 4);
  expect_accepted({"A, B", "T"}, Custom{.extraction = Extraction::Partial}, {"A, Y", "T"}, 4);
  expect_accepted({"A, B", "T"}, Custom{.extraction = Extraction::Partial}, {"A, B / 2, 2", "T"}, 2);
}

TEST(Switch, ring_size_is_that_of_the_mappings) {
  using Custom = SwitchConfig::CustomBroadcast;
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{.ring_size = 16}, {"B, A", "T"})), "accepted");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{.ring_size = 8}, {"B, A", "T"})), "switch-ring-size");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{.ring_size = 16}, {"A, B % 2, B / 2", "T"})), "switch-ring-size");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{.ring_size = 12}, {"B, A", "T"})), "switch-ring-not-power-of-two");
  EXPECT_EQ(code(through(logical, small, {"A, B", "T"}, Custom{.ring_size = 2}, {"A, B", "T"})), "switch-ring-size");
}

TEST(Switch, only_custom_occupies_dma_and_sub) {
  EXPECT_FALSE(
      through(logical, small, {"A, B", "T"}, SwitchConfig::Transpose{.slice1 = 4, .slice0 = 4}, {"B, A", "T"})->occupies_dma_and_sub);
  EXPECT_TRUE(through(logical, small, {"A, B", "T"}, SwitchConfig::CustomBroadcast{}, {"B, A", "T"})->occupies_dma_and_sub);
}

TEST(Switch, refuses) {
  using C = SwitchConfig;
  struct {
    const char* code;
    Text2 in;
    SwitchConfig config;
    Text2 out;
  } const cases[] = {
      {"switch-slice-resized", {"A, B", "T"}, C::Forwarding{}, {"A", "T"}},
      {"switch-number-below-one", {"A, B", "T"}, C::Transpose{.slice1 = 0, .slice0 = 4}, {"A, B", "T"}},
      {"switch-slice-not-divisible", {"A, B", "T"}, C::Transpose{.slice1 = 3, .slice0 = 4}, {"A, B", "T"}},
      {"switch-slice-not-divisible", {"A, B", "T"}, C::Transpose{.slice1 = INT64_MAX, .slice0 = 4}, {"A, B", "T"}},
      {"switch-time-not-divisible", {"A, B", "T"}, C::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 4}, {"A, 4", "T, B"}},
      {"switch-time-not-divisible", {"A, B", "T"}, C::InterTranspose{.slice1 = 4, .slice0 = 2, .time0 = 1}, {"A, B", "T"}},
      {"switch-ring-not-power-of-two", {"T, A", "C"}, C::Transpose{.slice1 = 6, .slice0 = 4}, {"A, T", "C"}},
      {"switch-factor-not-cut", {"A, C", "T"}, C::Transpose{.slice1 = 1, .slice0 = 2}, {"A, C", "T"}},
      {"switch-wrong-slice", {"A, B", "T"}, C::Transpose{.slice1 = 4, .slice0 = 4}, {"A, B", "T"}},
      {"switch-wrong-slice", {"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"B, Y", "T, A"}},
      {"switch-wrong-time", {"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"Y, B", "A, T"}},
      {"switch-axis-known", {"A, B", "T", "Y"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"Y, B", "T, A"}},
      {"switch-copies-not-whole", {"A, B", "T"}, C::Broadcast1{.slice1 = 4, .slice0 = 4}, {"C # 4, B", "T, A"}},
      {"switch-axis-known", {"A, B", "T", "Y % 2"}, C::CustomBroadcast{}, {"A / 2, Y / 2, B", "T, A % 2"}},
      {"levels-axis-twice", {"A, B", "T"}, C::CustomBroadcast{}, {"A, B", "T, B"}},
      {"switch-factor-not-plain", {"[A, C] # 16", "T"}, C::CustomBroadcast{}, {"[C, A] # 16", "T"}},
      {"switch-moved-not-innermost", {"A, B", "T"}, C::CustomBroadcast{}, {"A, 4", "B, T"}},
      {"switch-moved-not-innermost", {"A, B", "T"}, C::CustomBroadcast{}, {"A, B", "T = 4"}},
      {"switch-time-not-from-slice", {"A, B", "T"}, C::CustomBroadcast{}, {"A, B", "T, 2"}},
      {"switch-time-not-from-slice", {"A, B", "T"}, C::CustomBroadcast{}, {"A, B", "T, X"}},
      {"switch-not-from-slice", {"A, B % 2, 1 # 2", "T"}, C::CustomBroadcast{}, {"A, B / 2, 1 # 2", "T"}},
      {"switch-incompatible-blocks", {"T / 2 # 4, 2, T % 2", "C"}, C::CustomBroadcast{}, {"T % 3 # 4, T / 3, 2", "C"}},
      {"switch-moved-out-of-order", {"A, B", "T"}, C::CustomBroadcast{}, {"16", "T, B, A"}},
  };
  for (auto const& c : cases) {
    auto const got = through(logical, small, c.in, c.config, c.out);
    EXPECT_EQ(code(got), c.code) << c.in.slice << " | " << c.in.time << " -> " << c.out.slice << " | " << c.out.time
                                 << (got.ok() ? "" : got.refusal().sentence().s);
  }
}

/// Factors of Slice in a random order, some of them sent to Time: accepted exactly if these keep their order.
TEST(Switch, random_custom_switches) {
  constexpr const char* axes = "A = 4, B = 8, C = 3, D = 2, T = 5";
  Random random(20);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 600; ++round) {
    std::vector<std::string> atoms = {"A / 2", "A % 2", "B / 4", "B / 2 % 2", "B % 2", "D"};
    bool const padded = random.below(2) == 0;
    if (padded) atoms.push_back("C # 4");
    for (std::size_t i = atoms.size(); i > 1; --i) std::swap(atoms[i - 1], atoms[random.below(i)]);
    atoms.resize(3 + random.below(atoms.size() - 2));
    std::vector<std::size_t> kept, moved;
    for (std::size_t i = 0; i < atoms.size(); ++i) (random.below(3) == 0 ? moved : kept).push_back(i);
    bool shuffled = false;
    if (moved.size() > 1 && random.below(4) == 0) {
      std::swap(moved.front(), moved.back());
      shuffled = true;
    }
    std::string in, out, time = "T";
    for (auto const& a : atoms) in += (in.empty() ? "" : ", ") + a;
    std::vector<std::string> places;
    for (std::size_t k : kept) places.push_back(atoms[k]);
    for (std::size_t k : moved) {
      places.push_back(atoms[k] == "C # 4" ? "4" : "2");
      time += ", " + atoms[k];
    }
    for (std::size_t i = places.size(); i > 1 && round % 3 != 0; --i) std::swap(places[i - 1], places[random.below(i)]);
    for (auto const& a : places) out += (out.empty() ? "" : ", ") + a;
    std::string const what = in + " -> " + out + " | " + time;
    Levels levels;
    levels.set(Level::slice, written(in, axes)).set(Level::time, written("T", axes));
    auto const s = check_switch(logical, levels, SwitchConfig::CustomBroadcast{}, written(out, axes), written(time, axes));
    if (shuffled) {
      ++refused;
      ASSERT_EQ(code(s), "switch-moved-out-of-order") << what;
      continue;
    }
    ++accepted;
    ASSERT_TRUE(s.ok()) << what << ": " << s.refusal().sentence().s;
    expect_same_packets(levels, *s, what);
    if (HasFatalFailure()) return;
    if (padded || s->ring_size == 1) continue;
    bool smaller_ring_does = true;
    for (std::int64_t slice = 0; slice < s->slice.size; ++slice)
      for (std::int64_t t = 0; t < s->time.size; ++t)
        smaller_ring_does &= slice / (s->ring_size / 2) == s->source(slice, t).slice / (s->ring_size / 2);
    ASSERT_FALSE(smaller_ring_does) << what;
  }
  EXPECT_GT(accepted, 400);
  EXPECT_GT(refused, 20);
}

namespace collect {

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

}  // namespace collect

}  // namespace
}  // namespace tcp
