// All small expressions: every operator on every operand, to a fixed depth, over axes of 6, 4 and 5.
//
// Atoms are the axes and the numbers 1, 2, 3. A chain is an atom with up to three operators behind it; a pair is two chains of at most one operator; on
// every pair one operator more is tried, and on the two sides of a cut in the wrong order too. Pairs of atoms padded as a group, which have tails, get one
// operator or one more factor on either side, also where a factor of the group is padded in another way, and the start of an axis (`A @ 2 = 1`), which pads what is
// inside of them. The numbers behind the operators are all divisors for / and %, and a few around the size for the others, among
// them ones that are refused. Trees above 72 positions are left out.
// The same at random, and what is said where a law is broken.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oracle.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/support/random.hpp"

class Draw {
 public:
  Draw() : random_(*rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()))) {}

  std::int64_t between(std::int64_t from, std::int64_t to) { return random_.between(from, to); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <class List>
  const auto& of(const List& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(std::size(list)) - 1))];
  }

 private:
  tcp::Random random_;
};

// A law is tried on many thousand mappings; the first few that break it are shown, the others counted.

inline std::string printed(const tcp::Mapping& m) {
  if (!m.ok()) return std::string(tcp::refusal_of(m).sentence().view());
  std::ostringstream out;
  print(out, m);
  return out.str();
}
inline std::string printed(const tcp::Index& x) {
  std::ostringstream out;
  print(out, x);
  return out.str();
}
inline std::string printed(const tcp::Cell& c) {
  static const char* const pads[] = {"none", "zero", "top", "bottom"};
  switch (c.kind) {
    case tcp::CellKind::live: return printed(c.index);
    case tcp::CellKind::padding: return std::string("padding ") + pads[static_cast<int>(c.pad)];
    case tcp::CellKind::outside: return "outside";
    default: return "several";
  }
}
inline std::string printed(const oracle::Cell& c, const oracle::Axes& axes) {
  std::ostringstream out;
  if (c.padding()) out << "padding of kind " << c.least << " to " << c.greatest;
  for (std::size_t a = 0; a < axes.size() && !c.padding(); ++a) out << axes[a].name << ": " << c.at[a] << " ";
  return out.str();
}

class Complaints {
 public:
  explicit Complaints(std::string law) : law_(std::move(law)) {}
  Complaints(const Complaints&) = delete;
  ~Complaints() { EXPECT_EQ(count_, 0) << law_ << '\n' << shown_.str(); }

  template <class... Parts>
  void add(const Parts&... parts) {
    if (++count_ > 12) return;
    shown_ << "  ";
    ((shown_ << parts), ...);
    shown_ << '\n';
  }

 private:
  std::string law_;
  std::ostringstream shown_;
  int count_ = 0;
};

// All small expressions: every operator on every operand, to a fixed depth, over axes of 6, 4 and 5.
//
// Atoms are the axes and the numbers 1, 2, 3. A chain is an atom with up to three operators behind it; a pair is two chains of at most one operator; on
// every pair one operator more is tried, and on the two sides of a cut in the wrong order too. Pairs of atoms padded as a group, which have tails, get one
// operator or one more factor on either side, also where a factor of the group is padded in another way, and the start of an axis (`A @ 2 = 1`), which pads what is
// inside of them. The numbers behind the operators are all divisors for / and %, and a few around the size for the others, among
// them ones that are refused. Trees above 72 positions are left out.

namespace small {

inline const oracle::Axes oracle_axes{{"A", 6}, {"B", 4}, {"Q", 5}};
inline constexpr tcp::Axes axes = *tcp::parse_axes("A = 6, B = 4, Q = 5");
inline constexpr std::int64_t most_positions = 72;

struct Counts {
  int accepted = 0, refused = 0;
};

namespace detail {

using Trees = std::vector<oracle::E>;

enum class Choice { rich, lean };

/// Tries one tree; keeps it for larger ones if the library accepts it.
template <class Visit>
class Enumeration {
 public:
  explicit Enumeration(Visit& visit) : visit_(visit) {}

