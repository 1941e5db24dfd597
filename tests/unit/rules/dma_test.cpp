// Transfers against what every place holds; shuffles, the slice of each chip, and rows by an index tensor.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/dma.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/rules/shuffle.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

Mapping written(const std::string& text, const char* axes) {
  auto const m = parse(text, *parse_axes(axes));
  EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
  return m.ok() ? *m : Mapping{};
}

DmaTensor hbm(const std::string& chip, const std::string& element, const char* axes) {
  DmaTensor t{.memory = Memory::Hbm};
  t.levels.set(Level::chip, written(chip, axes)).set(Level::element, written(element, axes));
  return t;
}
DmaTensor dm(const std::string& chip, const std::string& cluster, const std::string& slice, const std::string& element, const char* axes) {
  DmaTensor t{.memory = Memory::Dm};
  t.levels.set(Level::chip, written(chip, axes)).set(Level::cluster, written(cluster, axes));
  t.levels.set(Level::slice, written(slice, axes)).set(Level::element, written(element, axes));
  return t;
}

template <class T>
std::string code(const Expected<T>& p) {
  return p.ok() ? "accepted" : p.refusal().code;
}

Place place_of(const std::int64_t (&at)[level_count]) { return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]}; }

/// Law of pair_levels, for small tensors: walks every place of the destination.
void expect_same_elements(const DmaTensor& from, const DmaTensor& to, const DmaPlan& plan, const std::string& what) {
  Pairing const& p = plan.moves;
  std::int64_t const size[] = {to.levels.at[0].size, to.levels.at[1].size, to.levels.at[2].size, to.levels.at[4].size};
  std::int64_t const places = size[0] * size[1] * size[2] * size[3];
  for (std::int64_t i = 0; i < places; ++i) {
    std::int64_t rest = i;
    std::int64_t at[level_count]{}, source[level_count]{};
    for (int l : {4, 2, 1, 0}) {
      std::int64_t const n = to.levels.at[l].size;
      at[l] = rest % n;
      rest /= n;
    }
    Cell const here = cell(to.levels, place_of(at));
    if (!here.live()) continue;
    for (int k = 0; k < p.pairs; ++k) {
      PairedSteps const& s = p.pair[k];
      // The step of this pair: the destination's position, by its own stride, up to the next pair of the same digit.
      std::int64_t const whole = to.levels[s.to].digit[s.to_digit].slot * footprints(to.levels[s.to]).inside[s.to_digit];
      std::int64_t above = whole;
      for (int j = 0; j < p.pairs; ++j)
        if (p.pair[j].to == s.to && p.pair[j].to_digit == s.to_digit && p.pair[j].to_stride > s.to_stride && p.pair[j].to_stride < above)
          above = p.pair[j].to_stride;
      std::int64_t const step = at[static_cast<int>(s.to)] % whole % above / s.to_stride;
      ASSERT_LT(step, s.reach) << what;
      if (!s.broadcast) source[static_cast<int>(s.from)] += step * s.from_stride;
    }
    Cell const there = cell(from.levels, place_of(source));
    ASSERT_TRUE(there.live()) << what << " element " << at[4];
    for (int a = 0; a < there.index.n; ++a) ASSERT_EQ(here.index.get(there.index.axis[a]), there.index.at[a]) << what;
  }
}

/// The runs: from every pair of beginnings on, source and destination hold the same elements.
void expect_runs(const DmaTensor& from, const DmaTensor& to, const DmaPlan& plan, const std::string& what) {
  Pairing const& p = plan.moves;
  bool inside[Pairing::max_pairs]{};
  std::int64_t const run = detail::common_run(p, from, to, inside);
  std::vector<int> outer;
  std::int64_t rounds = 1;
  for (int k = 0; k < p.pairs; ++k)
    if (!inside[k]) outer.push_back(k), rounds *= p.pair[k].size;
  for (std::int64_t i = 0; i < rounds; ++i) {
    std::int64_t rest = i, at[level_count]{}, source[level_count]{};
    for (int k : outer) {
      std::int64_t const step = rest % p.pair[k].size;
      rest /= p.pair[k].size;
      at[static_cast<int>(p.pair[k].to)] += step * p.pair[k].to_stride;
      if (!p.pair[k].broadcast) source[static_cast<int>(p.pair[k].from)] += step * p.pair[k].from_stride;
    }
    if (plan.uneven && !cell(from.levels, place_of(source)).live()) continue;  // the commands leave that out
    for (std::int64_t n = 0; n < run; ++n, ++at[4], ++source[4]) {
      ASSERT_LT(at[4], to.levels.at[4].size) << what;
      Cell const here = cell(to.levels, place_of(at)), there = cell(from.levels, place_of(source));
      ASSERT_TRUE(!here.live() || there.live()) << what;
      for (int a = 0; here.live() && a < there.index.n; ++a) ASSERT_EQ(here.index.get(there.index.axis[a]), there.index.at[a]) << what;
    }
  }
}

