// What a mapping is.
//
// A tensor is a function of named coordinates: T[N = 3, C = 1]. Names have no order, so a tensor has no layout. A
// memory and a stream, on the other hand, are rows of positions 0, 1, 2, … A *mapping* ties the two together, and it
// goes from the machine to the tensor: it says of every position which element is there. That direction matters. One
// element may lie in many places (a broadcast), and a place may hold no element at all (padding), but a place never
// holds two.
//
//     A = 8, B = 512            m![A, B]           position 519 holds A = 1, B = 7
//                               m![B, A]           position 519 holds B = 64, A = 7
//                               m![A, B # 600]     positions 512 to 599 hold nothing: the row is padded
//
// A mapping is written as factors, the leftmost the slowest, like the digits of a number; and digits are all there is
// to it. Position 519 of m![A, B] is the two-digit number "1, 7" whose second digit runs to 512. `B / 64` is the digit
// that counts blocks of 64 along B, `B % 64` the one that counts inside a block, so m![B / 64, B % 64] spells B with
// two digits, and m![B % 64, B / 64] spells a transposition. Every operator of the notation makes digits from digits:
//
//     E / n    every n-th position of E                 E # n    E padded to n positions; the kind of the padding:
//     E % n    the first block of n positions             #      top: may be read, its value is undefined
//     E = n    the first n positions, the rest gone        #z     zero: may be read, and is zero
//     E, F     E outside, F inside                         #!     bottom: must never be touched
//     [E, F]   the same, to be operated on as a whole    E #< n   n positions of padding before E
//     E @ k    E read from its position k on             n        n live copies of what follows it; 1 is nothing at all
//
// So a mapping is kept as nothing but its digits, outermost first (`Digit` below): which axis it counts, how far one
// step goes along the axis (stride), how many steps are live (size) and how many positions it takes in the machine
// (slot). Slot beyond size is padding. The coordinate of an axis is the sum of its digits times their strides, plus the
// axis's `start`; a sum outside the axis is padding as well. That last rule is what lets D = 61 be padded to 64 and cut
// into blocks of 16: the last block merely overshoots.
//
// Digits that belong together are always joined: `B / 64, B % 64` becomes the one digit B the moment it is written.
// Hence two mappings that mean the same have the same digits, equality is a comparison of a few numbers, and no
// operation ever looks at a tensor's positions one by one. This is the *normal form*, and there is no other: `Mapping`
// is the normal form.
//
// A digit can be cut only where its steps allow it: 16 divides the 64 positions of `D # 64`, so it can be cut there,
// while [A, B] / 2 for a B of 3 would leave a digit of one and a half steps, and is refused. An impossible mapping is
// still a value: it carries its `Fault`, and everything made of it carries the fault on, as NaN does. That keeps
// expressions free to chain; `check(m)` at the end says what went wrong (fault.hpp).
//
// Three things are not digits. A group padded to a size that is no multiple of its inner part has a `Tail`: [A, B, C] #
// 32 for 3·5·2 = 30 positions. A *window* `$(W:2, Fw)` is one place counted by several digits at once, position = 2w +
// f: the only case in which a position holds several elements. A *skewed* digit wraps around by another axis's
// coordinate. Both keep to rules of their own, below.
//
// Where to go from here: algebra.hpp has the operators and their laws, cell.hpp what is at a position, print.hpp and
// parse.hpp the text, map.hpp the type `m<…>` that kernels use, steps.hpp how one mapping is found inside another,
// levels.hpp tensors spread over chips, slices and elements.
#pragma once

#include <cstdint>
#include <string_view>

#include "tcp/support/checked.hpp"
#include "tcp/support/text.hpp"

namespace tcp {

/// An axis's name: at most 16 characters, packed so that it compares as two numbers and may be part of a template
/// argument.
struct Name {
  static constexpr int max_length = 16;

  std::uint64_t head, tail;

