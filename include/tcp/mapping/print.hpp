// A mapping in the book's notation. The text is canonical: equal mappings print alike, and parse(print(m)) is m again
// (parse.hpp).
//
// `Out` is anything that takes `<<` of text, characters and numbers: a Text, a std::ostream, or the two below, which
// size a text exactly.
#pragma once

#include "tcp/mapping/algebra.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace detail {

/// Counts the characters that printing would take.
struct LengthOnly {
  std::size_t n = 0;

  constexpr LengthOnly& operator<<(std::string_view v) {
    n += v.size();
    return *this;
  }
  constexpr LengthOnly& operator<<(const char* v) { return *this << std::string_view(v); }
  constexpr LengthOnly& operator<<(char) {
    ++n;
    return *this;
  }
  template <std::integral Int>
  constexpr LengthOnly& operator<<(Int v) {
    return *this << text(v).view();
  }
};

/// Writes into room that LengthOnly measured.
struct Into {
  char* s;

  constexpr Into& operator<<(std::string_view v) {
    for (char c : v) *s++ = c;
    return *this;
  }
  constexpr Into& operator<<(const char* v) { return *this << std::string_view(v); }
  constexpr Into& operator<<(char c) {
    *s++ = c;
    return *this;
  }
  template <std::integral Int>
  constexpr Into& operator<<(Int v) {
    return *this << text(v).view();
  }
};

constexpr const char* pad_sign(Pad p) { return p == Pad::zero ? " #z " : p == Pad::bottom ? " #! " : " # "; }

/// The axis part of digit k, and its slot: `B @ 2 / 4 # 8`. The start is on the coarsest digit of its axis, and
/// only there.
template <class Out>
constexpr void print_digit(Out& out, const Mapping& m, int k) {
  Digit const& d = m.digit[k];
  if (d.axis == no_axis) {
    out << d.size;
    if (d.slot > d.size) out << pad_sign(d.pad) << d.slot;
    return;
  }
  AxisUse const& a = m.axis[d.axis];
  if (d.skewed_by != no_axis) {
    out << "skew(" << a.name << ", " << m.axis[d.skewed_by].name << ")";
    if (d.slot > d.size) out << pad_sign(d.pad) << d.slot;
    return;
  }
  std::int64_t const start = coarsest_digit(m, d.axis) == k ? a.start : 0;
  std::int64_t const slot = d.in_window() ? d.size : d.slot;
  Pad const pad = d.in_window() ? Pad::none : d.pad;

  // `steps` and `slots` are the live steps and the positions of what has been printed so far.
  std::int64_t slots = start < 0 ? a.extent - start : a.extent;
  std::int64_t steps = a.extent - start;
  out << a.name;
  if (start > 0) out << " @ " << start;
  if (start < 0) out << " #< " << -start;

  Checked const reach = Checked(d.stride) * d.size;
  bool const ragged = !reach.fits || reach.value > steps;  // the last step runs over the end of the axis
  bool const unusual = pad == Pad::zero || pad == Pad::bottom;
  if (ragged) {
    if (start > 0 && unusual) out << " = " << steps, slots = steps;
    std::int64_t const whole = round_up(slots, d.stride);
    if (whole != slots || unusual) out << pad_sign(pad) << whole;
    slots = whole;
  } else {
    if (start < 0 && unusual && slot == d.size) out << pad_sign(pad) << slots;  // names the padding in front
    if (slots % d.stride != 0) {
      out << " = " << reach.value;
      steps = slots = reach.value;
    }
  }
  if (d.stride > 1) {
    out << " / " << d.stride;
    steps = ceil_div(steps, d.stride);
    slots /= d.stride;
  }
  if (d.size == steps && slot == slots && (slots == steps || !unusual)) return;
  if (d.size < slots) out << (start == 0 && steps == slots && slots % d.size == 0 && slot != slots ? " % " : " = ") << d.size;
  if (slot > d.size) out << pad_sign(pad) << slot;
}

template <class Out>
constexpr void print_window(Out& out, const Mapping& m, int& k) {
  int const first = k;
  out << "$(";
  do {
    if (k > first) out << ", ";
    Digit const& d = m.digit[k];
    print_digit(out, m, k);
    if (d.step != 1) out << ":" << d.step;
    ++k;
  } while (k < m.digits && m.digit[k].joined);
  out << ")";
  std::int64_t const span = window_span(m, first);
  if (m.digit[first].slot > span) out << pad_sign(m.digit[first].pad) << m.digit[first].slot;
  if (m.digit[first].slot < span) out << " = " << m.digit[first].slot;
}

/// Digits begin … end, with the tails from `t` on that lie among them.
template <class Out>
constexpr void print_digits(Out& out, const Mapping& m, int begin, int end, int& t) {
  int k = begin;
  while (k < end) {
    if (k > begin) out << ", ";
    if (t < m.tails && m.tail[t].first == k) {
      Tail const tail = m.tail[t++];
      out << "[";
      print_digits(out, m, k, tail.last + 1, t);
      out << "]" << pad_sign(tail.pad) << tail.slot;
      k = tail.last + 1;
    } else if (m.digit[k].in_window()) {
      print_window(out, m, k);
    } else {
      print_digit(out, m, k);
      ++k;
    }
  }
}

}  // namespace detail

/// The canonical text. Of a mapping with a fault: the operand that the fault speaks of.
template <class Out>
constexpr void print(Out& out, const Mapping& m) {
  bool any = false;
  for (int a = 0; a < m.axes; ++a) {  // axes without a digit: only their start is left
    if (coarsest_digit(m, a) >= 0 || m.axis[a].start == 0) continue;
    if (any) out << ", ";
    std::int64_t const start = m.axis[a].start;
    out << m.axis[a].name << (start > 0 ? " @ " : " #< ") << (start > 0 ? start : -start) << " = 1";
    any = true;
  }
  if (m.digits == 0) {
    if (!any) out << "1";
    return;
  }
  if (any) out << ", ";
  int t = 0;
  detail::print_digits(out, m, 0, m.digits, t);
}

/// A mapping in a sentence: `m![A / 8 # 256]`.
constexpr Text& operator<<(Text& out, const Mapping& m) {
  out << "m![";
  print(out, m);
  return out << "]";
}

/// The axes a mapping uses, as they are declared: `A = 8, B = 512`.
template <class Out>
constexpr void print_axes(Out& out, const Mapping& m) {
  for (int a = 0; a < m.axes; ++a) {
    if (a > 0) out << ", ";
    out << m.axis[a].name << " = " << m.axis[a].extent;
  }
}

namespace detail {
constexpr std::size_t length_of(const Mapping& m) {
  LengthOnly n;
  print(n, m);
  return n.n;
}
constexpr std::size_t axes_length_of(const Mapping& m) {
  LengthOnly n;
  print_axes(n, m);
  return n.n;
}
}  // namespace detail

}  // namespace tcp
