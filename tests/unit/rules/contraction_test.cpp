// Contraction rules beyond the book's examples: generated contractions, every lane of which is looked at, and the corners of each rule.
#include "tcp/rules/contraction.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "book/rules/contraction_example.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

using book::code_of, book::Contraction, book::lanes_agree, book::sentence_of;
using enum ScalarType;
constexpr auto Interleaved = AccumulationKind::Interleaved;
constexpr auto Sequential = AccumulationKind::Sequential;

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& p : parts) all += (all.empty() ? "" : ", ") + p;
  return all.empty() ? "1" : all;
}
std::int64_t below(Random& random, std::int64_t n) { return random.between(0, n - 1); }
template <class T>
void shuffle(Random& random, std::vector<T>& v) {
  for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(i)))]);
}

/// Axes M, K and L of the stream, N and T of the TRF; L is in both or in the stream alone.
struct Generated {
  std::string axes, time, packet, element, time2, packet2;
  ScalarType type = bf16;

  std::string shown() const {
    return axes + "; Time " + time + ", Packet " + packet + "; Element " + element + "; align " + time2 + " | " + packet2;
  }
};

Generated generate(Random& random) {
  constexpr ScalarType types[] = {i4, i8, f8e4m3, bf16};
  Generated g;
  g.type = types[below(random, 4)];
  std::int64_t const flit = 256 / scalar_info(g.type).packet_bits;
  std::int64_t const blocks = 1 + below(random, 4);
  std::int64_t const extent = blocks * flit - (below(random, 3) == 0 ? below(random, flit / 2) : 0);
  std::int64_t const padded = blocks * flit;
  bool const two = blocks % 2 == 0 && below(random, 2) == 0;
  std::string const sign = below(random, 2) == 0 ? " # " : " #z ", weight_sign = below(random, 2) == 0 ? " # " : " #z ";
  std::string const k = "K" + sign + std::to_string(padded);
  std::int64_t const m = 1 + below(random, 4), l = 1 + below(random, 3), t = 1 + below(random, 3);
  g.axes =
      "M = " + std::to_string(m) + ", L = " + std::to_string(l) + ", T = " + std::to_string(t) + ", N = 8, K = " + std::to_string(extent);

  std::vector<std::string> order{"M", "L"};
  shuffle(random, order);
  // The blocks of K lie anywhere in Time if one flit is taken, and innermost if two are.
  std::vector<std::string> stream = order, rest = order;
  auto const place = static_cast<std::ptrdiff_t>(two ? 2 : below(random, 3));
  stream.insert(stream.begin() + place, k + " / " + std::to_string(flit));
  if (two) rest.push_back(k + " / " + std::to_string(2 * flit));
  else rest.insert(rest.begin() + place, k + " / " + std::to_string(flit));
  g.time = joined(stream);
  g.packet = k + " % " + std::to_string(flit);
  g.packet2 = two ? k + " % " + std::to_string(2 * flit) : "[" + g.packet + "] # " + std::to_string(2 * flit);

  std::vector<std::string> weights{"L"};
  if (t > 1) {
    weights.push_back("T");
    rest.push_back("T");
  }
  shuffle(random, weights);
  weights.push_back("K" + weight_sign + std::to_string(padded));
  g.element = joined(weights);
  g.time2 = joined(rest);
  return g;
}

TEST(Contraction, generated_alignments_pair_the_right_lanes) {
  Random random(20'250'611);
  int undefined = 0;
  for (int i = 0; i < 50; ++i) {
    Generated const g = generate(random);
    Contraction const c(g.axes, g.type, g.time, g.packet, "N", g.element);
    auto const a = c.align(g.time2, g.packet2);
    ASSERT_TRUE(a) << g.shown() << "\n" << sentence_of(a);
    ASSERT_TRUE(lanes_agree(c, *a)) << g.shown();
    // Summing the packet is refused exactly where some lane of it is padding and not zero, while others hold elements.
    bool partly = false;
    std::int64_t const lanes = a->at[Level::packet].size;
    Mapping const all = pair(a->at[Level::time], a->at[Level::packet]);
    for (std::int64_t step = 0; step < a->at[Level::time].size; ++step) {
      bool live = false, bad = false;
      for (std::int64_t p = 0; p < lanes; ++p) {
        Cell const lane = cell(all, step * lanes + p);
        live |= lane.live();
        bad |= !lane.live() && lane.pad != Pad::zero;
      }
      partly |= live && bad;
    }
    auto const sum = check_contract(c.device, ContractOp::Add, c.type, a->at, Mapping{});
    ASSERT_EQ(sum.ok(), !partly) << g.shown() << "\n" << sentence_of(sum);
    undefined += partly;
  }
  EXPECT_GT(undefined, 3) << "the generator must reach undefined padding";
}