  constexpr Name() = default;  // Name{} has no letters; a Name without braces is not set, so that arrays of them cost nothing
  constexpr explicit Name(std::string_view v) : head(0), tail(0) {
    for (std::size_t i = 0; i < v.size() && i < max_length; ++i) {
      (i < 8 ? head : tail) |= std::uint64_t{static_cast<unsigned char>(v[i])} << (8 * (i % 8));
    }
  }
  constexpr char operator[](int i) const { return static_cast<char>(((i < 8 ? head : tail) >> (8 * (i % 8))) & 0xff); }
  constexpr int length() const {
    int n = 0;
    while (n < max_length && (*this)[n] != '\0') ++n;
    return n;
  }
  constexpr bool operator==(const Name&) const = default;
};

template <class Out>
constexpr Out& operator<<(Out& out, const Name& name) {
  for (int i = 0, n = name.length(); i < n; ++i) out << name[i];
  return out;
}

/// The kind of a padding position, in the order in which a weaker promise wins when two meet.
enum class Pad : std::uint8_t { none, zero, top, bottom };

inline constexpr std::int8_t no_axis = -1;

struct Digit {
  std::int8_t axis = no_axis;       // into Mapping::axis; no_axis: copies
  std::int8_t skewed_by = no_axis;  // coordinate = (step + coordinate of this axis) mod size
  Pad pad = Pad::none;              // of the slots beyond size, and of what overshoots the axis; none there means top
  bool joined = false;              // counts the same place as the digit before it: a window's second, third, … member
  std::int64_t stride = 0;          // along the axis, of one step
  std::int64_t size = 1;            // live steps
  std::int64_t slot = 1;            // positions taken; 1 in a joined digit, whose place is counted by its first member
  std::int64_t step = 0;            // in a window: places that one step moves on; 0 in an ordinary digit

  constexpr bool operator==(const Digit&) const = default;
  constexpr bool in_window() const { return step != 0; }
};

/// Digits first … last, and then padding until `slot` positions (of what is inside of them) are taken. Listed outermost
/// first.
struct Tail {
  std::int8_t first = 0, last = 0;
  Pad pad = Pad::none;
  std::int64_t slot = 0;

  constexpr bool operator==(const Tail&) const = default;
};

struct AxisUse {
  Name name{};
  std::int64_t extent = 0;  // as declared
  std::int64_t start = 0;   // added to every coordinate; negative: left padding

  constexpr bool operator==(const AxisUse&) const = default;
};

enum class FaultKind : std::uint8_t {
  none,
  stride_not_divisor,
  modulo_not_divisor,
  pad_below_size,
  resize_above_size,
  cut_inside_digit,
  cut_through_tail,
  cut_through_window,
  number_below_one,
  axis_name,
  axis_size,
  axis_twice,
  axis_two_sizes,
  size_overflow,
  too_many_digits,
  too_many_tails,
  too_many_axes,
  start_many_axes,
  start_beyond_axis,
  start_not_outermost,
  left_pad_inner,
  window_part,
  window_axis_twice,
  window_cut_and_padded,
  skew_part,
};

/// Why a mapping cannot be. The mapping that carries it still holds the operand on which the operation failed.
struct Fault {
  FaultKind kind = FaultKind::none;
  char operation = ' ';  // as it is written: / % = # and so on
  std::int64_t number = 0;
  std::int64_t other = 0;
  Name name{};

  constexpr bool operator==(const Fault&) const = default;
};

struct Mapping {
  static constexpr int max_digits = 16;
  static constexpr int max_tails = 4;
  static constexpr int max_axes = 16;

  std::int64_t size = 1;  // positions
  std::int8_t digits = 0, tails = 0, axes = 0;
  Digit digit[max_digits]{};
  Tail tail[max_tails]{};
  AxisUse axis[max_axes]{};  // in the order of first use; axes without a digit last, by name
  Fault fault{};

  constexpr bool ok() const { return fault.kind == FaultKind::none; }

