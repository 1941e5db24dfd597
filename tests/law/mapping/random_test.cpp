// The laws on large expressions: axes up to a million, up to sixteen factors, groups in groups; cells are compared at some positions only.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iostream>

#include "oracle.hpp"
#include "small_expressions.hpp"
#include "tcp/mapping/parse.hpp"

namespace {

using namespace tcp;
using oracle::E;

const oracle::Axes large_axes{{"Tokens", 1'000'000}, {"K", 65'536}, {"D", 61}, {"Heads", 96}, {"P", 1'021}, {"S", 720'720}};
constexpr Axes library_axes = *parse_axes("Tokens = 1000000, K = 65536, D = 61, Heads = 96, P = 1021, S = 720720");
constexpr std::int64_t most_positions = std::int64_t{1} << 60;

/// A divisor of n, made of its small prime factors.
std::int64_t draw_divisor(Draw& draw, std::int64_t n) {
  std::int64_t d = 1;
  for (std::int64_t p : {2, 2, 2, 2, 3, 3, 5, 5, 7, 11, 13})
    if (n % (d * p) == 0 && draw.chance(40)) d *= p;
  return d;
}

/// The factors of one axis: A / n1, A / n2 % m, …, A % n: one digit each. Axes of awkward size are padded first.
void spell(Draw& draw, std::vector<E>& factors, int axis) {
  E whole = oracle::axis(large_axes, axis);
  std::int64_t const extent = whole->size;
  if (extent == 61 || extent == 1'021) whole = oracle::unary(draw.chance(50) ? '#' : 'z', whole, extent == 61 ? 64 : 1'024);
  else if (draw.chance(15)) whole = oracle::unary('@', whole, draw.between(1, 40));
  else if (extent < 100 && draw.chance(50)) whole = oracle::unary('z', oracle::unary('<', whole, draw.between(1, 40)), extent + 48);
  E rest = whole;
  for (std::int64_t cuts = draw.between(0, 3); cuts > 0; --cuts) {
    std::int64_t const n = draw_divisor(draw, rest->size);
    if (n == 1 || n == rest->size) continue;
    factors.push_back(oracle::unary('%', rest, n));
    rest = oracle::unary('/', rest, n);
  }
  factors.push_back(rest);
  if (draw.chance(10))  // a start without a step, which slides the other factors of the axis
    factors.push_back(oracle::unary('=', oracle::unary('@', oracle::axis(large_axes, axis), draw.between(1, extent - 1)), 1));
}

E draw_operator(Draw& draw, const E& e) {
  std::int64_t const n = e->size;
  // To cut padding in front, the oracle would look at every position.
  bool const in_front = std::any_of(e->start.begin(), e->start.end(), [](std::int64_t s) { return s < 0; });
  switch (in_front ? 5 : draw.between(0, 7)) {
    case 0: return oracle::unary('#', e, n + draw.between(0, 9));
    case 1: return oracle::unary(draw.chance(50) ? 'z' : '!', e, n * draw.between(1, 3));
    case 2: return oracle::unary('=', e, n / draw_divisor(draw, n));
    case 3: return oracle::unary('/', e, draw_divisor(draw, n));
    case 4: return oracle::unary('%', e, draw_divisor(draw, n));
    case 5: return oracle::pair(e, oracle::number(large_axes, draw.between(1, 3)));
    case 6: return oracle::pair(oracle::unary('#', oracle::number(large_axes, 1), draw.between(1, 4)), e);
    default: return e;
  }
}

/// Factors of some axes in any order, grouped in any way, with operators on some of the groups.
E draw_tree(Draw& draw) {
  std::vector<E> factors;
  std::vector<int> axes{0, 1, 2, 3, 4, 5};
  for (std::int64_t n = draw.between(1, 5); n > 0; --n) {
    auto const at = axes.begin() + draw.between(0, static_cast<std::int64_t>(axes.size()) - 1);
    spell(draw, factors, *at);
    axes.erase(at);
  }
  for (std::size_t i = factors.size(); i > 1; --i)
    std::swap(factors[i - 1], factors[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(i) - 1))]);
  while (factors.size() > 1) {
    auto const at = static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(factors.size()) - 2));
    Checked const size = Checked(factors[at]->size) * factors[at + 1]->size;
    E joined = size.fits && size.value < most_positions ? oracle::pair(factors[at], factors[at + 1]) : factors[at];
    if (draw.chance(35) && joined->size < most_positions / 4) joined = draw_operator(draw, joined);
    factors[at] = joined;
    factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return factors[0];
}

std::vector<std::int64_t> draw_positions(Draw& draw, const E& e) {
  std::vector<std::int64_t> at{0, e->size - 1, e->size / 2};
  for (int i = 0; i < 12; ++i) at.push_back(draw.between(0, e->size - 1));
  // Around multiples of small numbers factors begin and end.
  for (int i = 0; i < 12; ++i)
    at.push_back(std::clamp<std::int64_t>(draw.between(0, e->size / 16) * 16 + draw.between(-1, 1), 0, e->size - 1));
  return at;
}

bool agrees(const Cell& got, const oracle::Cell& want) {
  if (want.unsure) return true;
  if (want.padding())
    return got.kind == CellKind::padding && static_cast<int>(got.pad) >= want.least && static_cast<int>(got.pad) <= want.greatest;
  if (!got.live()) return false;
  for (std::size_t a = 0; a < large_axes.size(); ++a)
    if (got.index.get(large_axes[a].name) != want.at[a]) return false;
  return true;
}

constexpr int trees_a_case = 200;

struct Seen {
  int accepted = 0, refused = 0, digits = 0, tails = 0, depth = 0;