bool everything_arrives(const DmaTensor& from, const DmaTensor& to) {
  std::int64_t const places = from.levels.at[0].size * from.levels.at[1].size * from.levels.at[2].size * from.levels.at[4].size;
  for (std::int64_t i = 0; i < places; ++i) {
    std::int64_t rest = i, at[level_count]{};
    for (int l : {4, 2, 1, 0}) at[l] = rest % from.levels.at[l].size, rest /= from.levels.at[l].size;
    Cell const c = cell(from.levels, place_of(at));
    if (!c.live()) continue;
    Place found;
    if (!find_place(to.levels, c.index, found)) return false;
    Cell const there = cell(to.levels, found);
    for (int a = 0; a < c.index.n; ++a)
      if (there.index.get(c.index.axis[a]) != c.index.at[a]) return false;
  }
  return true;
}

TEST(Dma, random_transfers_move_every_element) {
  constexpr const char* axes = "A = 8, B = 6, C = 3, D = 12, X = 2";
  Random random(7);
  int accepted = 0, dropped = 0, lacking = 0, broadcast = 0, ragged = 0, incompatible = 0;
  for (int round = 0; round < 1200; ++round) {
    std::vector<std::string> side[2];
    bool const one_axis = random.below(8) == 0;  // A here and D there
    do {
      for (auto& atoms : side) {
        switch (random.below(6)) {
          case 0: atoms = {"A"}; break;
          case 1: atoms = {"A / 2", "A % 2"}; break;
          case 2: atoms = {"A / 4", "A / 2 % 2", "A % 2"}; break;
          case 3: atoms = {"D / 3", "D % 3"}; break;
          case 4: atoms = {"D / 6", "D / 2 % 3", "D % 2"}; break;
          default: atoms = {"D # 16 / 4", "D # 16 % 4"}; break;
        }
        switch (random.below(4)) {
          case 0: atoms.push_back("B"); break;
          case 1: atoms.push_back("B # 8"); break;
          case 2: atoms.insert(atoms.end(), {"B / 2", "B % 2"}); break;
          default: atoms.insert(atoms.end(), {"B # 8 / 4", "B # 8 % 4"}); break;
        }
        atoms.push_back(random.below(2) == 0 ? "C" : "C # 4");
      }
    } while (!one_axis && side[0][0][0] != side[1][0][0]);
    bool const copies = random.below(3) == 0, drops = random.below(8) == 0, lacks = random.below(8) == 0;
    if (copies) side[1].push_back(random.below(2) == 0 ? "X" : "2");
    if (drops) side[1].erase(side[1].begin());
    if (lacks) side[0].erase(side[0].begin());
    DmaTensor t[2];
    std::string what;
    for (int s = 0; s < 2; ++s) {
      std::string level[4];
      for (std::size_t i = side[s].size(); i > 1; --i) std::swap(side[s][i - 1], side[s][random.below(i)]);
      for (auto const& a : side[s]) {
        std::size_t const l = random.below(2) == 0 ? 3 : random.below(4);
        level[l] += (level[l].empty() ? "" : ", ") + a;
      }
      for (auto& l : level)
        if (l.empty()) l = "1";
      t[s] = dm(level[0], level[1], level[2], level[3], axes);
      what += (s == 1 ? " -> " : "") + level[0] + " | " + level[1] + " | " + level[2] + " | " + level[3];
    }
    auto const plan = check_transfer(logical, ScalarType::i8, 1, t[0], t[1]);
    if (!plan) {
      incompatible += code(plan) == "dma-incompatible-blocks";
      if (code(plan) == "dma-incompatible-blocks") continue;
      dropped += code(plan) == "dma-drops-data";
      lacking += code(plan) == "dma-insufficient-source";
      ASSERT_TRUE(code(plan) == "dma-drops-data" || code(plan) == "dma-insufficient-source") << what << ": " << plan.refusal().sentence().s;
      ASSERT_TRUE(drops || lacks || one_axis) << what << ": " << plan.refusal().sentence().s;
      ASSERT_TRUE(code(plan) != "dma-drops-data" || !everything_arrives(t[0], t[1])) << what;
      continue;
    }
    ++accepted;
    broadcast += plan->broadcasts;
    ragged += plan->uneven;
    ASSERT_TRUE(everything_arrives(t[0], t[1])) << what;
    expect_same_elements(t[0], t[1], *plan, what);
    if (!HasFatalFailure()) expect_runs(t[0], t[1], *plan, what);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(dropped, 30);
  EXPECT_GT(lacking, 20);
  EXPECT_GT(broadcast, 100);
  EXPECT_GT(ragged, 10);
  EXPECT_GT(incompatible, 10);
}

TEST(Dma, packet_is_the_largest_divisor_of_the_run) {
  EXPECT_EQ(largest_packet(Bytes{4095}, Bytes{4096}, Bytes{1}), Bytes{4095});
  EXPECT_EQ(largest_packet(Bytes{4099}, Bytes{4096}, Bytes{1}), Bytes{1});
  EXPECT_EQ(largest_packet(Bytes{4104}, Bytes{4096}, Bytes{8}), Bytes{1368});
  EXPECT_EQ(largest_packet(Bytes{4104}, Bytes{4096}, Bytes{1}), Bytes{2052});
  EXPECT_EQ(largest_packet(Bytes{12}, Bytes{4096}, Bytes{8}), Bytes{0});
  for (std::int64_t run = 1; run <= 9000; run += 7) {
    for (std::int64_t unit : {1, 8}) {
      std::int64_t best = 0;
      for (std::int64_t p = unit; p <= 4096; p += unit)
        if (run % p == 0) best = p;
      ASSERT_EQ(largest_packet(Bytes{run}, Bytes{4096}, Bytes{unit}).value, best) << run << " " << unit;
    }
  }
}

TEST(Dma, runs_take_in_padding_that_both_sides_own) {
  constexpr const char* axes = "A = 512, B = 61";
  auto const run = [](const DmaTensor& from, const DmaTensor& to) {
    auto const p = check_transfer(rngd, ScalarType::i8, 1, from, to);
    return p.ok() ? p->run.value : -1;
  };
  DmaTensor const padded = hbm("1", "A, B # 64", axes), plain = hbm("1", "A, B", axes);
  EXPECT_EQ(run(padded, hbm("1", "A, B # 64", axes)), 512 * 64);
  EXPECT_EQ(run(plain, hbm("1", "A, B # 64", axes)), 61);
  EXPECT_EQ(run(padded, dm("1", "A / 256", "A % 256", "B # 64", axes)), 64);
  EXPECT_EQ(run(plain, dm("1", "A / 256", "A % 256", "B # 64", axes)), -1) << "61 bytes are no whole rows of DM";
  EXPECT_EQ(run(hbm("1", "A, B #! 64", axes), hbm("1", "A, B # 64", axes)), 61) << "bottom padding is never touched";
  EXPECT_EQ(run(padded, hbm("1", "A, B #! 64", axes)), 61);
  DmaTensor view = hbm("1", "A, B # 64", axes);
  view.view = true;
  EXPECT_EQ(run(padded, view), 61) << "beside a view is another tensor";
  EXPECT_EQ(run(hbm("1", "A, 1 # 8", axes), dm("1", "A / 256", "A % 256", "1 # 8", axes)), 8);
}

TEST(Dma, addresses) {
  constexpr const char* axes = "A = 4096";
  DmaTensor const h = hbm("1", "A", axes), d = dm("1", "1 # 2", "A / 16", "A % 16", axes);
  DmaTensor s = d;
  s.memory = Memory::Spm;
  s.levels[Level::slice] = written("A / 1024", axes);
  s.levels[Level::element] = written("A % 1024", axes);
  auto const at = [](const DmaTensor& from, std::int64_t a, const DmaTensor& to, std::int64_t b) {
    auto const v = check_transfer_at(rngd, ScalarType::i8, from, Bytes{a}, to, Bytes{b});
    return v.ok() ? std::string("accepted") : v.refusal().code;
  };
  EXPECT_EQ(at(h, 1024, d, 64), "accepted");
  EXPECT_EQ(at(h, 1025, d, 64), "dma-source-address-misaligned");
  EXPECT_EQ(at(h, 1024, d, 65), "memory-write-misaligned");
  EXPECT_EQ(at(d, 65, h, 1025), "accepted") << "HBM is written and DM is read at any byte";
  EXPECT_EQ(at(h, 1025, h, 77), "accepted");
  EXPECT_EQ(at(h, -1, d, 0), "memory-address-negative");
  EXPECT_EQ(at(d, 512 * 1024, h, 0), "memory-beyond-end");
  EXPECT_EQ(at(s, 4096 - 1024, h, 0), "accepted");
  EXPECT_EQ(at(s, 4096 - 1023, h, 0), "memory-beyond-end");
  EXPECT_EQ(at(h, 3, s, 5), "accepted");
}

TEST(Dma, CHIP_08_a_load_may_end_in_padding_of_its_destination) {
  constexpr const char* axes = "A = 13, B = 3, S = 256, C = 20";
  auto const run = [](const DmaTensor& from, const DmaTensor& to) {
    auto const plan = check_transfer(rngd, ScalarType::i8, 1, from, to);
    return plan ? std::to_string(plan->run.value) : std::string(plan.refusal().code);
  };
  auto const to = [](const char* element) { return dm("1", "1 # 2", "256", element, axes); };
  EXPECT_EQ(run(hbm("1", "A", axes), to("A # 16")), "16");
  EXPECT_EQ(run(hbm("1", "A", axes), to("A # 24")), "16") << "no further than to the end of the row";
  EXPECT_EQ(run(hbm("1", "B, A", axes), to("[B, A] # 40")), "40");
  EXPECT_EQ(run(hbm("1", "A", axes), to("A # 15")), "dma-packet-misaligned") << "the padding ends before the row";
  EXPECT_EQ(run(hbm("1", "A", axes), to("A")), "dma-packet-misaligned");
  EXPECT_EQ(run(hbm("1", "A", axes), to("A #! 16")), "dma-packet-misaligned") << "the padding is not ours";
  EXPECT_EQ(run(hbm("1", "A", axes), to("A #z 16")), "dma-zero-padding");
  EXPECT_EQ(run(dm("1", "1 # 2", "1 # 256", "A", axes), to("A # 16")), "dma-packet-misaligned") << "no load from HBM";
  EXPECT_EQ(run(hbm("1", "B, A", axes), to("B, A # 16")), "dma-read-misaligned") << "rows of 13 bytes";
  DmaTensor part = to("A # 16");
  part.view = true;
  EXPECT_EQ(run(hbm("1", "A", axes), part), "dma-packet-misaligned") << "what looks like padding belongs to the rest of the tensor";
}

TEST(Dma, CHIP_11_and_15_across_clusters_and_from_one_to_the_other) {
  constexpr const char* axes = "A = 256, B = 8, E = 2, F = 2, G = 4";
  auto const move = [](const DmaTensor& from, const DmaTensor& to) { return code(check_transfer(rngd, ScalarType::i32, 1, from, to)); };
  DmaTensor const first = dm("1", "1 # 2", "A", "B", axes), second = dm("1", "E #< 1 = 2", "A", "B", axes);
  for (const DmaTensor& from : {first, second, hbm("1", "A, B", axes), dm("1", "2", "A", "B", axes)})
    for (const DmaTensor& to : {first, second, hbm("1", "B, A", axes), dm("1", "2", "A", "B", axes), dm("1", "F", "A", "B", axes)})
      EXPECT_EQ(move(from, to), "accepted");
  EXPECT_TRUE(check_transfer(rngd, ScalarType::i32, 1, first, second)->crosses_clusters);
  EXPECT_EQ(move(dm("1", "F", "A", "B", axes), dm("1", "E #< 1 = 2", "A", "F, B", axes)), "accepted");
  EXPECT_EQ(move(dm("1", "F", "A", "B", axes), second), "dma-drops-data");
  EXPECT_EQ(move(dm("1", "E", "A", "B", axes), second), "dma-drops-data") << "an axis that counts something is none for a place";
  EXPECT_EQ(move(dm("1", "F", "A", "G, B", axes), dm("1", "G / 2", "F, A / 2", "A % 2, G % 2, B", axes)), "accepted");
}

TEST(Dma, refuses) {
  constexpr const char* axes = "A = 512, B = 64, C = 6, W = 8, Fw = 3, X = 4";
  auto const to = [](const DmaTensor& from, const DmaTensor& dest) { return code(check_transfer(rngd, ScalarType::i8, 1, from, dest)); };
  auto const small = [](const DmaTensor& from, const DmaTensor& dest) {
    return code(check_transfer(logical, ScalarType::i8, 1, from, dest));
  };
  DmaTensor const h = hbm("1", "A, B", axes);
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "B", axes)), "accepted");
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "B = 32", axes)), "dma-drops-data");
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "1 # 64", axes)), "dma-drops-data");
  EXPECT_EQ(to(hbm("1", "A, B = 32", axes), dm("1", "A / 256", "A % 256", "B", axes)), "dma-insufficient-source");
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "B % 8, B / 8", axes)), "dma-packet-misaligned");
  EXPECT_EQ(to(hbm("1", "A, B # 68", axes), dm("1", "A / 256", "A % 256", "B", axes)), "dma-read-misaligned");
  EXPECT_EQ(to(h, dm("1", "1 # 2", "A / 2", "A % 2, B # 68", axes)), "dma-write-misaligned");
  EXPECT_EQ(to(dm("1", "A / 256", "A % 256", "B", axes), hbm("1", "B, A", axes)), "accepted")
      << "single bytes into HBM are slow, and legal";
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "B #z 72", axes)), "dma-zero-padding");
  EXPECT_EQ(to(hbm("1", "A, B #z 72", axes), dm("1", "A / 256", "A % 256", "B #z 72", axes)), "accepted");
  EXPECT_EQ(to(hbm("1", "A, B # 72", axes), dm("1", "A / 256", "A % 256", "B #z 72", axes)), "dma-zero-padding");
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "X #z 8, B", axes)), "dma-zero-padding");
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 256", "1 #z 8, B", axes)), "dma-zero-padding");
  EXPECT_EQ(small(hbm("1", "C / 2, B, C % 2", axes), hbm("1", "C / 3, B, C % 3", axes)), "dma-incompatible-blocks");
  EXPECT_EQ(small(hbm("1", "A @ 8 = 16", axes), hbm("1", "A = 16", axes)), "dma-start-differs");
  EXPECT_EQ(small(hbm("1", "A @ 8 = 16", axes), hbm("1", "A @ 8 = 16", axes)), "accepted");
  EXPECT_EQ(small(hbm("1", "A @ 8 = 1", axes), hbm("1", "A", axes)), "dma-insufficient-source");
  EXPECT_EQ(small(hbm("1", "$(W:2, Fw)", axes), hbm("1", "$(W:2, Fw) # 32", axes)), "accepted");
  EXPECT_EQ(small(hbm("1", "$(W:2, Fw)", axes), hbm("1", "W, Fw", axes)), "accepted") << "a window is unfolded";
  EXPECT_EQ(small(hbm("1", "$(W:2, Fw) = 9", axes), hbm("1", "W, Fw", axes)), "dma-window-changed") << "it was cut";
  EXPECT_EQ(small(hbm("1", "$(W:2, Fw)", axes), hbm("1", "W", axes)), "dma-drops-data");
  EXPECT_EQ(small(hbm("1", "$(W:2, Fw)", axes), hbm("1", "$(W, Fw)", axes)), "dma-window-changed");
  EXPECT_EQ(small(hbm("1", "W, Fw", axes), hbm("1", "$(W:2, Fw)", axes)), "dma-window-changed");
  EXPECT_EQ(small(hbm("X", "skew(W, X)", axes), hbm("X", "skew(W, X)", axes)), "accepted");
  EXPECT_EQ(small(hbm("X", "skew(W, X)", axes), hbm("X", "W", axes)), "dma-skew-changed");
  EXPECT_EQ(code(check_transfer(rngd, ScalarType::i9, 1, h, h)), "dma-type-not-in-memory");
  EXPECT_EQ(code(check_transfer(rngd, ScalarType::i4, 1, h, hbm("1", "B, A", axes))), "dma-splits-byte");
  EXPECT_EQ(code(check_transfer(rngd, ScalarType::i4, 1, h, hbm("1", "B / 2, A, B % 2", axes))), "accepted");
  EXPECT_EQ(to(h, dm("1", "A / 256", "A % 128, 1 # 2", "A / 128 % 2, B", axes)), "accepted");
  EXPECT_EQ(to(h, dm("1", "1", "A / 2", "A % 2, B", axes)), "memory-cluster-size");
}