  /// Law: a == b iff they have the same size and, at every position, the same sums of coordinates (before an axis's end
  /// turns one into padding) and the same kinds of padding, those of an overshoot to come included. With windows, which
  /// can be spelt in several ways, only "if equal, then so".
  constexpr bool operator==(const Mapping& o) const {
    if (size != o.size || digits != o.digits || tails != o.tails || axes != o.axes || !(fault == o.fault)) return false;
    for (int i = 0; i < digits; ++i)
      if (!(digit[i] == o.digit[i])) return false;
    for (int i = 0; i < tails; ++i)
      if (!(tail[i] == o.tail[i])) return false;
    for (int i = 0; i < axes; ++i)
      if (!(axis[i] == o.axis[i])) return false;
    return true;
  }

  // The notation's operators, for C++ (algebra.hpp, map.hpp).
  constexpr Mapping pad(std::int64_t n) const;
  constexpr Mapping pad_zero(std::int64_t n) const;
  constexpr Mapping pad_bottom(std::int64_t n) const;
  constexpr Mapping pad_left(std::int64_t n) const;
  constexpr Mapping resize(std::int64_t n) const;
  constexpr Mapping from(std::int64_t k) const;
};

/// The number of places a window's members reach, the first of them at `first`.
constexpr std::int64_t window_span(const Mapping& m, int first) {
  std::int64_t span = 1 + (m.digit[first].size - 1) * m.digit[first].step;
  for (int i = first + 1; i < m.digits && m.digit[i].joined; ++i) span += (m.digit[i].size - 1) * m.digit[i].step;
  return span;
}

/// The steps of a digit's place that hold something: of a window, the places it reaches, unless it was cut.
constexpr std::int64_t live_slots(const Mapping& m, int k) {
  if (!m.digit[k].in_window()) return m.digit[k].size;
  std::int64_t const span = window_span(m, k);
  return span < m.digit[k].slot ? span : m.digit[k].slot;
}

/// How many positions lie inside of each digit, and what each tail counts.
struct Footprints {
  std::int64_t inside[Mapping::max_digits]{};  // positions that one step of digit k moves on
  std::int64_t tail_unit[Mapping::max_tails]{};
  std::int64_t tail_live[Mapping::max_tails]{};  // units before the tail's own padding begins
};

constexpr Footprints footprints(const Mapping& m) {
  Footprints f;
  std::int64_t passed = 1;
  for (int k = m.digits - 1; k >= 0; --k) {
    for (int t = 0; t < m.tails; ++t)
      if (m.tail[t].last == k) f.tail_unit[t] = passed;
    f.inside[k] = passed;
    passed *= m.digit[k].slot;
    for (int t = m.tails - 1; t >= 0; --t) {
      if (m.tail[t].first != k) continue;
      f.tail_live[t] = passed / f.tail_unit[t];
      passed = f.tail_unit[t] * m.tail[t].slot;
    }
  }
  return f;
}

/// The digit that counts the largest steps of an axis, or -1.
constexpr int coarsest_digit(const Mapping& m, int axis) {
  int found = -1;
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].axis == axis && (found < 0 || m.digit[k].stride > m.digit[found].stride)) found = k;
  return found;
}

/// True if the steps of digit k run to the end of its axis or beyond: what follows them can only be padding.
constexpr bool reaches_end(const Mapping& m, const Digit& d) {
  if (d.axis == no_axis) return false;
  AxisUse const& a = m.axis[d.axis];
  return (Checked(d.stride) * d.size + a.start).value >= a.extent || !(Checked(d.stride) * d.size + a.start).fits;
}
/// True if some steps of digit k may leave the axis on the right, now or once finer digits are added.
constexpr bool overshoots(const Mapping& m, const Digit& d) {
  if (d.axis == no_axis) return false;
  AxisUse const& a = m.axis[d.axis];
  return (Checked(d.stride) * d.size + a.start).value > a.extent || !(Checked(d.stride) * d.size + a.start).fits;
}

constexpr int find_axis(const Mapping& m, Name name) {
  for (int i = 0; i < m.axes; ++i)
    if (m.axis[i].name == name) return i;
  return -1;
}

}  // namespace tcp
