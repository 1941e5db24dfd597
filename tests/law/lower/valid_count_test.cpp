// The Valid Count Generator against direct enumeration: every way to cut an axis R of up to 64 positions into up to three factors and to put each of them into
// Slice, Time or Packet, for every number of elements.
//
// Law: what is accepted counts exactly the elements that exist, flit by flit and slice by slice, by the book's formulas applied to the registers. What is refused
// has no setting: neither a packet count that looks at the time step alone, nor one gate, reproduces the counts.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tcp/mapping/map.hpp"
#include "unit/lower/vector_pass.hpp"

namespace tcp::lower {
namespace {

enum Where3 { in_slice, in_time, in_packet };

/// R # padded, cut into factors, coarsest first.
struct Placement {
  struct Factor {
    std::int64_t stride, size;
    Where3 level;
  };
  std::int64_t padded = 1;
  std::vector<Factor> factor;
  bool reversed = false;  // in each level, the coarsest factor stands innermost

  std::vector<Factor> on(Where3 level) const {
    std::vector<Factor> f;
    for (const Factor& each : factor)
      if (each.level == level) f.insert(reversed ? f.begin() : f.end(), each);
    return f;
  }
  std::int64_t size(Where3 level) const {
    std::int64_t n = 1;
    for (const Factor& f : on(level)) n *= f.size;
    return n;
  }
  std::string text(Where3 level) const {
    std::string t;
    for (const Factor& f : on(level))
      t += (t.empty() ? "" : ", ") + ("R # " + std::to_string(padded)) + " / " + std::to_string(f.stride) + " % " + std::to_string(f.size);
    if (t.empty()) t = "1";
    return level == in_packet ? "[" + t + "] # 8" : t;
  }
  /// What position i of a level adds to R.
  std::int64_t coordinate(Where3 level, std::int64_t i) const {
    std::vector<Factor> const f = on(level);
    std::int64_t sum = 0;
    for (std::size_t k = f.size(); k-- > 0; i /= f[k].size) sum += i % f[k].size * f[k].stride;
    return sum;
  }
  /// Whether a factor that holds nothing but its first step, of n elements, is beyond it.
  bool stands_for_padding(Where3 level, std::int64_t i, std::int64_t n) const {
    std::vector<Factor> const f = on(level);
    for (std::size_t k = f.size(); k-- > 0; i /= f[k].size)
      if (f[k].stride >= n && i % f[k].size > 0) return true;
    return false;
  }
  std::string name(std::int64_t n) const {
    return "R = " + std::to_string(n) + ": Slice " + text(in_slice) + ", Time " + text(in_time) + ", Packet " + text(in_packet);
  }
};

bool power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// Calls visit for every placement with this many factors.
template <class Visit>
void each_placement(int factors, std::int64_t most, Visit visit) {
  std::array<std::int64_t, 3> size{1, 1, 1};
  std::int64_t const limit1 = factors > 1 ? most : 1, limit2 = factors > 2 ? most : 1;
  for (size[0] = 2; size[0] <= most; ++size[0])
    for (size[1] = factors > 1 ? 2 : 1; size[1] <= limit1 / (factors > 1 ? size[0] : 1); ++size[1])
      for (size[2] = factors > 2 ? 2 : 1; size[2] <= limit2 / (factors > 2 ? size[0] * size[1] : 1); ++size[2])
        for (int where = 0; where < (factors == 1 ? 3 : factors == 2 ? 9 : 27); ++where)
          for (bool reversed : {false, true}) {
            Placement p;
            p.reversed = reversed;
            int level = where, packets = 0;
            bool bits = true;
            p.factor.resize(static_cast<std::size_t>(factors));
            for (int k = factors - 1; k >= 0; --k, level /= 3) {
              auto const i = static_cast<std::size_t>(k);
              p.factor[i] = {p.padded, size[i], static_cast<Where3>(level % 3)};
              p.padded *= size[i];
              packets += level % 3 == in_packet;
              bits &= level % 3 != in_slice || power_of_two(size[i]);
            }
            // Gates see bits of the slice's number (F-65); Packet holds R at most once (VCG-06). An order is told from its reverse by two factors of a level.
            bool const two = p.on(in_slice).size() > 1 || p.on(in_time).size() > 1;
            if (!bits || packets > 1 || p.size(in_packet) > 8 || p.size(in_slice) > 256 || (reversed && !two)) continue;
            visit(p);
          }
}

/// The lanes that must count, [slice][step]. A slice beyond the end of R counts nothing; one that stands for padding alone is idle, and does not matter (-1).
struct Need {
  std::vector<std::vector<std::int64_t>> count;
  bool partial = false;  // some packet is neither full nor empty
  bool prefix = true;