/// Each element of a destination that counts a window's members apart comes from the place that the window gives it.
TEST(Dma, a_window_of_the_source_is_unfolded) {
  constexpr const char* axes = "K = 3, B = 4, R = 5, X = 16, H = 6, Fh = 2";
  struct Case {
    const char *from, *slice, *to;
  };
  for (const Case& c :
       {Case{"K, $(B:3, R), X", "B", "K, R, X"}, Case{"K, $(B:3, R) # 20, X", "B", "R, K, X"}, Case{"$(B:6, R:2), K, X", "K", "B, R, X"},
        Case{"K, $(B:3, R), X", "R", "B / 2, K, B % 2, X"}, Case{"$(B:3, R), K, $(H:2, Fh:3), X", "H", "Fh, B, R, K, X"},
        Case{"K, $(B:3, R), $(H, Fh), X", "B", "K, R, $(H, Fh), X"}}) {
    DmaTensor const from = hbm("1", c.from, axes), to = dm("1", "1 # 2", std::string(c.slice) + " # 256", c.to, axes);
    auto const plan = check_transfer(rngd, ScalarType::i8, 1, from, to);
    ASSERT_EQ(code(plan), "accepted") << c.from << " to " << c.to;
    Pairing const& p = plan->moves;
    std::int64_t rounds = 1;
    for (int k = 0; k < p.pairs; ++k) rounds *= p.pair[k].size;
    for (std::int64_t i = 0; i < rounds; ++i) {
      std::int64_t rest = i, at[level_count]{}, source[level_count]{};
      for (int k = 0; k < p.pairs; ++k) {
        std::int64_t const step = rest % p.pair[k].size;
        rest /= p.pair[k].size;
        at[static_cast<int>(p.pair[k].to)] += step * p.pair[k].to_stride;
        if (!p.pair[k].broadcast) source[static_cast<int>(p.pair[k].from)] += step * p.pair[k].from_stride;
      }
      std::int64_t const choices = preimages(to.levels.at[4], at[4]);
      ASSERT_GE(choices, 1);
      Index element = preimage(to.levels.at[4], at[4], 0);
      Cell const slice = cell(to.levels.at[2], at[2]);
      ASSERT_TRUE(slice.live());
      for (int a = 0; a < slice.index.n; ++a) element.add(slice.index.axis[a], slice.index.at[a]);
      EXPECT_EQ(place(from.levels.at[4], element), source[4]) << c.from << " to " << c.to << ", round " << i;
    }
  }
}