TEST(Contraction, generated_tiles_or_orders_never_pair_the_wrong_lanes) {
  // Whatever is declared: if it is accepted, it is right.
  Random random(77);
  int accepted = 0;
  for (int i = 0; i < 150; ++i) {
    Generated g = generate(random);
    Generated const other = generate(random);
    if (below(random, 2) == 0) g.element = "K, L, T";
    if (below(random, 3) == 0) g.packet2 = other.packet2;
    if (below(random, 3) == 0) g.time2 = other.time2;
    Axes const axes = parse_axes(g.axes).value();
    if (!parse(g.element, axes) || !parse(g.packet2, axes) || !parse(g.time2, axes)) continue;
    Contraction const c(g.axes, g.type, g.time, g.packet, "N", g.element);
    auto const a = c.align(g.time2, g.packet2);
    if (!a) continue;
    ++accepted;
    ASSERT_TRUE(lanes_agree(c, *a)) << g.shown();
  }
  EXPECT_GT(accepted, 20);
}

TEST(Contraction, generated_windows_shift_to_the_right_lanes) {
  Random random(4);
  int accepted = 0;
  for (int i = 0; i < 200; ++i) {
    ScalarType const type = below(random, 2) == 0 ? bf16 : i8;
    std::int64_t const flit = 256 / scalar_info(type).packet_bits;
    std::int64_t const w = 4 + below(random, flit), f = 2 + below(random, 3), s = 1 + below(random, 2), d = 1 + below(random, 2);
    std::int64_t const extent = s * (w - 1) + d * (f - 1) + 1;
    std::int64_t const flits = (extent + flit - 1) / flit;
    std::int64_t const left = f % 2 == 0 ? 1 + below(random, 2) : 1;
    if (flits > 3 || s == d * (f - 1) + 1) continue;  // the latter slides nowhere: it is W, F
    std::string const axes = "M = 3, W = " + std::to_string(w) + ", F = " + std::to_string(f);
    std::string const packet = "$(W:" + std::to_string(s) + ", F:" + std::to_string(d) + ") # " + std::to_string(flits * flit);
    // What the adapter leaves: W in steps of s, F's inner steps of d; only some of these are digits.
    std::string lanes;
    if (left == 1) lanes = s == 1 ? "W" : "W, 1 # 2";
    else if (s == 2 && d == 1) lanes = "W, F % 2";
    else continue;
    std::int64_t const live = w * (left == 1 ? s : 2);
    std::int64_t const all = 2 * flit;
    if (live > all) continue;
    std::string const packet2 = "[" + lanes + "] # " + std::to_string(all);
    std::string const time2 = left == 1 ? "M, F" : "M, F / 2";
    Contraction const c(axes, type, "M", packet, "1", left == 1 && s == 2 ? "F, 1 #z 2" : "F");
    auto const a = c.align(time2, packet2);
    ASSERT_TRUE(a) << axes << "; " << packet << " -> " << time2 << " | " << packet2 << "\n" << sentence_of(a);
    ASSERT_TRUE(lanes_agree(c, *a)) << axes << "; " << packet;
    EXPECT_EQ(a->adapter.collect_flits, flits);
    EXPECT_EQ(a->adapter.shifts, f / left);
    EXPECT_EQ(a->adapter.shift_stride, d * left);
    ++accepted;
  }
  EXPECT_GT(accepted, 50);
}