  Need(const Placement& p, std::int64_t n) {
    bool const lanes_of_r = !p.on(in_packet).empty() && p.on(in_packet)[0].stride < n;
    std::int64_t const live_lanes = lanes_of_r ? p.size(in_packet) : p.on(in_packet).empty() ? 8 : 1;
    for (std::int64_t s = 0; s < p.size(in_slice); ++s) {
      std::vector<std::int64_t> steps;
      std::int64_t const slice = p.coordinate(in_slice, s);
      bool const idle = p.stands_for_padding(in_slice, s, n);
      for (std::int64_t t = 0; t < p.size(in_time); ++t) {
        std::int64_t const base = slice + p.coordinate(in_time, t);
        std::int64_t lanes = 0;
        if (!lanes_of_r) lanes = base < n ? live_lanes : 0;
        for (std::int64_t l = 0; l < live_lanes && lanes_of_r; ++l) {
          bool const there = base + p.coordinate(in_packet, l) < n;
          prefix &= !there || lanes == l;
          lanes += there;
        }
        partial |= lanes != 0 && lanes != live_lanes;
        steps.push_back(idle ? -1 : lanes);
      }
      count.push_back(steps);
    }
  }
};

/// Whether some setting counts as needed: one number of elements along the packet, or one gate with an index that follows R.
bool expressible(const Placement& p, std::int64_t n, const Need& need) {
  std::int64_t const slices = p.size(in_slice), steps = p.size(in_time);
  if (need.partial) {
    // VCG-41: the stride of the fastest counter, the finest step of R, is the number of lanes; the count has no slice term.
    std::int64_t const stride = p.on(in_packet)[0].stride, lanes = p.size(in_packet);
    for (std::int64_t s = 0; s < slices; ++s)
      for (std::int64_t t = 0; t < steps; ++t) {
        std::int64_t const by_registers = std::min(lanes, std::max<std::int64_t>(0, n - p.coordinate(in_time, t)));
        std::int64_t const needed = need.count[static_cast<std::size_t>(s)][static_cast<std::size_t>(t)];
        if (stride != 1 || (needed >= 0 && needed != by_registers)) return false;
      }
    return true;
  }
  // Steps of a slice that count are those whose coordinate is below a bound that sinks with the slice's own: how many there are tells which.
  std::vector<std::int64_t> open(static_cast<std::size_t>(slices), -1);
  for (std::int64_t s = 0; s < slices; ++s)
    if (need.count[static_cast<std::size_t>(s)][0] >= 0) {
      std::int64_t k = 0;
      for (std::int64_t c : need.count[static_cast<std::size_t>(s)]) k += c > 0;
      open[static_cast<std::size_t>(s)] = k;
    }
  for (std::int64_t mask = 0; mask < slices; ++mask)
    for (std::int64_t match = 0; match <= slices; ++match) {
      if ((match & mask) != match && match != slices) continue;
      for (bool transposed : {false, true}) {
        std::int64_t boundary = -1;
        bool fits = true;
        for (std::int64_t s = 0; s < slices && fits; ++s) {
          std::int64_t const k = open[static_cast<std::size_t>(s)], seen = s & mask;
          if (k < 0) continue;
          if (seen < match) fits = k == steps;
          else if (seen > match && !transposed) fits = k == 0;
          else if (boundary < 0) boundary = k;
          else fits = k == boundary;
        }
        if (fits) return true;
      }
    }
  return false;
}

/// The registers as a record, copied field by field.
program::ValidCount record(const ValidCountConfig& c) {
  program::ValidCount r;
  for (int i = 0; i < c.counters; ++i) r.counters.push_back({c.counter[i].limit, c.counter[i].stride, c.counter[i].serves});
  for (const ValidGate& g : c.gate) r.gates.push_back({g.mask, g.match, g.valid, g.transposed});
  r.packet_valid = c.packet_valid;
  r.lanes = c.lanes;
  return r;
}

struct Tally {
  std::int64_t counted = 0, free = 0, refused = 0;
};

/// A reduce over R, down to one result in each slice; none where nothing of R is in Time or Packet.
std::optional<VectorPass> reduce_pass(const Placement& p, std::int64_t n) {
  auto const counts = [&](Where3 level) {
    for (const Placement::Factor& f : p.on(level))
      if (f.stride < n) return true;
    return false;
  };
  bool const packet = counts(in_packet), wide = packet && p.size(in_packet) > 4;
  if ((!packet && !counts(in_time)) || (p.size(in_packet) > 4 && (!packet || p.size(in_packet) != 8))) return std::nullopt;
  VectorPass pass{"R = " + std::to_string(n), p.text(in_slice), p.text(in_time), p.text(in_packet)};
  std::string const whole = p.text(in_packet), lanes = whole.substr(0, whole.rfind(']') + 1);
  std::string const r = "R # " + std::to_string(p.padded) + " / " + (packet ? std::to_string(p.on(in_packet)[0].stride) : "1");
  Then const narrow = wide ? then(VectorMethod::split, p.text(in_time) + ", " + r + " % 8 / 4", r + " % 4")
                           : then(VectorMethod::trim_way4, "", lanes + " # 4");
  pass.stages = {branch(), narrow, reduce("R", ReduceOp::Max, "1", packet ? "1 # 4" : lanes + " # 4"),
                 then(VectorMethod::pad_way8, "", packet ? "1 # 8" : lanes + " # 8")};
  return pass;
}
/// Every slice folds its own part.
void check_folds(const Placement& p, std::int64_t n, const VectorPass& pass) {
  auto const value = [](const Index& x) { return static_cast<std::uint32_t>(100 + x.get("R") * 37 % 64); };
  std::int64_t const compared = agrees(pass, value, [&](const Index& x) {
    std::uint32_t most = 0;
    for (std::int64_t t = 0; t < p.size(in_time); ++t)
      for (std::int64_t l = 0; l < p.size(in_packet); ++l) {
        std::int64_t const r = x.get("R") + p.coordinate(in_time, t) + p.coordinate(in_packet, l);
        if (r < n) most = std::max(most, value(Index{}.add(Name("R"), r)));
      }
    return most;
  });
  if (compared == 0) throw std::runtime_error("nothing was compared");
}

void check_plan(const Placement& p, std::int64_t n, Tally& tally) {
  std::string const axes = "R = " + std::to_string(n);
  Levels flit;
  flit.set(Level::slice, *Expr(p.text(in_slice), axes).mapping()).set(Level::time, *Expr(p.text(in_time), axes).mapping());
  flit.set(Level::packet, *Expr(p.text(in_packet), axes).mapping());
  auto const plan = plan_valid_count(rngd, flit, ValidCountAsk{Name("R"), true});
  Need const need(p, n);
  if (!plan) {
    ++tally.refused;
    ASSERT_FALSE(need.prefix && expressible(p, n, need)) << p.name(n) << ": " << plan.refusal().code;
    return;
  }
  ++(plan->mode == ValidCountMode::none ? tally.free : tally.counted);
  program::ValidCount const registers = record(plan->config);
  ASSERT_LE(registers.counters.size(), 8u) << p.name(n);
  for (std::size_t s = 0; s < need.count.size(); ++s)
    for (std::size_t t = 0; t < need.count[s].size(); ++t) {
      if (need.count[s][t] < 0) continue;
      std::int64_t const got = plan->mode == ValidCountMode::none
                                   ? 8
                                   : machine::valid_count(registers, static_cast<std::int64_t>(s), static_cast<std::int64_t>(t));
      // Without R in Packet only the first lane is asked for: mere padding fills the others.
      bool const alone = p.on(in_packet).empty() || p.on(in_packet)[0].stride >= n;
      ASSERT_EQ(alone ? got > 0 : got == need.count[s][t], alone ? need.count[s][t] > 0 : true)
          << p.name(n) << ", slice " << s << ", step " << t << ": " << got << ", not " << need.count[s][t];
    }
}

TEST(ValidCountLaw, every_placement_of_one_or_two_factors) {
  Tally tally;
  for (int factors : {1, 2})
    each_placement(factors, 64, [&](const Placement& p) {
      for (std::int64_t n = 1; n <= p.padded && !testing::Test::HasFatalFailure(); ++n) check_plan(p, n, tally);
    });
  EXPECT_GT(tally.counted, 10000);
  EXPECT_GT(tally.refused, 2000);
  EXPECT_GT(tally.free, 20);
}

TEST(ValidCountLaw, every_placement_of_three_factors) {
  Tally tally;
  each_placement(3, 64, [&](const Placement& p) {
    for (std::int64_t n = 1; n <= p.padded && !testing::Test::HasFatalFailure(); ++n) check_plan(p, n, tally);
  });
  EXPECT_GT(tally.counted, 50000);
  EXPECT_GT(tally.refused, 20000);
}

/// Where counts cannot do it, identity values must, or it is refused.
TEST(ValidCountLaw, lowered_reduces_fold_what_exists) {
  std::int64_t accepted = 0, filled = 0, refused = 0, met = 0;
  for (int factors : {2, 3})
    each_placement(factors, factors == 2 ? 64 : 32, [&](const Placement& p) {
      for (std::int64_t n = 2; n <= p.padded && !testing::Test::HasFatalFailure(); ++n) {
        if (++met % 13 != 0) continue;  // the rules' answers are all checked above; this is the way through the compiler
        auto const pass = reduce_pass(p, n);
        if (!pass) continue;
        auto const program = pass->lowered();
        if (!program) {
          ++refused;
          continue;
        }
        ++accepted;
        filled += std::get<program::IntraSliceReduceStep>(vector_of(*program).steps[2].what).identity.has_value();
        ASSERT_NO_THROW(check_folds(p, n, *pass)) << p.name(n);
      }
    });
  EXPECT_GT(accepted, 300);
  EXPECT_GT(filled, 10);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace tcp::lower