TEST(Dma, links_and_crossings) {
  constexpr const char* axes = "A = 512, B = 64, D = 4";
  DmaTensor const h = hbm("D", "A, B", axes), d = dm("D", "A / 256", "A % 256", "B", axes), e = dm("D", "A % 2", "A / 2", "B", axes);
  auto const plan = [](const DmaTensor& from, const DmaTensor& to) { return check_transfer(rngd, ScalarType::i8, 4, from, to); };
  EXPECT_FALSE(plan(h, d)->crosses_chips);
  EXPECT_FALSE(plan(h, d)->crosses_clusters);
  EXPECT_TRUE(plan(d, e)->crosses_clusters);
  EXPECT_TRUE(plan(h, hbm("4", "D, A, B", axes))->crosses_chips) << "AllGather";
  EXPECT_TRUE(plan(h, hbm("4", "D, A, B", axes))->broadcasts);
  DmaTensor host{.memory = Memory::Host}, spm{.memory = Memory::Spm, .levels = h.levels};
  host.levels[Level::element] = written("D, A, B", axes);
  EXPECT_EQ(plan(host, h)->link, DmaLink::pcie);
  EXPECT_EQ(plan(h, host)->link, DmaLink::pcie);
  EXPECT_EQ(plan(h, d)->link, DmaLink::tensor);
  EXPECT_FALSE(plan(host, h)->crosses_chips);
  EXPECT_EQ(code(plan(host, d)), "dma-no-link");
  EXPECT_EQ(code(plan(d, host)), "dma-no-link");
  spm.levels[Level::cluster] = written("A / 256", axes);
  spm.levels[Level::slice] = written("A / 64 % 4", axes);
  spm.levels[Level::element] = written("A % 64, B", axes);
  EXPECT_EQ(code(plan(d, spm)), "accepted");
  EXPECT_EQ(code(plan(hbm("4", "D, A, B", axes), spm)), "spm-other-chip");
  spm.levels[Level::slice] = written("A / 64 % 2", axes);
  EXPECT_EQ(code(plan(d, spm)), "spm-pe-size");
}