/// Time and Time2 of an accumulate: factors in random order, some of them left out.
TEST(Contraction, generated_accumulations_add_what_is_left_out) {
  Random random(9);
  for (int i = 0; i < 400; ++i) {
    struct Factor {
      std::string text;
      bool kept;
    };
    std::vector<Factor> factors{{"A", true}, {"B / 2", true}, {"B % 2", true}, {"C / 6", true}, {"C / 3 % 2", true}, {"C % 3", true}};
    shuffle(random, factors);
    std::vector<std::string> all, kept;
    bool any = false;
    for (Factor& f : factors) {
      f.kept = below(random, 2) == 0;
      any |= !f.kept;
      all.push_back(f.text);
      if (f.kept) kept.push_back(f.text);
    }
    AccumulationKind const kind = below(random, 2) == 0 ? AccumulationKind(Interleaved) : AccumulationKind(Sequential);
    Contraction const c("A = 3, B = 6, C = 12, N = 4, P = 4", bf16, joined(all), "1 # 16", "N", "1");
    Levels sums;
    sums.set(Level::row, c.map("N")).set(Level::time, c.map(joined(all))).set(Level::packet, c.map("P"));
    std::vector<std::string> time2 = kept;
    time2.push_back(kind == Interleaved ? "P" : "N");
    auto const a =
        check_accumulate(rngd, ContractOp::Add, kind, f32, sums, c.map(joined(time2)), c.map(kind == Interleaved ? "N # 8" : "P # 8"));
    std::string const shown = joined(all) + " -> " + joined(kept) + (kind == Interleaved ? " Interleaved" : " Sequential");
    // Sums that are open at once, counted by hand: what is kept inside the first factor that is not.
    std::int64_t open = kind == Interleaved ? 4 : 4;
    for (std::size_t k = 0, first = factors.size(); k < factors.size(); ++k) {
      if (!factors[k].kept && first == factors.size()) first = k;
      if (factors[k].kept && k > first) open *= c.map(factors[k].text).size;
    }
    std::int64_t const slots = open * (kind == Interleaved ? 8 : 32);
    if (any && slots > 1024) {
      ASSERT_EQ(code_of(a), "contraction-accumulate-slots") << shown;
      continue;
    }
    ASSERT_TRUE(a) << shown << "\n" << sentence_of(a);
    EXPECT_EQ(a->inner, any ? open : 1) << shown;
    EXPECT_EQ(a->slots, any ? slots : 0) << shown;

    // Every step goes to the place of Time2 that has its coordinates.
    Mapping const time = c.map(joined(all)), out = c.map(joined(kept));
    for (std::int64_t t = 0; t < time.size; ++t) {
      std::int64_t place = 0, inside = time.size;
      for (int k = 0; k < a->loops; ++k) {
        inside /= a->loop[k].rounds;
        if (!a->loop[k].added) place = place * a->loop[k].rounds + t / inside % a->loop[k].rounds;
      }
      Index const at = cell(time, t).index, there = cell(out, place).index;
      for (int k = 0; k < out.digits; ++k) {
        Digit const& d = out.digit[k];
        Name const name = out.axis[d.axis].name;
        ASSERT_EQ(at.get(name) / d.stride % d.size, there.get(name) / d.stride % d.size) << shown << " step " << t;
      }
    }
  }
}

/// What a lane or a sum holds.
enum class Holds { element, zeros, nothing };

Holds what_lies_at(const Mapping& m, std::int64_t i) {
  Cell const c = cell(m, i);
  return c.live() ? Holds::element : c.pad == Pad::zero ? Holds::zeros : Holds::nothing;
}