  void note(const E& e, const Expected<Mapping>& m) {
    (m ? accepted : refused) += 1;
    depth = std::max(depth, e->depth);
    if (m) digits = std::max<int>(digits, m->digits), tails = std::max<int>(tails, m->tails);
  }
  ~Seen() {
    if (accepted + refused > 0)
      std::cout << accepted << " accepted, " << refused << " refused; up to " << digits << " digits, " << tails << " tails, " << depth
                << " deep\n";
  }
} seen;

RC_GTEST_PROP(LargeExpressions, HoldWhatTheirTreesSay, ()) {
  Draw draw;
  for (int i = 0; i < trees_a_case; ++i) {
    E const e = draw_tree(draw);
    std::string const text = e->text();
    auto const m = parse(text, library_axes);
    seen.note(e, m);
    if (!m) continue;
    RC_ASSERT(m->size == e->size);
    for (std::int64_t at : draw_positions(draw, e)) {
      Cell const got = cell(*m, at);
      if (!agrees(got, e->cell(at)))
        RC_FAIL(text + " = " + printed(*m) + " at " + std::to_string(at) + ": " + printed(got) + ", not " +
                printed(e->cell(at), large_axes));
      if (got.live()) {
        std::int64_t const found = place(*m, got.index);
        RC_ASSERT(found >= 0 && found <= at);
        RC_ASSERT(cell(*m, found).index == got.index);
      }
    }
  }
}

RC_GTEST_PROP(LargeExpressions, ArePrintedInOneWayAndReadAgain, ()) {
  Draw draw;
  for (int i = 0; i < trees_a_case; ++i) {
    std::string const text = draw_tree(draw)->text();
    auto const m = parse(text, library_axes);
    if (!m) continue;
    auto const again = parse(printed(*m), library_axes);
    if (!again || !(*again == *m)) RC_FAIL(text + " prints " + printed(*m));
    RC_ASSERT(printed(*again) == printed(*m));
  }
}

RC_GTEST_PROP(LargeExpressions, MAP_42_are_the_pair_of_their_two_sides, ()) {
  Draw draw;
  for (int i = 0; i < trees_a_case; ++i) {
    E const e = draw_tree(draw);
    auto const m = parse(e->text(), library_axes);
    if (!m) continue;
    bool const started = std::any_of(e->start.begin(), e->start.end(), [](std::int64_t s) { return s != 0; });
    for (int k = 0; k < 4; ++k) {
      std::int64_t const n = draw_divisor(draw, m->size);
      Halves const h = split_at(*m, n);
      if (!h.outer.ok()) continue;
      RC_ASSERT(h.outer.size == m->size / n && h.inner.size == n);
      Mapping const both = pair(h.outer, h.inner);
      if (started ? !equivalent(both, *m) : !(both == *m))
        RC_FAIL(e->text() + " = " + printed(*m) + " at " + std::to_string(n) + ": " + printed(h.outer) + " | " + printed(h.inner) +
                " make " + printed(both));
    }
  }
}

RC_GTEST_PROP(LargeExpressions, MAP_40_equivalent_is_reflexive_symmetric_and_transitive_and_blind_to_kinds, ()) {
  Draw draw;
  E const e = draw_tree(draw);
  auto const m = parse(e->text(), library_axes);
  if (!m) return;
  Mapping const plain = without_kinds(*m), other = without_kinds(m->pad_zero(m->size + 1));
  RC_ASSERT(equivalent(*m, *m));
  RC_ASSERT(equivalent(*m, plain) && equivalent(plain, *m));
  RC_ASSERT(!equivalent(*m, other) && !equivalent(other, *m));
  RC_ASSERT(equivalent(m->pad(m->size + 1), m->pad_bottom(m->size + 1)));
  RC_ASSERT(equivalent(m->pad_zero(m->size + 1), other));
}

}  // namespace