TEST(Dma, CHIP_25_a_scratchpad_has_four_KiB_for_each_PE) {
  EXPECT_EQ(rngd.spm.pe_capacity, Bytes{4096});
  EXPECT_EQ(slices_per_pe(rngd), 64);
  auto const held = [](std::int64_t bytes, std::int64_t address) {
    auto const v = check_spm(rngd, ScalarType::i8, copies(bytes), Bytes{address});
    return std::string(v ? "accepted" : v.refusal().code);
  };
  EXPECT_EQ(held(4096, 0), "accepted");
  EXPECT_EQ(held(4097, 0), "spm-too-large");
  EXPECT_EQ(held(4088, 8), "accepted");
  EXPECT_EQ(held(4089, 8), "memory-beyond-end");
}

TEST(Dma, uneven_blocks_need_several_commands) {
  constexpr const char* axes = "A = 15, B = 32, C = 256";
  auto const uneven = [](const DmaTensor& from, const DmaTensor& to) {
    return check_transfer(logical, ScalarType::i8, 1, from, to)->uneven;
  };
  DmaTensor const blocks = dm("1", "1", "A # 16 / 2, B", "A # 16 % 2, C", axes);
  EXPECT_TRUE(uneven(blocks, hbm("1", "B, A, C", axes)));
  EXPECT_FALSE(uneven(blocks, hbm("1", "B, A # 16, C", axes))) << "the sixteenth row is padding of its own";
  EXPECT_FALSE(uneven(hbm("1", "B, A, C", axes), blocks));
  DmaTensor view = hbm("1", "B, A # 16, C", axes);
  view.view = true;
  EXPECT_TRUE(uneven(blocks, view));
  // Packets end where the shortest block ends.
  EXPECT_EQ(check_transfer(logical, ScalarType::i8, 1, blocks, hbm("1", "B, A, C", axes))->run, Bytes{256});
  EXPECT_EQ(check_transfer(logical, ScalarType::i8, 1, blocks, hbm("1", "B, A # 16, C", axes))->run, Bytes{512});
  EXPECT_EQ(check_transfer(logical, ScalarType::i8, 1, blocks, view)->run, Bytes{256});
}