/// One axis, of any length, over Slice, Time and Packet: the rules must refuse wherever an undefined value would get into a sum.
TEST(Contraction, generated_sums_take_in_nothing_undefined) {
  Random random(31);
  int accepted = 0, refused = 0, needlessly = 0;
  for (int i = 0; i < 1500; ++i) {
    std::int64_t const extent = 3 + below(random, 60);
    std::string const k = std::string("K") + (below(random, 3) == 0 ? " #z 64" : " # 64");
    std::vector<std::string> time{k + " / 16 % 2", k + " / 8 % 2", "M"};
    bool const sliced = below(random, 2) == 0;
    if (!sliced) time.push_back(k + " / 32");
    shuffle(random, time);
    std::vector<std::string> time2;
    for (const std::string& t : time)
      if (below(random, 2) == 0) time2.push_back(t);
    std::int64_t const depth = below(random, 4);
    std::string const columns = "K # 64 % 8 / " + std::to_string(1 << depth);
    Axes const axes = parse_axes("M = 2, K = " + std::to_string(extent)).value();
    auto const map = [&](const std::string& text) { return parse(text, axes).value(); };
    Levels computation;
    if (sliced) computation.set(Level::slice, map(k + " / 32"));
    computation.set(Level::time, map(joined(time))).set(Level::packet, map("K # 64 % 8"));

    // By looking at every position.
    Mapping const places = pair(pair(computation[Level::slice], computation[Level::time]), computation[Level::packet]);
    if (!places.ok()) continue;
    std::vector<Holds> sum;
    bool undefined = false;
    auto const take_in = [&](Holds& into, Holds next) {
      undefined |= (into == Holds::element && next == Holds::nothing) || (into == Holds::nothing && next == Holds::element);
      if (next == Holds::element) into = next;
      if (next == Holds::nothing && into == Holds::zeros) into = next;
    };
    std::int64_t const group = std::int64_t{1} << depth;
    for (std::int64_t at = 0; at < places.size; at += group) {
      Holds all = what_lies_at(places, at);
      for (std::int64_t j = 1; j < group; ++j) take_in(all, what_lies_at(places, at + j));
      sum.push_back(all);
    }
    Levels sums = computation;
    sums.set(Level::packet, map(columns));
    std::string const shown = "K = " + std::to_string(extent) + ": Slice " + (sliced ? k + " / 32" : "1") + ", Time " + joined(time) +
                              ", depth " + std::to_string(depth) + ", Time2 " + joined(time2);
    auto const contracted = check_contract(rngd, ContractOp::Add, i8, computation, map(columns));
    if (contracted && undefined) FAIL() << shown << ": the tree adds undefined lanes";
    if (!contracted) {
      ASSERT_EQ(code_of(contracted), "contraction-undefined-padding") << shown;
      (undefined ? refused : needlessly) += 1;
      continue;
    }
    std::vector<std::string> declared = time2;
    declared.push_back(columns);
    if (!parse(joined(declared), axes)) continue;
    auto const a = check_accumulate(rngd, ContractOp::Add, Interleaved, i32, contracted->at, map(joined(declared)), map("1 # 8"));
    if (!a && code_of(a) == "contraction-accumulate-order") continue;  // a kept factor that ends with the axis is not what was cut
    auto const b = check_accumulate(rngd, ContractOp::Max, Interleaved, i32, contracted->at, map(joined(declared)), map("1 # 8"));
    EXPECT_TRUE(a || !b) << shown << ": zeros are padding to a maximum";
    std::vector<Holds> total;
    Mapping const& t = computation[Level::time];
    std::int64_t const wide = 8 / group, slices = computation[Level::slice].size;
    std::int64_t kept_rounds = 1;
    detail::TimeSplit const split(t, map(joined(time2)));
    if (!split.found) continue;
    for (int l = 0; l < split.loops; ++l) kept_rounds *= split.loop[l].added ? 1 : split.loop[l].rounds;
    total.assign(static_cast<std::size_t>(slices * kept_rounds * wide), Holds::zeros);
    std::vector<bool> begun(total.size(), false);
    for (std::int64_t s = 0; s < slices; ++s)
      for (std::int64_t step = 0; step < t.size; ++step)
        for (std::int64_t c = 0; c < wide; ++c) {
          std::int64_t place = 0, inside = t.size;
          for (int l = 0; l < split.loops; ++l) {
            inside /= split.loop[l].rounds;
            if (!split.loop[l].added) place = place * split.loop[l].rounds + step / inside % split.loop[l].rounds;
          }
          auto const into = static_cast<std::size_t>((s * kept_rounds + place) * wide + c);
          Holds const next = sum[static_cast<std::size_t>((s * t.size + step) * wide + c)];
          if (begun[into]) take_in(total[into], next);
          else total[into] = next;
          begun[into] = true;
        }
    if (a && undefined) FAIL() << shown << ": undefined sums are added";
    if (!a) {
      ASSERT_EQ(code_of(a), "contraction-undefined-padding") << shown;
      (undefined ? refused : needlessly) += 1;
    } else {
      ++accepted;
    }
  }
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 200);
  EXPECT_EQ(needlessly, 0);
}

