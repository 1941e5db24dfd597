// Plans of valid counts against the elements themselves: at random placements of a padded axis, lane by lane; and the limits of the generator.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/valid_count.hpp"
#include "tcp/support/random.hpp"
#include "valid_counts.hpp"

namespace tcp {
namespace {

constexpr Name R{"R"};

Expected<ValidCountPlan> plan(const char* axes, const char* slice, const char* time, const char* packet, bool padding = false) {
  return plan_valid_count(rngd, Written{axes}.stream(slice, time, packet), ValidCountAsk{R, padding});
}

TEST(ValidCount, works_in_constant_expressions) {
  static constexpr Expr slice{"X, R # 24 / 3", "R = 17, X = 32"}, time{"R # 24 % 3", "R = 17"}, packet{"1 # 8", ""};
  constexpr auto p = [] {
    Levels l;
    l.set(Level::slice, slice).set(Level::time, time).set(Level::packet, packet);
    return plan_valid_count(rngd, l, ValidCountAsk{R});
  }();
  static_assert(p.ok());
  static_assert(p->config.gate[0].match == 5 && p->config.gate[0].valid == 2);
}

/// A random placement of R # p: its factors, coarsest last, over Slice, Time and Packet, with other factors and padding between.
struct Placement {
  struct Factor {
    std::int64_t stride = 0, size = 1, slot = 1;  // stride 0: another axis
  };

  std::int64_t extent = 1, padded = 1;
  std::vector<Factor> level[3];  // Slice, Time, Packet; outermost first
  std::string axes, text[3];

  explicit Placement(std::uint64_t seed) {
    Random random(seed);
    int const factors = static_cast<int>(random.between(1, 4));
    std::vector<Factor> all;
    for (int i = 0; i < factors; ++i) {
      std::int64_t const sizes[] = {2, 2, 4, 4, 3, 5};
      std::int64_t const size = sizes[random.below(6)];
      all.push_back({padded, size, size});
      padded *= size;
    }
    extent = random.below(3) == 0 ? padded - random.between(0, std::min<std::int64_t>(3, padded - 1)) : random.between(1, padded);
    for (Factor f : all) {
      std::uint64_t const where = random.below(10);
      auto& l = level[where < 4 ? 0 : where < 8 ? 1 : 2];
      if (random.below(8) == 0) f.slot += random.between(1, 4);
      if (random.below(10) == 0) f.slot = 2 * f.size;
      while (&l == &level[0] && (f.slot & (f.slot - 1)) != 0 && random.below(20) != 0) ++f.slot;
      l.insert(l.begin() + random.between(0, static_cast<std::int64_t>(l.size())), f);
    }
    for (auto* l : {&level[0], &level[1]})
      if (random.below(2) == 0) l->insert(l->begin() + random.between(0, static_cast<std::int64_t>(l->size())), Factor{0, 2, 2});
    std::int64_t lanes = 1;
    for (const Factor& f : level[2]) lanes *= f.slot;
    if (lanes == 4 && random.below(3) == 0)
      level[2].insert(level[2].begin() + random.between(0, static_cast<std::int64_t>(level[2].size())), Factor{0, 2, 2});
    write();
  }

  void write() {
    axes = "R = " + std::to_string(extent);
    char other = 'A';
    for (int l = 0; l < 3; ++l) {
      for (const Factor& f : level[l]) {
        if (!text[l].empty()) text[l] += ", ";
        if (f.stride == 0) {
          axes += std::string(", ") + other + " = 2";
          text[l] += other++;
          continue;
        }
        text[l] += "R # " + std::to_string(padded) + " / " + std::to_string(f.stride) + " % " + std::to_string(f.size);
        if (f.slot > f.size) text[l] += " # " + std::to_string(f.slot);
      }
      if (text[l].empty()) text[l] = "1";
    }
    std::int64_t lanes = 1;
    for (const Factor& f : level[2]) lanes *= f.slot;
    if (lanes < 8) text[2] = "[" + text[2] + "] # 8";
  }

  /// A factor of which only the first step can be live is none in a mapping.
  bool visible(const Factor& f) const { return f.stride > 0 && f.stride < extent; }
  bool any(int l, bool (Placement::*is)(const Factor&) const) const {
    for (const Factor& f : level[l])
      if ((this->*is)(f)) return true;
    return false;
  }
  bool vanished(const Factor& f) const { return f.stride >= extent; }
  bool other(const Factor& f) const { return f.stride == 0; }