// Shuffles, the slice of each chip, and rows by an index tensor.

namespace shuffle {

constexpr const char* axes = "A = 4, B = 4, C = 3, E = 64, N = 32, V = 1000, I = 16, J = 8, S = 512, X = 256";

Mapping written(const std::string& text) {
  auto const m = parse(text, *parse_axes(axes));
  EXPECT_TRUE(m.ok()) << text;
  return m.ok() ? *m : Mapping{};
}
DmaTensor hbm(const std::string& chip, const std::string& element) {
  DmaTensor t{.memory = Memory::Hbm};
  t.levels.set(Level::chip, written(chip)).set(Level::element, written(element));
  return t;
}
DmaTensor dm(const std::string& chip, const std::string& element, const std::string& cluster = "1 # 2",
             const std::string& slice = "1 # 256") {
  DmaTensor t{.memory = Memory::Dm};
  t.levels.set(Level::chip, written(chip)).set(Level::cluster, written(cluster));
  t.levels.set(Level::slice, written(slice)).set(Level::element, written(element));
  return t;
}
template <class T>
std::string code(const Expected<T>& p) {
  return p.ok() ? "accepted" : p.refusal().code;
}

std::string shuffled(const DmaTensor& in, std::vector<std::int64_t> p, const DmaTensor& out, Level level = Level::chip) {
  return code(check_shuffle(rngd, ScalarType::i8, 4, level, in, p.data(), static_cast<int>(p.size()), out));
}

TEST(Shuffle, of_chips) {
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("A", "E")), "accepted");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("B", "E")), "accepted") << "the result's mapping is declared";
  EXPECT_EQ(shuffled(dm("A", "E"), {1, 2, 3, 0}, dm("B", "2, N")), "accepted");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3}, hbm("A", "E")), "shuffle-count");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 4}, hbm("A", "E")), "shuffle-out-of-range");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, -1, 0}, hbm("A", "E")), "shuffle-out-of-range");
  EXPECT_EQ(shuffled(hbm("A", "E"), {0, 0, 0, 0}, hbm("A", "E")), "shuffle-not-permutation");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("A", "N")), "shuffle-wrong-result");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("A", "N # 64")), "shuffle-wrong-result");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, dm("A", "E")), "shuffle-memory");
  // Three chips of four hold something: after a rotation another three do, which no mapping of three says.
  EXPECT_EQ(shuffled(hbm("C # 4", "E"), {1, 2, 3, 0}, hbm("C # 4", "E")), "shuffle-wrong-result");
  EXPECT_EQ(shuffled(hbm("C # 4", "E"), {1, 2, 0, 3}, hbm("C # 4", "E")), "accepted");
  EXPECT_EQ(shuffled(hbm("V # 1024 / 256", "V # 1024 % 256"), {1, 2, 3, 0}, hbm("V # 1024 / 256", "V # 1024 % 256")),
            "shuffle-wrong-result");
  auto const p = check_chip_shuffle(rngd, ScalarType::i8, 4, hbm("A", "E"), std::vector<std::int64_t>{3, 2, 1, 0}.data(), 4, hbm("A", "E"));
  EXPECT_TRUE(p->crosses_chips);
  EXPECT_EQ(p->packet, Bytes{64});
}