TEST(Contraction, zeros_of_either_side_are_zeros_of_the_pair) {
  // Twelve elements in a flit: the last four lanes are undefined in the stream, the other flit is the adapter's zeros.
  Contraction c("M = 4, N = 8, K = 12", bf16, "M", "K # 16", "N", "M, K # 16");
  auto pair = c.align("M", "K # 32").value();
  EXPECT_EQ(pair.at[Level::packet], c.map("1 #z 2, K # 16")) << "two kinds of padding, side by side";
  EXPECT_EQ(code_of(c.contract(pair, "1")), "contraction-undefined-padding");
  c.trf.set(Level::element, c.map("M, K #z 16"));
  pair = c.align("M", "K # 32").value();
  EXPECT_EQ(pair.at[Level::packet], c.map("K #z 32"));
  EXPECT_EQ(code_of(c.contract(pair, "1")), "accepted");
  EXPECT_TRUE(lanes_agree(c, pair));

  // Zeros in the TRF beyond the piece that is read and repeated are never met.
  Contraction d("M = 4, N = 8, K = 12", bf16, "M, K # 32 / 16", "K # 32 % 16", "N", "K #z 32");
  auto const wide = d.align("M", "K # 32").value();
  EXPECT_EQ(wide.trf.read, Bytes{32});
  EXPECT_EQ(wide.at[Level::packet], d.map("K # 32"));

  // In Time: steps of the TRF's own padding.
  Contraction e("M = 4, N = 8, K = 48", bf16, "M, K # 64 / 16", "K # 64 % 16", "N", "K # 64");
  EXPECT_EQ(e.align("M, K # 64 / 16", "K # 64 % 16 # 32").value().at[Level::time], e.map("M, K # 64 / 16"));
  e.trf.set(Level::element, e.map("K #z 64"));
  EXPECT_EQ(e.align("M, K # 64 / 16", "K # 64 % 16 # 32").value().at[Level::time], e.map("M, K #z 64 / 16"));
  e.trf.set(Level::element, e.map("K"));
  EXPECT_EQ(e.align("M, K # 64 / 16", "K # 64 % 16 # 32").value().at[Level::time], e.map("M, K # 64 / 16"))
      << "read from behind the tensor";

  // An axis that only the TRF has: the stream repeats, and is no help.
  Contraction f("M = 4, N = 8, K = 16, T = 3", bf16, "M", "K", "N", "T #z 4, K");
  EXPECT_EQ(f.align("M, T # 4", "K # 32").value().at[Level::time], f.map("M, T #z 4"));
  f.trf.set(Level::element, f.map("T # 4, K"));
  EXPECT_EQ(f.align("M, T # 4", "K # 32").value().at[Level::time], f.map("M, T # 4"));
}

TEST(Contraction, an_axis_that_ends_in_another_slice) {
  Contraction c("S = 4, N = 8, K = 61", bf16, "1", "K # 64 % 16", "N", "K # 64 % 16");
  c.stream.set(Level::slice, c.map("K # 64 / 16"));
  c.trf.set(Level::slice, c.map("K # 64 / 16"));
  EXPECT_EQ(code_of(c.contract(c.align("1", "K # 64 % 16"), "1")), "contraction-undefined-padding");
  c.trf.set(Level::slice, c.map("K #z 64 / 16"));
  auto const pair = c.align("1", "K # 64 % 16").value();
  EXPECT_EQ(code_of(c.contract(pair, "1")), "accepted");
  // The compiler finds the lanes by slice.
  EXPECT_EQ(zero_lanes(pair.at, {.slice = 0}), (LaneMask{0xffff0000}));
  EXPECT_EQ(zero_lanes(pair.at, {.slice = 3}), (LaneMask{0xffffe000}));
  EXPECT_TRUE(zero_lanes(pair.at, {.slice = 3}).contains(13));
  EXPECT_FALSE(zero_lanes(pair.at, {.slice = 3}).contains(12));
}

TEST(Contraction, lanes_that_are_zero_at_some_steps) {
  Contraction c("N = 8, K = 40", i8, "K #z 128 / 32", "K # 128 % 32", "N", "K # 128");
  auto const pair = c.align("K # 128 / 64", "K # 128 % 64").value();
  EXPECT_EQ(zero_lanes(pair.at, {.time = 0}), (LaneMask{0xffffff0000000000}));
  EXPECT_EQ(zero_lanes(pair.at, {.time = 1}), (LaneMask{0xffffffffffffffff}));
  Contraction d("N = 8, K = 100", i4, "K #z 128 / 64", "K # 128 % 64", "N", "K # 128");
  EXPECT_EQ(zero_lanes(d.align("1", "K # 128").value().at, {}), (LaneMask{0, 0xfffffff000000000}));
}