  Counts run() {
    Trees atoms, one, two, three, lean_one, pairs, on_pairs;
    for (int a = 0; a < static_cast<int>(oracle_axes.size()); ++a) try_tree(oracle::axis(oracle_axes, a), atoms);
    for (int n : {1, 2, 3}) try_tree(oracle::number(oracle_axes, n), atoms);
    operate(atoms, one, Choice::rich);
    operate(one, two, Choice::rich);
    operate(two, three, Choice::lean);
    Trees operands = atoms;
    for (oracle::E const& e : one)
      if (is_lean(*e)) operands.push_back(e);
    for (oracle::E const& l : operands)
      for (oracle::E const& r : operands) try_tree(oracle::pair(l, r), pairs);
    operate(pairs, on_pairs, Choice::lean);

    Trees turned, on_turned;
    for (oracle::E const& e : one)
      for (std::int64_t n = 2; n < e->size; ++n) {
        if (e->size % n != 0) continue;
        oracle::E const inner = oracle::unary('%', e, n), outer = oracle::unary('/', e, n);
        if (tcp::parse(inner->text(), axes)) try_tree(oracle::pair(inner, outer), turned);
      }
    operate(turned, on_turned, Choice::rich);

    Trees groups, padded, beside;
    for (oracle::E const& l : atoms)
      for (oracle::E const& r : atoms)
        if (l->size > 1 && r->size > 1) keep(oracle::pair(l, r), groups);
    for (oracle::E const& e : groups)
      for (std::int64_t more : {1, 2, 3, 7})
        for (char kind : {'#', 'z'}) keep(oracle::unary(kind, e, e->size + more), padded);
    operate(padded, beside, Choice::rich);
    for (oracle::E const& t : padded)
      for (oracle::E const& e : operands) {
        try_tree(oracle::pair(t, e), beside);
        try_tree(oracle::pair(e, t), beside);
      }

    Trees starts, started;
    for (oracle::E const& a : atoms)
      for (std::int64_t k = 1; a->op == 'a' && k < a->size; ++k) keep(oracle::unary('=', oracle::unary('@', a, k), 1), starts);
    for (oracle::E const& t : padded)
      for (oracle::E const& s : starts) {
        try_tree(oracle::pair(s, t), started);
        try_tree(oracle::pair(t, s), started);
      }
    operate(started, beside, Choice::lean);

    Trees padded_inside, of_two_kinds;
    for (oracle::E const& l : atoms)
      for (oracle::E const& r : one)
        if (l->size > 1 && r->size > r->left->size && r->op != '<') keep(oracle::pair(l, r), padded_inside);
    for (oracle::E const& e : padded_inside)
      for (char kind : {'#', 'z', '!'}) keep(oracle::unary(kind, e, e->size + 1), of_two_kinds);
    Trees idle;
    for (char kind : {'#', 'z', '!'}) keep(oracle::unary(kind, oracle::number(oracle_axes, 1), 2), idle);
    idle.insert(idle.end(), starts.begin(), starts.end());
    for (oracle::E const& t : of_two_kinds)
      for (oracle::E const& e : idle) {
        try_tree(oracle::pair(t, e), beside);
        try_tree(oracle::pair(e, t), beside);
      }
    return counts_;
  }

 private:
  static bool is_lean(const oracle::Tree& t) {
    std::int64_t const s = t.left->size;
    switch (t.op) {
      case '/':
      case '%': return true;
      case '=': return t.n < s && (t.n <= 2 || t.n == s - 1);
      case '#': return t.n == s + 1 || t.n == 2 * s;
      case 'z': return t.n == s + 1 || t.n == s + 2;
      case '!': return t.n == s + 2;
      default: return t.n == 1 || t.n == 3;
    }
  }

  /// For a tree that may have been tried before.
  void keep(const oracle::E& e, Trees& kept) {
    if (e->size > most_positions) return;
    try_tree(e, kept);
    if ((kept.empty() || kept.back() != e) && tcp::parse(e->text(), axes)) kept.push_back(e);
  }

  void try_tree(const oracle::E& e, Trees& kept) {
    if (e->size < 1 || e->size > most_positions) return;
    std::string const text = e->text();
    if (!seen_.insert(text).second) return;
    auto const m = tcp::parse(text, axes);
    visit_(e, text, m);
    if (!m) {
      ++counts_.refused;
      return;
    }
    ++counts_.accepted;
    kept.push_back(e);
  }

  void operate(const Trees& operands, Trees& kept, Choice choice) {
    bool const rich = choice == Choice::rich;
    for (oracle::E const& e : operands) {
      std::int64_t const s = e->size;
      for (std::int64_t n = 2; n <= s; ++n) {
        if (s % n != 0 && n != 2 && n != s - 1) continue;
        try_tree(oracle::unary('/', e, n), kept);
        try_tree(oracle::unary('%', e, n), kept);
      }
      for (std::int64_t n = 1; n <= s + 1; ++n)
        if (rich || n <= 2 || n == s - 1 || (n < s && s % n == 0)) try_tree(oracle::unary('=', e, n), kept);
      for (char kind : {'#', 'z', '!'}) {
        std::set<std::int64_t> paddings{s - 1, s, s + 1, s + 2, s + 3, 2 * s};
        if (!rich) paddings = kind == '!' ? std::set<std::int64_t>{s + 2} : std::set<std::int64_t>{s + 1, 2 * s};
        for (std::int64_t n : paddings)
          if (n >= 1) try_tree(oracle::unary(kind, e, n), kept);
      }
      for (int n : {1, 3, 6}) {
        if (!rich && n == 6) continue;
        try_tree(oracle::unary('<', e, n), kept);
        try_tree(oracle::unary('@', e, n), kept);
      }
    }
  }

  Visit& visit_;
  std::set<std::string> seen_;
  Counts counts_;
};

}  // namespace detail

/// Calls visit(tree, text, Expected<Mapping>) for each of them once.
template <class Visit>
Counts each(Visit visit) {
  return detail::Enumeration<Visit>(visit).run();
}

/// The trees that the library accepts: visit(tree, text, mapping).
template <class Visit>
Counts each_accepted(Visit visit) {
  return each([&](const oracle::E& e, const std::string& text, const tcp::Expected<tcp::Mapping>& m) {
    if (m) visit(e, text, *m);
  });
}

}  // namespace small