TEST(Shuffle, of_clusters) {
  EXPECT_EQ(shuffled(dm("A", "E", "2"), {1, 0}, dm("A", "E", "2"), Level::cluster), "accepted");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 0}, hbm("A", "E"), Level::cluster), "shuffle-memory");
  EXPECT_EQ(shuffled(dm("A", "E", "2"), {1, 0, 2, 3}, dm("A", "E", "2"), Level::cluster), "shuffle-count");
  EXPECT_EQ(shuffled(dm("A", "E"), {1, 0}, dm("A", "E"), Level::cluster), "shuffle-wrong-result");
  std::int64_t const swap[] = {1, 0};
  EXPECT_TRUE(check_cluster_shuffle(rngd, ScalarType::i8, 4, dm("A", "E", "2"), swap, 2, dm("A", "E", "2"))->crosses_clusters);
}

std::string sliced(const Device& d, const DmaTensor& in, const std::string& dimension, std::int64_t length, std::vector<std::int64_t> s,
                   const DmaTensor& out) {
  return code(check_chip_slice(d, ScalarType::i8, 4, in, written(dimension), length, s.data(), static_cast<int>(s.size()), out));
}

TEST(ChipSlice, keeps_another_part_on_every_chip) {
  EXPECT_EQ(sliced(logical, dm("A", "B"), "B", 1, {0, 1, 2, 3}, dm("B", "1")), "accepted");
  EXPECT_EQ(sliced(logical, dm("A", "B"), "B", 1, {3, 0, 1, 2}, dm("A", "1")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "B"), "B", 1, {0, 1, 2, 3}, dm("B", "1")), "dma-packet-misaligned") << "one byte into DM";
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2, 3}, dm("B", "E")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 2, {0, 1, 2, 2}, dm("A", "N, 2, E")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 2, {0, 1, 2, 3}, dm("A", "N, 2, E")), "chip-slice-out-of-range");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 2, {0, 1, 2, 2}, dm("A", "N, E")), "chip-slice-wrong-result");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 1, {0, 1, 2, 2}, dm("A", "E, N")), "chip-slice-wrong-result");
  EXPECT_EQ(sliced(rngd, dm("A", "E"), "E / 16", 1, {0, 1, 2, 3}, dm("A", "E % 16")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2}, dm("B", "E")), "chip-slice-count");
  EXPECT_EQ(sliced(rngd, hbm("A", "B, E"), "B", 1, {0, 1, 2, 3}, hbm("B", "E")), "chip-slice-memory");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "N", 1, {0, 1, 2, 3}, dm("B", "E")), "tile-not-in-source");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2, 3}, dm("B", "E", "1 # 2", "X")), "chip-slice-wrong-level");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2, 3}, dm("C # 4", "E")), "chip-slice-wrong-level");
}