TEST(Contraction, a_start_stays_outside) {
  // The second half of K. A cut leaves the start on its outer side: in Time.
  Contraction c("M = 3, N = 8, K = 64", bf16, "M, K @ 32 / 16 = 2", "K % 16", "N", "K @ 32 = 32");
  auto const pair = c.align("M, K @ 32 = 1", "K % 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->trf.loops.base, 0);
  EXPECT_TRUE(lanes_agree(c, *pair));
  EXPECT_EQ(code_of(c.align("M", "K % 32")), "contraction-time-wrong") << "that is the first half";
  auto const sums = c.contract(pair, "1");
  EXPECT_EQ(c.accumulate(sums, "M", "N", Interleaved).value().out.time, c.map("M")) << "K is gone, and its start with it";
}

TEST(Contraction, flits_are_transposed_within) {
  struct Case {
    ScalarType type;
    const char *axes, *packet, *turned;
    std::int64_t rows, columns;
  };
  for (const Case& x :
       {Case{i4, "M = 2, A = 4, B = 16, N = 8", "A, B", "B, A", 4, 16}, Case{i8, "M = 2, A = 2, B = 16, N = 8", "A, B", "B, A", 2, 16},
        Case{f8e4m3, "M = 2, A = 4, B = 8, N = 8", "A, B", "B, A", 4, 8}, Case{bf16, "M = 2, A = 2, B = 8, N = 8", "A, B", "B, A", 2, 8},
        Case{bf16, "M = 2, A = 16, N = 8", "A", "A % 8, A / 8", 2, 8}}) {
    Contraction const c(x.axes, x.type, "M", x.packet, "N", x.turned);
    std::string const whole = "[" + std::string(x.turned) + "] # " + std::to_string(512 / scalar_info(x.type).packet_bits);
    auto const one_flit = c.align("M", whole);
    ASSERT_TRUE(one_flit) << sentence_of(one_flit);
    EXPECT_EQ(one_flit->adapter.transpose, (FlitTranspose{x.rows, x.columns}));
    EXPECT_TRUE(lanes_agree(c, *one_flit));
    auto const two_flits = c.align("1", "M, " + std::string(x.turned));
    ASSERT_TRUE(two_flits) << sentence_of(two_flits);
    EXPECT_EQ(two_flits->adapter.collect_flits, 2);
    EXPECT_TRUE(lanes_agree(c, *two_flits));
  }
  Contraction const other("M = 2, A = 4, B = 4, N = 8", bf16, "M", "A, B", "N", "B, A");
  EXPECT_EQ(code_of(other.align("M", "[B, A] # 32")), "contraction-packet-wrong") << "bf16 turns 2 by 8 only";
}

TEST(Contraction, a_window_may_stand_among_other_factors) {
  // Four channels inside: one step of the filter moves on by four elements.
  Contraction inside("M = 3, W = 6, F = 3, C = 4", i8, "M", "$(W, F), C", "1", "F, C");
  auto pair = inside.align("M, F", "[W # 8, C] # 64");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.shift_stride, 4);
  EXPECT_TRUE(lanes_agree(inside, *pair));
  // Two windows side by side: they shift together.
  Contraction outside("M = 3, W = 14, F = 3, C = 2", i8, "M", "C, $(W, F)", "1", "F, C");
  pair = outside.align("M, F", "[C, W # 16] # 64");
  EXPECT_EQ(code_of(pair), "contraction-trf-not-repeated") << "C is outside of W, which the TRF does not have";
  outside.trf.set(Level::element, outside.map("F"));
  pair = outside.align("M, F", "[C, W # 16] # 64");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_TRUE(lanes_agree(outside, *pair));
  // A flit of windows, two of them a packet.
  Contraction two("M = 4, W = 14, F = 3", bf16, "M", "$(W, F)", "1", "F");
  pair = two.align("M / 2, F", "M % 2, W # 16");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.collect_flits, 2);
  EXPECT_TRUE(lanes_agree(two, *pair));
  // Repeated for the TRF's own axis, inside the shift.
  Contraction tiled("M = 4, W = 14, F = 3, T = 5", bf16, "M", "$(W, F)", "1", "T, F");
  pair = tiled.align("M, F, T", "W # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.tiles, 5);
  EXPECT_TRUE(lanes_agree(tiled, *pair));
  EXPECT_EQ(code_of(tiled.align("M, T, F", "W # 32")), "contraction-time-wrong") << "the adapter repeats inside, and shifts outside";
}

