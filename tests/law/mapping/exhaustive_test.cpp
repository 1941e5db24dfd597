// The laws of the algebra on all small expressions, against trees that are evaluated position by position.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <optional>
#include <unordered_map>

#include "small_expressions.hpp"
#include "tcp/mapping/walk.hpp"

namespace {

using namespace tcp;
using oracle::E;

const std::size_t axis_count = small::oracle_axes.size();

/// Whether the cell is what the tree says it is.
bool agrees(const Cell& got, const oracle::Cell& want) {
  if (want.unsure) return true;
  if (want.padding())
    return got.kind == CellKind::padding && static_cast<int>(got.pad) >= want.least && static_cast<int>(got.pad) <= want.greatest;
  if (!got.live()) return false;
  for (std::size_t a = 0; a < axis_count; ++a)
    if (got.index.get(small::oracle_axes[a].name) != want.at[a]) return false;
  return true;
}

/// The meaning of a tree as a text: its size, its starts, and at each position the coordinates before the axes' limits, or padding. Nothing where the
/// rules leave a position open.
std::optional<std::string> meaning(const E& e) {
  std::string key = std::to_string(e->size);
  for (std::size_t a = 0; a < axis_count; ++a) key += '@' + std::to_string(e->start[a]);
  for (std::int64_t i = 0; i < e->size; ++i) {
    oracle::Cell const c = e->before_limits(i);
    if (c.unsure) return std::nullopt;
    bool const padding = c.padding() || e->behind_end(c);
    key += ';';
    for (std::size_t a = 0; a < axis_count; ++a)
      if (!padding && c.at[a] != 0) key += small::oracle_axes[a].name + std::to_string(c.at[a]);
    if (padding) key += '-';
  }
  return key;
}

int kinds_written(const E& e) { return e->kinds[oracle::zero] + (e->kinds[oracle::top] || e->runs_over) + e->kinds[oracle::bottom]; }

bool has_start(const E& e) {
  return std::any_of(e->start.begin(), e->start.end(), [](std::int64_t s) { return s != 0; });
}

TEST(SmallExpressions, AreMoreThanAHundredThousand) {
  small::Counts const n = small::each_accepted([](const E&, const std::string&, const Mapping&) {});
  std::cout << n.accepted << " expressions accepted, " << n.refused << " refused\n";
  EXPECT_GE(n.accepted, 100'000);
  EXPECT_GE(n.refused, 10'000);
}

TEST(SmallExpressions, HoldWhatTheirTreesSay) {
  Complaints wrong("size, cells and kinds of padding are those of the tree");
  std::int64_t cells = 0, open = 0, exact = 0, padding = 0;
  small::each_accepted([&](const E& e, const std::string& text, const Mapping& m) {
    if (m.size != e->size) wrong.add(text, " has ", m.size, " positions, not ", e->size);
    if (cell(m, -1).kind != CellKind::outside || cell(m, m.size).kind != CellKind::outside) wrong.add(text, " goes on beyond its ends");
    for (std::int64_t i = 0; i < e->size; ++i) {
      oracle::Cell const want = e->cell(i);
      Cell const got = cell(m, i);
      ++cells;
      open += want.unsure;
      padding += want.padding();
      exact += want.padding() && want.least == want.greatest;
      if (!agrees(got, want))
        return wrong.add(text, " = ", printed(m), " at ", i, ": ", printed(got), ", not ", printed(want, small::oracle_axes));
    }
  });
  std::cout << cells << " cells, " << open << " left open by the rules, " << padding << " padding, " << exact
            << " of them of one possible kind\n";
  EXPECT_LT(open, cells / 100);
  EXPECT_GT(exact, padding / 3);
}

TEST(SmallExpressions, AreWalkedAsTheyLie) {
  Complaints wrong("a walk meets the cells of cell()");
  small::each_accepted([&](const E&, const std::string& text, const Mapping& m) {
    std::int64_t i = 0;
    auto const same = [&](const Walk& w) {
      Cell const c = cell(m, i);
      bool good = w.position() == i && w.live() == c.live();
      for (int a = 0; a < m.axes && good && c.live(); ++a) good = w.coordinate(a) == c.index.get(m.axis[a].name);
      return good;
    };
    for (Walk w(m); !w.done(); w.next(), ++i)
      if (!same(w)) return wrong.add(text, " by steps, at ", i);
    if (i != m.size) wrong.add(text, " by steps: ", i, " positions");
    i = 0;
    bool good = true;
    Walk(m).each([&](const Walk& w) {
      good = good && same(w);
      ++i;
    });
    if (!good || i != m.size) wrong.add(text, " by each()");
  });
}

TEST(SmallExpressions, ArePrintedInOneWayAndReadAgain) {
  Complaints wrong("parse(print(m)) is m, and printing that again changes nothing");
  small::each_accepted([&](const E&, const std::string& text, const Mapping& m) {
    std::string const canonical = printed(m);
    auto const again = parse(canonical, small::axes);
    if (!again) return wrong.add(text, " prints ", canonical, ", which is refused: ", again.refusal().sentence().view());
    if (!(*again == m)) return wrong.add(text, " prints ", canonical, ", which is ", printed(*again));
    if (printed(*again) != canonical) wrong.add(canonical, " is printed as ", printed(*again));
  });
}

TEST(SmallExpressions, HaveOneNormalFormForEachMeaning) {
  Complaints wrong("two expressions have one normal form, kinds apart, iff they mean the same");
  std::unordered_map<std::string, std::string> form_of, meaning_of;
  std::unordered_map<std::string, std::string> with_kinds;
  int met_again = 0;
  small::each_accepted([&](const E& e, const std::string& text, const Mapping& m) {
    auto const key = meaning(e);
    if (!key) return;
    Mapping const plain = without_kinds(m);
    if (!equivalent(m, plain) || !(without_kinds(plain) == plain)) wrong.add(text, ": without_kinds gives ", printed(plain));
    std::string const form = printed(plain);
    auto const [known, fresh] = form_of.emplace(*key, form);
    met_again += !fresh;
    if (known->second != form) wrong.add(text, " is ", form, ", elsewhere ", known->second);
    auto const [back, first] = meaning_of.emplace(form, *key);
    if (back->second != *key) wrong.add(text, " is ", form, " as is something else");

    // With kinds, where none is hidden in a factor that has no padding yet.
    if (e->runs_over || e->cuts_padding) return;
    std::string kinds = *key;
    for (std::int64_t i = 0; i < m.size; ++i) kinds += static_cast<char>('0' + static_cast<int>(cell(m, i).pad));
    auto const [same, new_one] = with_kinds.emplace(kinds, printed(m));
    if (same->second != printed(m)) wrong.add(text, " is ", printed(m), ", elsewhere ", same->second, " with the same kinds");
  });
  std::cout << form_of.size() << " meanings, " << met_again << " expressions that meant the same as another\n";
  EXPECT_GT(met_again, 50'000);
}

/// choices.md: cuts are judged on the normal form, from the inside out.
enum class Cut { allowed, inside_digit, through_tail };

Cut judge_cut(const Mapping& m, std::int64_t n) {
  std::int64_t rest = n;
  for (int k = m.digits - 1; k >= 0 && rest > 1; --k) {
    const Tail* around = nullptr;
    for (int t = m.tails - 1; t >= 0; --t)
      if (m.tail[t].last == k) around = &m.tail[t];
    if (around != nullptr) {
      if (rest % around->slot != 0) return Cut::through_tail;
      rest /= around->slot;
      k = around->first;
      continue;
    }
    Digit const& d = m.digit[k];
    if (rest % d.slot == 0) {
      rest /= d.slot;
      continue;
    }
    bool const divides_steps = d.size % rest == 0, takes_all = rest >= d.size;
    bool to_end = false, too_long = false;
    if (d.axis != no_axis) {
      AxisUse const& a = m.axis[d.axis];
      to_end = a.start + d.stride * d.size >= a.extent;
      // A block longer than its axis has steps that no block counted from 0 has.
      too_long = a.start < 0 && !takes_all && rest * d.stride >= a.extent + d.stride;
    }
    return d.slot % rest == 0 && (divides_steps || takes_all || to_end) && !too_long ? Cut::allowed : Cut::inside_digit;
  }
  return Cut::allowed;
}

/// Whether the tree is the pair of its two sides, on both of which it is what the definitions of / and % say.
bool is_pair_of_its_sides(const E& e, std::int64_t n, bool& open) {
  E const sides = oracle::pair(oracle::unary('/', e, n), oracle::unary('%', e, n));
  std::optional<std::string> const before = meaning(e), after = meaning(sides);
  open = !before || !after;
  return before == after;
}

TEST(SmallExpressions, MAP_42_are_the_pair_of_their_two_sides_where_they_can_be_cut) {
  Complaints law("MAP-42: pair(E / n, E % n) == E"), rule("a cut is accepted as the rule says"),
      definition("the sides are E(i * n) and E(i)");
  int accepted = 0, refused = 0;
  small::each_accepted([&](const E& e, const std::string& text, const Mapping& m) {
    for (std::int64_t n = 1; n <= m.size; ++n) {
      Halves const h = split_at(m, n);
      if (m.size % n != 0) {
        if (h.outer.fault.kind != FaultKind::stride_not_divisor)
          rule.add(text, " at ", n, ", which does not divide it: ", printed(h.outer));
        continue;
      }
      if (!(divide_by(m, n) == h.outer) || (h.inner.ok() && !(modulo(m, n) == h.inner)))
        law.add(text, " at ", n, ": / and % are not split_at");
      FaultKind const fault = h.outer.fault.kind;
      FaultKind const by_rule =
          std::array{FaultKind::none, FaultKind::cut_inside_digit, FaultKind::cut_through_tail}[static_cast<std::size_t>(judge_cut(m, n))];
      if (fault != by_rule) rule.add(text, " = ", printed(m), " at ", n, ": ", printed(h.outer), " | ", printed(h.inner));
      (fault == FaultKind::none ? accepted : refused) += 1;
      if (fault != FaultKind::none) continue;
      Mapping const both = pair(h.outer, h.inner);
      // The kind of what runs over the end only by the start goes with the start: then the law holds but for kinds.
      bool const slid = std::any_of(e->start.begin(), e->start.end(), [](std::int64_t start) { return start > 0; });
      if (slid ? !equivalent(both, m) : !(both == m))
        law.add(text, " = ", printed(m), " at ", n, " falls into ", printed(h.outer), " | ", printed(h.inner), ", which make ",
                printed(both));
      bool open = false;
      if (!is_pair_of_its_sides(e, n, open) && !open) definition.add(text, " at ", n, " must not be cut");
    }
  });
  std::cout << accepted << " cuts accepted, " << refused << " refused\n";
  EXPECT_GT(accepted, 300'000);
  EXPECT_GT(refused, 40'000);
}

TEST(SmallExpressions, ObeyTheLawsOfOneOperand) {
  Complaints one("MAP-41: E, 1 == E == 1, E"), none("MAP-45: E / 1 == E = |E| == E, and E # |E| is equivalent"),
      modulo_one("MAP-46: E % 1 == 1"), twice("E #a p #b q is E padded to q with the greater kind");
  small::each_accepted([&](const E& e, const std::string& text, const Mapping& m) {
    if (!(pair(m, copies(1)) == m) || !(pair(copies(1), m) == m)) one.add(text);
    if (!(m / 1 == m) || !(m.resize(m.size) == m) || !equivalent(m.pad(m.size), m)) none.add(text);
    if (!(m % 1 == copies(1))) modulo_one.add(text, " % 1 = ", printed(m % 1));
    // A factor that is padded twice has the greater kind: exactly so where nothing was padded before, else the same but for kinds.
    bool const unpadded = kinds_written(e) == 0;
    for (Pad a : {Pad::zero, Pad::top, Pad::bottom})
      for (Pad b : {Pad::zero, Pad::top, Pad::bottom})
        for (std::int64_t p : {m.size + 1, 2 * m.size}) {
          std::int64_t const q = p + m.size + (p & 1);
          Mapping const by_two = pad_to(pad_to(m, p, a), q, b), at_once = pad_to(m, q, a < b ? b : a);
          if (unpadded ? !(by_two == at_once) : !equivalent(by_two, at_once))
            twice.add(text, " padded to ", p, " and ", q, " is ", printed(by_two), ", at once ", printed(at_once));
        }
  });
}

TEST(SmallExpressions, PlaceIsTheFirstPositionOfEachElement) {
  Complaints wrong("place(m, x) is the first position that holds x, and -1 if none does");
  small::each_accepted([&](const E&, const std::string& text, const Mapping& m) {
    std::map<std::array<std::int64_t, 3>, std::int64_t> first;
    for (std::int64_t i = 0; i < m.size; ++i)
      if (Cell const c = cell(m, i); c.live()) first.emplace(std::array{c.index.get("A"), c.index.get("B"), c.index.get("Q")}, i);
    bool const counted[3] = {find_axis(m, Name("A")) >= 0, find_axis(m, Name("B")) >= 0, find_axis(m, Name("Q")) >= 0};
    for (std::int64_t a = 0; a < (counted[0] ? 6 : 1); ++a)
      for (std::int64_t b = 0; b < (counted[1] ? 4 : 1); ++b)
        for (std::int64_t q = 0; q < (counted[2] ? 5 : 1); ++q) {
          Index x;
          x.add(Name("A"), a).add(Name("B"), b).add(Name("Q"), q);
          auto const held = first.find({a, b, q});
          std::int64_t const want = held == first.end() ? -1 : held->second;
          if (place(m, x) != want)
            return wrong.add(text, " = ", printed(m), ": ", printed(x), " is said to lie at ", place(m, x), ", not ", want);
        }
  });
}

TEST(SmallExpressions, MAP_43_a_pair_has_its_operands_as_sides) {
  Complaints outer("MAP-43: [A, B] / |B| == A"), inner("MAP-43: [A, B] % |B| == B");
  int tried = 0;
  small::each_accepted([&](const E& e, const std::string& text, const Mapping& m) {
    if (e->op != ',' || has_start(e->left) || has_start(e->right)) return;
    Mapping const l = *parse(e->left->text(), small::axes), r = *parse(e->right->text(), small::axes);
    Halves const h = split_at(m, r.size);
    // Tails may not be cut, and `1 # 2, [A, 2] # 13` has become `A # 13, 2`: the one exception to the law.
    if (!h.outer.ok() && l.tails + r.tails > 0) return;
    ++tried;
    if (!(h.outer == l)) outer.add(text, " / ", r.size, " is ", printed(h.outer), ", not ", printed(l));
    if (!(h.inner == r)) inner.add(text, " % ", r.size, " is ", printed(h.inner), ", not ", printed(r));
  });
  EXPECT_GT(tried, 1000);
}

/// The runs of steps that a tree counts along an axis, found in its coordinates: the smallest step, how often it goes on, the next larger, …
struct Run {
  std::int64_t stride, size;
};
std::vector<Run> runs_of(const E& e, std::size_t axis) {
  std::set<std::int64_t> steps;
  for (std::int64_t i = 0; i < e->size; ++i) {
    oracle::Cell const c = e->before_limits(i);
    if (!c.padding() && !e->behind_end(c)) steps.insert(c.at[axis]);
  }
  std::vector<Run> runs;
  std::int64_t reached = 1;
  for (auto next = steps.lower_bound(reached); next != steps.end(); next = steps.lower_bound(reached)) {
    Run run{*next, 1};
    while (steps.count(run.stride * run.size) != 0) ++run.size;
    reached = run.stride * run.size;
    runs.push_back(run);
  }
  return runs;
}

bool counted_twice(const E& l, const E& r) {
  for (std::size_t a = 0; a < axis_count; ++a)
    for (Run const& x : runs_of(l, a))
      for (Run const& y : runs_of(r, a))
        if (x.stride < y.stride * y.size && y.stride < x.stride * x.size) return true;
  return false;
}

/// One run of steps up to the end of the axis, and nothing but padding behind it: what can be padded in front.
bool is_outer_part(const E& e) {
  std::int64_t step = 0;
  int const axis = oracle::innermost_axis(e, &step);
  if (axis < 0) return false;
  auto const a = static_cast<std::size_t>(axis);
  std::int64_t steps = 0;
  for (std::int64_t i = 0; i < e->size; ++i) {
    oracle::Cell c = e->before_limits(i);
    if (c.padding() || e->behind_end(c)) continue;
    if (i != steps++ || c.at[a] != i * step) return false;
    c.at[a] = 0;
    if (c.at != oracle::Coordinates{}) return false;
  }
  return e->start[a] <= 0 && e->start[a] + steps * step >= small::oracle_axes[a].extent;
}

TEST(SmallExpressions, AreRefusedForAReason) {
  Complaints wrong("an operation is refused exactly where its rule says, with the code of the rule");
  std::map<std::string, int> codes;
  std::unordered_map<std::string, std::string> accepted;
  std::map<std::string, std::string> cut_off;  // meanings that `=` would have had
  small::each([&](const E& e, const std::string& text, const Expected<Mapping>& m) {
    std::string const code = m ? "" : m.refusal().code;
    if (!m) ++codes[code];
    if (m)
      if (auto const key = meaning(e)) accepted.emplace(*key, text);
    if (e->op == 'a' || e->op == 'n') return;
    std::string want;
    bool judged = true;
    if (e->op == ',') {
      bool beyond = false, in_front = false;
      for (std::size_t a = 0; a < axis_count; ++a) {
        beyond |= e->start[a] >= small::oracle_axes[a].extent;
        in_front |= e->left->start[a] < 0 || e->right->start[a] < 0;
      }
      if (counted_twice(e->left, e->right)) want = "mapping-axis-twice";
      else if (beyond) want = "mapping-start-beyond-axis";
      judged = !(in_front && code == "mapping-start-not-outermost");
    } else {
      Mapping const operand = *parse(e->left->text(), small::axes);
      switch (e->op) {
        case '/':
        case '%':
          if (operand.size % e->n != 0) want = e->op == '/' ? "mapping-stride-not-divisor" : "mapping-modulo-not-divisor";
          else
            want =
                std::array{"", "mapping-cut-inside-digit", "mapping-cut-through-tail"}[static_cast<std::size_t>(judge_cut(operand, e->n))];
          break;
        case '=':
          if (e->n > operand.size) want = "mapping-resize-above-size";
          judged = e->n > operand.size || (code != "" && code != "mapping-cut-inside-digit");
          if (!judged && !m && kinds_written(e) <= 1)
            if (auto const key = meaning(e)) cut_off.emplace(*key, text);
          break;
        case '@': {
          bool one_axis = operand.digits > 0;
          for (int k = 0; k < operand.digits; ++k)
            one_axis &= operand.digit[k].axis != no_axis && operand.digit[k].axis == operand.digit[0].axis;
          if (!one_axis) want = "mapping-start-many-axes";
          else if (e->start[static_cast<std::size_t>(e->axis)] >= small::oracle_axes[static_cast<std::size_t>(e->axis)].extent)
            want = "mapping-start-beyond-axis";
          break;
        }
        case '<':
          if (!is_outer_part(e->left)) want = "mapping-left-pad-inner";
          judged = kinds_written(e->left) <= 1 && meaning(e->left);
          break;
        default:
          if (e->n < operand.size) want = "mapping-pad-below-size";
      }
    }
    if (judged && code != want) wrong.add(text, ": ", code == "" ? "accepted" : code, ", not ", want == "" ? "accepted" : want);
  });
  for (auto const& [key, text] : cut_off)
    if (auto const f = accepted.find(key); f != accepted.end()) wrong.add(text, " is refused, although ", f->second, " means the same");
  for (auto const& [code, n] : codes) std::cout << n << ' ' << code << '\n';
  for (char const* code : {"mapping-stride-not-divisor", "mapping-modulo-not-divisor", "mapping-pad-below-size",
                           "mapping-resize-above-size", "mapping-cut-inside-digit", "mapping-cut-through-tail", "mapping-axis-twice",
                           "mapping-start-many-axes", "mapping-start-beyond-axis", "mapping-left-pad-inner"})
    EXPECT_GT(codes[code], 100) << code;
}

TEST(SmallTriples, MAP_44_associate) {
  Complaints wrong("MAP-44: [E1, E2], E3 == E1, [E2, E3] == E1, E2, E3");
  std::vector<Mapping> factors;
  for (char const* text : {"A",     "B",         "1",         "2",          "A / 2",      "A % 2",     "A / 3",           "A % 3",
                           "B / 2", "B % 2",     "B # 6",     "B #z 5",     "Q # 6 / 2",  "Q # 6 % 2", "1 # 2",           "1 #! 2",
                           "A = 4", "A @ 1",     "A @ 2 / 2", "B #< 2",     "B #< 2 / 2", "B % 2 @ 1", "[A % 2, Q] # 11", "[2, B] #z 9",
                           "Q = 1", "Q @ 2 = 1", "A / 3 # 5", "B / 2 #z 3", "2 # 3"})
    factors.push_back(*parse(text, small::axes));
  int tried = 0;
  for (Mapping const& x : factors)
    for (Mapping const& y : factors)
      for (Mapping const& z : factors) {
        Mapping const left = pair(pair(x, y), z), right = pair(x, pair(y, z));
        // Where a start slides a factor over its end, the kind of that padding depends on what was written first.
        bool started = false;
        for (int a = 0; a < left.axes; ++a) started |= left.axis[a].start != 0;
        if (left.ok() != right.ok() || (left.ok() && !(started ? equivalent(left, right) : left == right)))
          wrong.add(printed(x), " | ", printed(y), " | ", printed(z), ": ", printed(left), " but ", printed(right));
        tried += left.ok();
      }
  EXPECT_GT(tried, 5000);
}

}  // namespace