  /// The coordinate of R at a position of a level; -1 where the level has padding inside the axis, or steps of a vanished factor if `idle`.
  std::int64_t at(int l, std::int64_t position, bool idle) const {
    std::int64_t sum = 0;
    for (std::size_t i = level[l].size(); i-- > 0;) {
      const Factor& f = level[l][i];
      std::int64_t const step = position % f.slot;
      position /= f.slot;
      if (step >= f.size || (idle && vanished(f) && step > 0)) return -1;
      sum += step * f.stride;
    }
    return position > 0 ? -1 : sum;
  }
};

TEST(ValidCount, counts_what_exists) {
  int planned[3] = {}, refused = 0;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    Placement const p(seed);
    // Mere padding beside another factor becomes that factor's padding, and is no longer told apart.
    if (p.any(1, &Placement::vanished) && p.any(1, &Placement::other)) continue;
    Levels flit;
    bool sound = true;
    Level const levels[] = {Level::slice, Level::time, Level::packet};
    for (int l = 0; l < 3; ++l) {
      auto const m = Expr(p.text[l], p.axes).mapping();
      sound &= m.ok() && m->tails == 0;
      if (sound) flit[levels[l]] = *m;
    }
    if (!sound || flit[Level::packet].size != 8) continue;
    bool const other_in_packet = p.any(2, &Placement::other);
    auto const made = plan_valid_count(rngd, flit, ValidCountAsk{R, true});
    if (!made) {
      ++refused;
      continue;
    }
    ++planned[static_cast<int>(made->mode)];
    bool const in_packet = p.any(2, &Placement::visible);
    ValidCountConfig const& c = made->config;
    std::string const where = "seed " + std::to_string(seed) + ": " + p.axes + "; " + p.text[0] + " | " + p.text[1] + " | " + p.text[2];
    if (made->mode != ValidCountMode::none) {
      ASSERT_EQ(flits(c), flit[Level::time].size) << where;
    }
    for (std::int64_t s = 0; s < flit[Level::slice].size; ++s) {
      std::int64_t const in_slice = p.at(0, s, true);
      if (in_slice < 0) continue;  // idle
      for (std::int64_t t = 0; t < flit[Level::time].size; ++t) {
        std::int64_t const in_time = p.at(1, t, false);
        for (std::int64_t lane = 0; lane < 8; ++lane) {
          std::int64_t const in_lane = in_packet ? p.at(2, lane, false) : 0;
          if (other_in_packet && p.at(2, lane, true) < 0) continue;  // padding of the other axis
          bool const exists = in_time >= 0 && in_lane >= 0 && in_slice + in_time + in_lane < p.extent;
          std::int64_t const count = made->mode == ValidCountMode::none ? 8 : valid_count(c, static_cast<std::uint64_t>(s), t);
          // Lanes of mere padding belong to no element either way.
          bool const padding_lane = !in_packet && cell(flit[Level::packet], lane).kind == CellKind::padding;
          if (padding_lane) continue;
          ASSERT_EQ(lane < count, exists) << where << ", slice " << s << ", step " << t << ", lane " << lane;
        }
      }
    }
  }
  // The test has seen every outcome often.
  EXPECT_GT(planned[static_cast<int>(ValidCountMode::none)], 20);
  EXPECT_GT(planned[static_cast<int>(ValidCountMode::time_reduce)], 300);
  EXPECT_GT(planned[static_cast<int>(ValidCountMode::packet_reduce)], 300);
  EXPECT_GT(refused, 300);
}

TEST(ValidCount, one_gate_is_found_wherever_there_is_one) {
  // All gates over 3 bits of the slice's number and the steps of Time, tried one by one, against the plan: Slice holds the bits of R in any order, Time
  // the rest. Without padding in Time (of which a plan may cut off more than a gate can tell), both must agree.
  const char* const orders[][2] = {{"R # 24 / 3", "R # 24 % 3"},
                                   {"R # 24 % 8", "R # 24 / 8"},
                                   {"R # 24 / 3 % 2, R # 24 / 6", "R # 24 % 3"},
                                   {"R # 24 / 12, R # 24 % 4", "R # 24 / 4 % 3"},
                                   {"R # 24 % 2, R # 24 / 6", "R # 24 / 2 % 3"},
                                   {"R # 24 / 6 % 2, R # 24 / 12, R # 24 % 2", "R # 24 / 2 % 3"},
                                   {"R # 24 % 4, R # 24 / 12", "R # 24 / 4 % 3"},
                                   {"R # 24 / 2 % 2, R # 24 / 12, R # 24 % 2", "R # 24 / 4 % 3"}};
  for (auto const& order : orders) {
    for (int n = 13; n <= 23; ++n) {  // every factor of R # 24 is live, and the end of R is none of Time's
      std::string const axes = "R = " + std::to_string(n);
      Written const m{axes.c_str()};
      Levels const flit = m.stream(order[0], order[1], "1 # 8");
      if (flit[Level::time].digit[0].slot > flit[Level::time].digit[0].size) continue;
      ASSERT_EQ(flit[Level::slice].size, 8);
      ASSERT_EQ(flit[Level::time].size, 3);
      bool need[8][3];
      for (int s = 0; s < 8; ++s)
        for (int t = 0; t < 3; ++t) need[s][t] = cell(flit, {.slice = s, .time = t}).live();
      bool possible = false;
      for (std::uint64_t mask = 0; mask < 8; ++mask)
        for (std::uint64_t match = 0; match <= 8; ++match)
          for (int form = 0; form < 8; ++form) {
            ValidGate const g{.mask = mask, .match = match, .valid = form / 2, .transposed = form % 2 == 1};
            bool same = true;
            for (int s = 0; s < 8; ++s)
              for (int t = 0; t < 3; ++t) {
                std::uint64_t const seen = static_cast<std::uint64_t>(s) & g.mask;
                bool const open = seen < g.match || ((seen == g.match || g.transposed) && t < g.valid);
                same &= open == need[s][t];
              }
            possible |= same;
          }
      EXPECT_EQ(plan_valid_count(rngd, flit, ValidCountAsk{R}).ok(), possible) << n << ": " << order[0] << " | " << order[1];
    }
  }
}

TEST(ValidCount, padding_inside_the_axis) {
  // R % 4 # 8 in Time: four steps of eight, each time.
  auto const p = plan("R = 16", "1", "R / 4, R % 4 # 8", "1 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  for (std::int64_t t = 0; t < 32; ++t) EXPECT_EQ(valid_count(p->config, 0, t), t % 8 < 4 ? 8 : 0);
  auto const both = plan("R = 15", "1", "R # 16 / 4, R # 16 % 4 # 8", "1 # 8");
  ASSERT_TRUE(both);
  for (std::int64_t t = 0; t < 32; ++t) EXPECT_EQ(valid_count(both->config, 0, t), t % 8 < 4 && t / 8 * 4 + t % 8 < 15 ? 8 : 0);
  EXPECT_TRUE(plan("R = 16", "1", "R / 4, R % 4 # 6", "1 # 8")) << "a gate of its own";
  EXPECT_EQ(code_of(plan("R = 15", "1", "R # 16 / 4, R # 16 % 4 # 6", "1 # 8")), "valid-count-padding-inside");
  EXPECT_EQ(code_of(plan("R = 31", "1", "R # 32 / 8, R # 32 / 4 % 2 # 3", "R # 32 % 4 # 8")), "valid-count-padding-inside");
}

TEST(ValidCount, mere_padding_is_counted_on_request) {
  Written const m{"A = 2"};
  Levels const flit = m.stream("1", "A, 1 # 3", "1 # 8");
  EXPECT_EQ(plan_valid_count(rngd, flit, ValidCountAsk{R})->mode, ValidCountMode::none);
  auto const p = plan_valid_count(rngd, flit, ValidCountAsk{R, true});
  for (std::int64_t t = 0; t < 6; ++t) EXPECT_EQ(valid_count(p->config, 0, t), t % 3 == 0 ? 1 : 0);
}

TEST(ValidCount, starts) {
  // A tile of R from 4 on: what is left of the axis counts.
  auto const p = plan("R = 13", "1", "R @ 4 # 16", "1 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  for (std::int64_t t = 0; t < 16; ++t) EXPECT_EQ(valid_count(p->config, 0, t), t < 9 ? 8 : 0);
  EXPECT_EQ(code_of(plan("R = 13", "1", "R #< 2 # 16", "1 # 8")), "valid-count-front-padding");
}

TEST(ValidCount, groups_and_windows) {
  EXPECT_EQ(code_of(plan("R = 5, A = 3", "1", "[A, R] # 16", "1 # 8")), "valid-count-axis-in-group");
  EXPECT_EQ(code_of(plan("R = 5, F = 3", "1", "$(R, F)", "1 # 8")), "valid-count-axis-in-group");
  auto const beside = plan("R = 5, A = 3, B = 2", "1", "R # 8, [A, B] # 7", "1 # 8");
  ASSERT_TRUE(beside);
  EXPECT_EQ(flits(beside->config), 56);
  EXPECT_EQ(valid_count(beside->config, 0, 34), 8);
  EXPECT_EQ(valid_count(beside->config, 0, 35), 0);
}

TEST(ValidCount, chips_and_clusters_count_alike) {
  Written const m{"R = 13"};
  Levels flit = m.stream("1", "R # 16 % 8", "1 # 8");
  flit.set(Level::cluster, m("R # 16 / 8"));
  EXPECT_EQ(code_of(plan_valid_count(rngd, flit, ValidCountAsk{R})), "valid-count-across-clusters");
  Written const even{"R = 16"};
  flit = even.stream("1", "R % 8", "1 # 8");
  flit.set(Level::cluster, even("R / 8"));
  EXPECT_EQ(plan_valid_count(rngd, flit, ValidCountAsk{R})->mode, ValidCountMode::none);
  Levels in_packet = m.stream("1", "1", "R # 16 % 8");
  in_packet.set(Level::cluster, m("R # 16 / 8"));
  EXPECT_EQ(code_of(plan_valid_count(rngd, in_packet, ValidCountAsk{R})), "valid-count-across-clusters");
}

TEST(ValidCount, counters) {
  // R in nine pieces with others between.
  char const* const axes = "R = 500, A = 2, B = 2, C = 2, D = 2";
  EXPECT_TRUE(plan(axes, "1", "R # 512 / 128, A, R # 512 / 32 % 4, B, R # 512 / 8 % 4, C, R # 512 % 8", "1 # 8"));
  EXPECT_EQ(code_of(plan(axes, "1", "R # 512 / 128, A, R # 512 / 32 % 4, B, R # 512 / 8 % 4, C, R # 512 / 2 % 4, D, R # 512 % 2", "1 # 8")),
            "valid-count-too-many-counters");
  // Neighbours that serve nothing are one counter.
  auto const p = plan(axes, "1", "A, B, R # 512, C, D", "1 # 8");
  EXPECT_EQ(p->config.counters, 3);
}

TEST(ValidCount, large_sizes_take_no_time) {
  auto const p = plan("R = 1000000000000, X = 64", "X, R # 1099511627776 / 274877906944", "R # 1099511627776 % 274877906944", "1 # 8");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->config.gate[0].match, 3u);
  EXPECT_EQ(p->config.gate[0].valid, 1000000000000 - 3 * 274877906944);
}

TEST(ValidCount, sizes_at_the_edge_of_64_bits) {
  EXPECT_TRUE(plan("R = 9223372036854775807", "1", "R", "1 # 8"));
  EXPECT_TRUE(plan("R = 9223372036854775806", "1", "R # 9223372036854775807", "1 # 8"));
  auto const slices = plan("R = 5", "R # 4611686018427387904 / 2", "R # 4611686018427387904 % 2", "1 # 8");
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices->config.gate[0].match, 2u);
  EXPECT_EQ(valid_count(slices->config, 2, 0), 8);
  EXPECT_EQ(valid_count(slices->config, 2, 1), 0);
  EXPECT_EQ(valid_count(slices->config, std::uint64_t{1} << 60, 0), 0);
  EXPECT_TRUE(plan("R = 4611686018427387903", "R # 4611686018427387904 / 1048576", "R # 4611686018427387904 % 1048576", "1 # 8"));
  EXPECT_TRUE(plan("R = 4611686018427387903", "R # 4611686018427387904 % 1048576", "R # 4611686018427387904 / 1048576", "1 # 8"));
}

TEST(ReducePadding, identities_that_a_fetch_can_make) {
  Written const m{"R = 10"};
  Levels const flit = m.stream("R # 16 / 8", "1", "R # 16 % 8");
  auto const with = [&](ScalarType type, ReduceOp op, ScalarType fetched) {
    return code_of(plan_reduce_padding(rngd, type, op, flit, ValidCountAsk{R}, {.moves_only = true, .fetched = fetched}));
  };
  EXPECT_EQ(with(ScalarType::i32, ReduceOp::Max, ScalarType::i32), "accepted");
  EXPECT_EQ(with(ScalarType::i32, ReduceOp::Max, ScalarType::i8), "reduce-identity-not-fetched");
  EXPECT_EQ(with(ScalarType::i32, ReduceOp::Min, ScalarType::i16), "reduce-identity-not-fetched");
  EXPECT_EQ(with(ScalarType::i32, ReduceOp::AddSat, ScalarType::i8), "accepted") << "0";
  for (ScalarType narrow : {ScalarType::bf16, ScalarType::f16, ScalarType::f8e4m3, ScalarType::f8e5m2})
    EXPECT_EQ(with(ScalarType::f32, ReduceOp::Max, narrow), "accepted") << "NaN";
}

}  // namespace
}  // namespace tcp