TEST(Contraction, CHIP_14_an_axis_that_neither_operand_has_repeats) {
  Contraction const c("M = 4, N = 8, K = 16, D = 3", bf16, "M", "K", "N", "K");
  auto const pair = c.align("M, D", "K # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->adapter.tiles, 3);
  EXPECT_TRUE(lanes_agree(c, *pair));
}

TEST(Contraction, more_loops_than_the_sequencer_has) {
  // Nine factors in an order that nothing joins; two of them are neighbours in the TRF, too.
  Contraction c("A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2, K = 16, N = 8", bf16, "A, B, C, D, E, F, G, H, I", "K", "N",
                "B, A, D, C, F, E, H, G, I, K");
  EXPECT_EQ(code_of(c.align("A, B, C, D, E, F, G, H, I", "K # 32")), "sequence-too-many-entries");
  c.trf.set(Level::element, c.map("A, B, D, C, F, E, H, G, I, K"));
  auto const pair = c.align("A, B, C, D, E, F, G, H, I", "K # 32");
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->trf.loops.entries, 8);
  EXPECT_TRUE(lanes_agree(c, *pair));
}

TEST(Contraction, four_bit_weights_are_read_by_the_byte) {
  Contraction c("M = 4, N = 8, K = 64, L = 2", i4, "M, L", "K", "N", "K");
  EXPECT_EQ(c.align("M", "L, K").value().trf.read, Bytes{32});
  c = Contraction("M = 4, N = 8, K = 64, T = 3", i4, "M", "K", "N", "T");
  EXPECT_EQ(code_of(c.align("M, T", "K # 128")), "contraction-trf-read-size") << "one weight of four bits for all lanes";
  c = Contraction("M = 4, N = 8, K = 64, T = 3", i8, "M, K / 32", "K % 32", "N", "T");
  EXPECT_EQ(c.align("M, T", "K").value().trf.read, Bytes{1});
}

TEST(Contraction, columns_of_padding_may_be_cut_off) {
  Contraction const c("M = 4, N = 8, K = 64, L = 2", i8, "M, K / 32", "K % 32", "N", "K");
  auto const pair = c.align("M, K / 32", "K % 32 # 64");
  EXPECT_EQ(c.contract(pair, "K % 32 / 4 # 16").value().depth, 2);
  EXPECT_EQ(c.contract(pair, "K % 32 / 4").value().depth, 2);
  EXPECT_EQ(c.contract(pair, "K % 32").value().depth, 0) << "64 columns, 32 of them padding";
  EXPECT_EQ(code_of(c.contract(pair, "K % 32 / 4 = 4")), "contraction-columns-wrong") << "elements are no padding";
  EXPECT_EQ(c.contract(pair, "1").value().depth, 6) << "the deepest tree that gives it";
  EXPECT_EQ(c.contract(pair, "1 # 2").value().depth, 5);

  auto const sums = c.contract(pair, "K % 32 / 4 # 16");
  EXPECT_EQ(c.accumulate(sums, "M, K % 32 / 4 # 16", "N", Interleaved).value().columns, 16);
  EXPECT_EQ(c.accumulate(sums, "M, K % 32 / 4", "N", Interleaved).value().columns, 8);
  EXPECT_EQ(code_of(c.accumulate(sums, "M, K % 32 / 4 = 4", "N", Interleaved)), "contraction-accumulate-time");
  EXPECT_EQ(c.accumulate(sums, "M, N, 1 # 2", "K % 32 / 4", Sequential).value().columns, 16);
  EXPECT_EQ(c.accumulate(sums, "M, N", "K % 32 / 4", Sequential).value().columns, 8);
}