TEST(ChipSlice, a_rotation_is_a_skew) {
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {0, 1, 2, 3}, dm("A", "skew(B, A), E")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {1, 2, 3, 0}, dm("A", "skew(B, A), E")), "chip-slice-not-skewed");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {0, 1, 2, 3}, dm("A", "4, E")), "chip-slice-out-of-range");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {0, 0, 0, 0}, dm("A", "B, E")), "accepted");
  std::int64_t const s[] = {0, 1, 2, 3};
  auto const r = check_chip_slice(rngd, ScalarType::i8, 4, dm("A", "B, E"), written("B"), 4, s, 4, dm("A", "skew(B, A), E"));
  EXPECT_TRUE(r->rotates);
  EXPECT_EQ(r->stride, 64);
  EXPECT_EQ(r->copy.run, Bytes{64});
}

TEST(Gather, rows_by_an_index_tensor) {
  Name const rows("V");
  auto const take = [&](const DmaTensor& table, const DmaTensor& index, const DmaTensor& out, ScalarType t = ScalarType::i32) {
    return code(check_gather(rngd, ScalarType::bf16, 1, table, rows, t, index, out));
  };
  DmaTensor const table = hbm("1", "V, E"), index = hbm("1", "I");
  EXPECT_EQ(take(table, index, hbm("1", "I, E")), "accepted");
  EXPECT_EQ(take(table, index, dm("1", "E", "1 # 2", "I # 256")), "accepted");
  EXPECT_EQ(take(table, hbm("1", "I, J"), hbm("1", "J, I, E")), "accepted") << "an index tensor of two axes";
  EXPECT_EQ(take(table, index, hbm("1", "I, E"), ScalarType::i16), "gather-index-type");
  EXPECT_EQ(take(hbm("1", "V / 8, E, V % 8"), index, hbm("1", "I, E")), "gather-rows-not-whole");
  EXPECT_EQ(take(hbm("1", "E"), index, hbm("1", "I, E")), "gather-rows-not-whole");
  EXPECT_EQ(take(table, index, hbm("1", "V, E")), "gather-rows-kept");
  EXPECT_EQ(take(hbm("1", "V, I, E"), index, hbm("1", "I, E")), "gather-axis-in-table");
  EXPECT_EQ(take(table, index, hbm("1", "J, E")), "gather-index-axes");
  EXPECT_EQ(take(table, hbm("1", "I / 2"), hbm("1", "I, E")), "gather-index-axes");
  EXPECT_EQ(take(table, index, hbm("1", "I, E = 8")), "dma-drops-data");
  EXPECT_EQ(take(hbm("1", "E, V"), index, hbm("1", "I, E")), "accepted") << "slow, and legal between HBM and HBM";
  EXPECT_EQ(take(hbm("1", "V, C"), index, dm("1", "C # 4", "1 # 2", "I # 256")), "dma-packet-misaligned");
  EXPECT_EQ(take(hbm("1", "V, E # 66"), index, dm("1", "E", "1 # 2", "I # 256")), "gather-row-misaligned");
  auto const g = check_gather(rngd, ScalarType::bf16, 1, table, rows, ScalarType::i32, index, dm("1", "E", "1 # 2", "I # 256"));
  EXPECT_EQ(g->rows, 1000);
  EXPECT_EQ(g->row_stride, 64);
  EXPECT_EQ(g->row.packet, Bytes{128});
  DmaTensor host = hbm("1", "I");
  host.memory = Memory::Host;
  EXPECT_EQ(take(table, host, hbm("1", "I, E")), "gather-from-host");
}

TEST(Scatter, rows_by_an_index_tensor) {
  Name const rows("V");
  auto const put = [&](const DmaTensor& in, const DmaTensor& index, const DmaTensor& table) {
    return code(check_scatter(rngd, ScalarType::bf16, 1, in, ScalarType::i32, index, table, rows));
  };
  DmaTensor const table = hbm("1", "V, E"), index = hbm("1", "I");
  EXPECT_EQ(put(hbm("1", "I, E"), index, table), "accepted");
  EXPECT_EQ(put(dm("1", "E", "1 # 2", "I # 256"), index, table), "accepted");
  EXPECT_EQ(put(hbm("1", "I, E, J"), index, table), "dma-drops-data");
  EXPECT_EQ(put(hbm("1", "J, E"), index, table), "gather-index-axes");
  EXPECT_EQ(put(hbm("1", "V, E"), index, table), "gather-rows-kept");
  EXPECT_EQ(put(hbm("1", "I, E = 32"), index, table), "dma-insufficient-source");
}

}  // namespace shuffle

}  // namespace
}  // namespace tcp
