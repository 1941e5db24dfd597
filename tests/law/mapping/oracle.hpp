// What an expression means, straight from its tree, one position after another. It shares nothing with the library: no digits, no normal form.
//
// A position of a tree holds a coordinate of each axis, counted from the axis's start, or it is padding. Each operator says what it does to that:
//
//   A          position i holds A: i                          E / n     what E holds at i·n
//   n          position i holds nothing to count: a copy      E % n     what E holds at i, counted from a start of 0
//   L, R       the sum of L at i / |R| and R at i % |R|       E = n     what E holds at i
//   E # n      what E holds at i, then padding                E @ k     what E holds at i; its axis starts k steps of E's innermost factor later
//   E #< n     one factor that begins n steps earlier, its axis starting n steps of it earlier
//
// The start of an axis goes with `/`; `%` counts from 0. Padding in front (a start below 0) goes with the side that counts the larger steps of the axis.
//
// Only when the whole tree has spoken are the axes' limits applied: start + coordinate outside of [0, extent) is padding.
//
// The kind of a padding is known exactly where one kind alone is written in the tree. Where several are, digits that are padded twice take the greater one,
// which a tree cannot see: it then gives the least and the greatest kind that there can be.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace oracle {

constexpr int most_axes = 8;
using Coordinates = std::array<std::int64_t, most_axes>;

struct Axis {
  std::string name;
  std::int64_t extent;
};
using Axes = std::vector<Axis>;

enum Kind : int { live = 0, zero = 1, top = 2, bottom = 3 };

struct Cell {
  Coordinates at{};
  int least = live, greatest = live;  // kind of the padding
  bool unsure = false;                // the rules leave open whether this is padding

  bool padding() const { return least != live; }
};

class Tree;
using E = std::shared_ptr<const Tree>;

class Tree {
 public:
  char op;  // a axis, n number, or the operator: , / % = @ < (for #<) # z !
  std::int64_t n = 0;
  int axis = -1;
  E left, right;
  const Axes* axes = nullptr;

  std::int64_t size = 1;
  Coordinates start{};
  int depth = 0;
  bool names[most_axes]{};
  std::int64_t step = 0;      // of @ and #<: along the axis, one position of the operand's innermost factor
  bool kinds[4]{};            // of the paddings written in the tree
  bool runs_over = false;     // padding may come from the limits of an axis alone
  bool cuts_padding = false;  // a factor may be padded although its last position is not

  /// What it holds at position i, before the limits of the axes.
  Cell before_limits(std::int64_t i) const {
    Cell c;
    switch (op) {
      case 'a': c.at[static_cast<std::size_t>(axis)] = i; return c;
      case 'n': return c;
      case ',': {
        c = left->before_limits(i / right->size);
        Cell const r = right->before_limits(i % right->size);
        for (std::size_t a = 0; a < axes->size(); ++a) {
          std::int64_t const extent = (*axes)[a].extent, both = c.at[a] + left->start[a] + r.at[a] + right->start[a];
          c.unsure |= (c.at[a] + left->start[a] >= extent || r.at[a] + right->start[a] >= extent) && both < extent;
          c.at[a] += r.at[a];
        }
        c.least = std::max(c.least, r.least);
        c.greatest = std::max(c.greatest, r.greatest);
        c.unsure |= r.unsure;
        // One side's start slides the other's factors over the end of the axis: padding beside the padding that they have.
        for (std::size_t a = 0; a < axes->size() && c.padding(); ++a)
          if ((left->start[a] > 0 && right->names[a]) || (right->start[a] > 0 && left->names[a]))
            c.greatest = std::max(c.greatest, greatest_kind());
        return c;
      }
      case '/': return left->before_limits(i * n);
      case '%':
        c = left->before_limits(i);
        // A step that left the axis only because of the start that is dropped here: the rules speak of digits, not of positions.
        for (std::size_t a = 0; a < axes->size(); ++a) {
          std::int64_t const extent = (*axes)[a].extent;
          c.unsure |= left->start[a] > 0 && c.at[a] + left->start[a] >= extent && c.at[a] < extent;
        }
        return c;
      case '=':
        c = left->before_limits(i);
        // A cut inside of padding makes one padding of it and the paddings inside.
        if (c.padding() && left->cell(n - 1).padding()) c.greatest = std::max(c.greatest, left->greatest_kind());
        return c;
      case '@': return left->before_limits(i);
      case '<':
        if (i >= n) c = left->before_limits(i - n);
        c.at[static_cast<std::size_t>(axis)] = i * step;
        return c;
      default: {
        int const kind = op == 'z' ? zero : op == '#' ? top : bottom;
        bool const over_padding = left->runs_over || left->cuts_padding || left->cell(left->size - 1).padding();
        int const greatest = over_padding ? std::max(kind, left->greatest_kind()) : kind;
        if (i >= left->size) {
          c.least = kind;
          c.greatest = greatest;
          return c;
        }
        c = left->before_limits(i);
        if (c.padding()) c.greatest = std::max(c.greatest, greatest);
        return c;
      }
    }
  }

  Cell cell(std::int64_t i) const {
    Cell c = before_limits(i);
    for (std::size_t a = 0; a < axes->size(); ++a) {
      c.at[a] += start[a];
      if (c.at[a] >= 0 && c.at[a] < (*axes)[a].extent) continue;
      c.least = std::max(c.least, least_kind());
      c.greatest = std::max(c.greatest, greatest_kind());
    }
    // Behind the padding of one factor the others go on counting, maybe over the end of their axis.
    if (c.padding() && cuts_padding) c.greatest = std::max(c.greatest, greatest_kind());
    return c;
  }