TEST(Contraction, a_maximum_takes_no_zeros) {
  Contraction const c("M = 4, K = 16", bf16, "M", "K", "1", "K");
  auto const pair = c.align("M", "K");
  EXPECT_EQ(code_of(c.contract(pair, "1", ContractOp::Max)), "contraction-max-padding") << "the other half of the packet";
  auto const most = c.contract(pair, "1 # 2", ContractOp::Max);
  ASSERT_TRUE(most) << sentence_of(most);
  EXPECT_EQ(most->depth, 4);
  EXPECT_TRUE(c.accumulate(most, "M", "1 # 8", Interleaved, ContractOp::Max));
  // Over time as well.
  Contraction const t("M = 4, K = 48", bf16, "M, K #z 64 / 16", "K % 16", "1", "K # 64");
  auto const sums = t.contract(t.align("M, K # 64 / 16", "K % 16"), "1 # 2", ContractOp::Max);
  EXPECT_EQ(code_of(t.accumulate(sums, "M", "1 # 8", Interleaved, ContractOp::Max)), "contraction-max-padding");
  EXPECT_EQ(code_of(t.accumulate(sums, "M", "1 # 8", Interleaved, ContractOp::Add)), "accepted");
}

TEST(Contraction, a_padded_row_stays_padded) {
  Contraction const c("M = 4, N = 3, K = 32", bf16, "M, K / 16", "K % 16", "N # 4", "K");
  auto const sums = c.contract(c.align("M", "K"), "1");
  EXPECT_EQ(c.accumulate(sums, "M", "N # 8", Interleaved).value().out.packet, c.map("N # 8"));
  EXPECT_EQ(c.accumulate(sums, "M, N # 4", "1 # 8", Sequential).value().out.packet, c.map("1 #z 8")) << "columns without a sum are zeros";
}

TEST(Contraction, groups_with_padding_of_their_own_are_kept_or_added_whole) {
  Levels sums;
  Axes const axes = parse_axes("A = 3, B = 5, C = 2, N = 8").value();
  auto const map = [&](std::string_view text) { return parse(text, axes).value(); };
  sums.set(Level::row, map("N")).set(Level::time, map("[A, B] #z 16, C"));
  auto const result = [&](std::string_view time2) {
    return check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums, map(time2), map("N"));
  };
  EXPECT_EQ(code_of(result("[A, B] # 16, C")), "accepted");
  EXPECT_EQ(code_of(result("1")), "accepted");
  EXPECT_EQ(code_of(result("A, C")), "contraction-accumulate-order");
}

TEST(Contraction, numbers_near_the_end_of_64_bits) {
  Contraction const c("A = 9223372036854775807, B = 4611686018427387904, W = 1000000000, F = 3, N = 8", bf16, "B", "$(W, F) # 1000000016",
                      "N", "F");
  EXPECT_EQ(code_of(collected(rngd, bf16, c.map("B"), c.map("$(W, F) # 1000000016"))), "contraction-flit-buffer");
  EXPECT_EQ(code_of(c.align("F", "W = 32")), "contraction-packet-wrong") << "at once, without trying shifts";
  Levels sums;
  auto const added = [&](std::string_view time, std::string_view packet, std::string_view time2) {
    sums.set(Level::time, c.map(time)).set(Level::packet, c.map(packet));
    return code_of(check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums, c.map(time2), c.map("1 # 8")));
  };
  EXPECT_EQ(added("B", "1", "1"), "accepted");
  EXPECT_EQ(added("B", "1", "B / 64"), "accepted") << "B % 64 is added";
  EXPECT_EQ(added("B", "1", "B % 2305843009213693952"), "contraction-accumulate-slots");
  EXPECT_EQ(added("B / 2", "1 # 4", "1"), "accepted");
  EXPECT_EQ(added("1", "1 # 4611686018427387904", "1"), "contraction-accumulate-time");
  EXPECT_EQ(added("A / 7 # 4611686018427387904", "1", "A / 49"), "contraction-accumulate-order");
}

TEST(Contraction, at_compile_time) {
  static constexpr Mapping time = [] {
    Axes const axes = parse_axes("I = 32, J = 32, K = 64").value();
    return parse("I, J / 8, K / 16", axes).value();
  }();
  static_assert(
      adapt(rngd, bf16, time, modulo(axis_mapping(Name("K"), 64), 16), divide_by(time, 2), modulo(axis_mapping(Name("K"), 64), 32))
          .value()
          .settings.collect_flits == 2);
}

}  // namespace
}  // namespace tcp