  /// Whether a coordinate lies behind the end of its axis: padding whatever is added to it.
  bool behind_end(const Cell& c) const {
    for (std::size_t a = 0; a < axes->size(); ++a)
      if (c.at[a] + start[a] >= (*axes)[a].extent) return true;
    return false;
  }

  /// The kinds that a position may have that is padding by the limits of its axis.
  int least_kind() const {
    for (int k : {zero, top, bottom})
      if (kinds[k] || (k == top && runs_over)) return k;
    return top;
  }
  int greatest_kind() const {
    for (int k : {bottom, top, zero})
      if (kinds[k] || (k == top && runs_over)) return k;
    return top;
  }

  std::string text() const {
    std::string const number = std::to_string(n);
    switch (op) {
      case 'a': return (*axes)[static_cast<std::size_t>(axis)].name;
      case 'n': return number;
      case ',': return left->text() + ", " + (right->op == ',' ? "[" + right->text() + "]" : right->text());
      default: break;
    }
    std::string const operand = left->op == ',' ? "[" + left->text() + "]" : left->text();
    std::string const sign = op == 'z' ? "#z" : op == '!' ? "#!" : op == '<' ? "#<" : std::string(1, op);
    return operand + " " + sign + " " + number;
  }
};

inline E axis(const Axes& axes, int a) {
  auto t = std::make_shared<Tree>();
  t->op = 'a';
  t->axis = a;
  t->names[a] = true;
  t->axes = &axes;
  t->size = axes[static_cast<std::size_t>(a)].extent;
  return t;
}

inline E number(const Axes& axes, std::int64_t n) {
  auto t = std::make_shared<Tree>();
  t->op = 'n';
  t->n = n;
  t->axes = &axes;
  t->size = n;
  return t;
}

inline E pair(const E& l, const E& r) {
  auto t = std::make_shared<Tree>();
  t->op = ',';
  t->left = l;
  t->right = r;
  t->axes = l->axes;
  t->size = l->size * r->size;
  t->depth = 1 + std::max(l->depth, r->depth);
  for (std::size_t a = 0; a < most_axes; ++a) {
    t->start[a] = l->start[a] + r->start[a];
    t->names[a] = l->names[a] || r->names[a];
  }
  for (int k = 0; k < 4; ++k) t->kinds[k] = l->kinds[k] || r->kinds[k];
  t->runs_over = l->runs_over || r->runs_over;
  t->cuts_padding = l->cuts_padding || r->cuts_padding;
  return t;
}

/// The furthest that the positions 0, apart, 2·apart, … before `size` go along an axis.
inline std::int64_t reach(const E& e, std::size_t axis, std::int64_t size, std::int64_t apart) {
  std::int64_t furthest = 0;
  for (std::int64_t i = 0; i < size; i += apart) {
    Cell const c = e->before_limits(i);
    if (!c.padding() && !e->behind_end(c)) furthest = std::max(furthest, c.at[axis]);
  }
  return furthest;
}

/// Whether `% n` takes padding in front of an axis along.
inline bool front_goes_inside(const E& e, std::size_t axis, std::int64_t n) {
  return e->start[axis] < 0 && reach(e, axis, n, 1) > reach(e, axis, e->size, n);
}

/// The axis of which the tree's innermost step moves, or -1; and how far.
inline int innermost_axis(const E& e, std::int64_t* step) {
  if (e->size < 2) return -1;
  Cell const first = e->before_limits(0), second = e->before_limits(1);
  for (std::size_t a = 0; a < e->axes->size(); ++a) {
    if (first.at[a] == second.at[a]) continue;
    *step = second.at[a] - first.at[a];
    return static_cast<int>(a);
  }
  return -1;
}

inline E unary(char op, const E& e, std::int64_t n) {
  auto t = std::make_shared<Tree>();
  t->op = op;
  t->n = n;
  t->left = e;
  t->axes = e->axes;
  t->depth = 1 + e->depth;
  t->start = e->start;
  std::copy(std::begin(e->names), std::end(e->names), std::begin(t->names));
  for (int k = 0; k < 4; ++k) t->kinds[k] = e->kinds[k];
  t->runs_over = e->runs_over;
  t->cuts_padding = e->cuts_padding;
  switch (op) {
    case '/':
      t->size = e->size / n;
      for (std::size_t a = 0; a < e->axes->size(); ++a)
        if (front_goes_inside(e, a, n)) t->start[a] = 0;
      t->cuts_padding |= e->kinds[zero] || e->kinds[top] || e->kinds[bottom];
      break;
    case '%':
      t->size = n;
      for (std::size_t a = 0; a < e->axes->size(); ++a)
        if (!front_goes_inside(e, a, n)) t->start[a] = 0;
      break;
    case '=': t->size = n; break;
    case '@':
    case '<': {
      t->size = op == '<' ? e->size + n : e->size;
      t->axis = innermost_axis(e, &t->step);
      if (t->axis >= 0) t->start[static_cast<std::size_t>(t->axis)] += (op == '<' ? -n : n) * t->step;
      t->runs_over |= n != 0;
      break;
    }
    default:
      t->size = n;
      if (n > e->size || (e->runs_over && n == e->size)) t->kinds[op == 'z' ? zero : op == '#' ? top : bottom] = true;
  }
  return t;
}

}  // namespace oracle
