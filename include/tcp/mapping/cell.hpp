// What is at a position: an element, padding of some kind, or nothing because there is no such position.
#pragma once

#include <type_traits>

#include "tcp/mapping/algebra.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// A tensor index: named coordinates. An axis that is not named has coordinate 0, so {A: 0} and {} are the same index.
struct Index {
  static constexpr int max_axes = 64;

  int n = 0;
  Name axis[max_axes];  // the first n are set, the others in constants only
  std::int64_t at[max_axes];

  constexpr Index() {
    if (!std::is_constant_evaluated()) return;
    for (int i = 0; i < max_axes; ++i) {
      axis[i] = Name{};
      at[i] = 0;
    }
  }
  constexpr Index(const Index& o) : Index() { *this = o; }
  constexpr Index& operator=(const Index& o) {  // NOLINT(bugprone-unhandled-self-assignment): it copies itself
    n = o.n;
    for (int i = 0; i < n; ++i) {
      axis[i] = o.axis[i];
      at[i] = o.at[i];
    }
    return *this;
  }

  constexpr std::int64_t get(Name a) const {
    for (int i = 0; i < n; ++i)
      if (axis[i] == a) return at[i];
    return 0;
  }
  constexpr std::int64_t get(std::string_view a) const { return get(Name(a)); }
  constexpr Index& add(Name a, std::int64_t v) {
    int i = 0;
    while (i < n && !(axis[i] == a)) ++i;
    if (i == n) {
      if (n == max_axes) return *this;
      axis[n] = a;
      at[n++] = 0;
    }
    at[i] += v;
    return *this;
  }
  constexpr bool operator==(const Index& o) const {
    for (int i = 0; i < n; ++i)
      if (at[i] != o.get(axis[i])) return false;
    for (int i = 0; i < o.n; ++i)
      if (o.at[i] != get(o.axis[i])) return false;
    return true;
  }
};

template <class Out>
constexpr void print(Out& out, const Index& index) {
  out << "{";
  for (int i = 0, shown = 0; i < index.n; ++i) {
    if (index.at[i] == 0) continue;
    if (shown++ > 0) out << ", ";
    out << index.axis[i] << ": " << index.at[i];
  }
  out << "}";
}
constexpr Text& operator<<(Text& out, const Index& index) {
  print(out, index);
  return out;
}

enum class CellKind : std::uint8_t {
  live,     // holds `index`
  padding,  // holds nothing; `pad` says what may be assumed
  outside,  // there is no such position
  several,  // a window's place that belongs to more than one element: ask `preimage`
};

struct Cell {
  CellKind kind = CellKind::outside;
  Pad pad = Pad::none;
  Index index{};

  constexpr bool live() const { return kind == CellKind::live; }
};

namespace detail {

/// Coordinates summed over one mapping or over the mappings of several levels. The axis's own limits are applied when
/// all are in (`conclude`).
struct Sum {
  struct Axis {
    Name name;
    std::int64_t extent, at;
    std::int64_t coarsest;  // stride of the coarsest digit so far, whose kind is that of the overshoot
    Pad overshoot;
    bool uncounted;  // in a tail's padding its digits count nothing, so neither does its start
  };
  struct Turn {
    Name axis{}, by{};
    std::int64_t step = 0, size = 1;
  };

  Axis axis[Index::max_axes];  // the first `axes` are set: there is a sum for every cell that is looked at
  int axes = 0;
  Turn turn[4]{};
  int turns = 0;
  Pad pad = Pad::none;

  constexpr Sum() {}  // NOLINT(modernize-use-equals-default): `Sum{}` would set all of it to zero first
  constexpr Sum(const Sum& o) { *this = o; }
  constexpr Sum& operator=(const Sum& o) {  // NOLINT(bugprone-unhandled-self-assignment): it copies itself
    axes = o.axes;
    turns = o.turns;
    pad = o.pad;
    for (int i = 0; i < axes; ++i) axis[i] = o.axis[i];
    for (int i = 0; i < turns; ++i) turn[i] = o.turn[i];
    return *this;
  }

  constexpr Axis& of(const AxisUse& use) {
    for (int i = 0; i < axes; ++i)
      if (axis[i].name == use.name) return axis[i];
    axis[axes] = {use.name, use.extent, 0, -1, Pad::top, false};
    return axis[axes < Index::max_axes - 1 ? axes++ : axes];
  }

  constexpr Cell conclude() const {
    Cell c;
    c.pad = pad;
    for (int i = 0; i < axes; ++i) c.index.add(axis[i].name, axis[i].at);
    for (int t = 0; t < turns; ++t) c.index.add(turn[t].axis, (turn[t].step + c.index.get(turn[t].by)) % turn[t].size);
    for (int i = 0; i < axes; ++i)
      if (!axis[i].uncounted && (axis[i].at < 0 || axis[i].at >= axis[i].extent)) c.pad = greater(c.pad, axis[i].overshoot);
    c.kind = c.pad == Pad::none ? CellKind::live : CellKind::padding;
    if (c.kind == CellKind::padding) c.index = Index{};
    return c;
  }
};

/// In how many ways `place` is a sum of the steps of the window at digit `first`; the `which`-th of them, if there is
/// one, into `step`. Only steps from which the members after it can still reach the place are tried: of two members, as
/// many as the finer one has.
constexpr std::int64_t window_preimages(const Mapping& m, int first, std::int64_t place, std::int64_t which,
                                        std::int64_t (&step)[Mapping::max_digits]) {
  int members = 1;
  while (first + members < m.digits && m.digit[first + members].joined) ++members;
  std::int64_t at[Mapping::max_digits]{}, left[Mapping::max_digits + 1]{place}, reach[Mapping::max_digits + 1]{};
  for (int j = members - 1; j >= 0; --j) reach[j] = reach[j + 1] + (m.digit[first + j].size - 1) * m.digit[first + j].step;
  std::int64_t found = 0;
  bool begins = true;
  for (int j = 0;;) {
    Digit const& d = m.digit[first + j];
    if (begins) at[j] = left[j] > reach[j + 1] ? ceil_div(left[j] - reach[j + 1], d.step) : 0;
    begins = false;
    if (at[j] >= d.size || at[j] * d.step > left[j]) {  // on with the next step of the member before
      if (j == 0) return found;
      ++at[--j];
      continue;
    }
    left[j + 1] = left[j] - at[j] * d.step;
    if (j + 1 < members) {
      ++j;
      begins = true;
      continue;
    }
    bool inside_axes = true;
    for (int i = 0; i < members; ++i) inside_axes &= at[i] * m.digit[first + i].stride < m.axis[m.digit[first + i].axis].extent;
    if (inside_axes && found++ == which)
      for (int i = 0; i < members; ++i) step[i] = at[i];
    ++at[j];
  }
}

/// Adds what m holds at position i, 0 <= i < m.size: of the elements that windows have there, the `choice`-th. Returns
/// how many there are.
constexpr std::int64_t add_position(Sum& sum, const Mapping& m, std::int64_t i, std::int64_t choice) {
  if (m.digits == 0 && m.axes == 0) return 1;  // m![1]
  Footprints const foot = footprints(m);
  for (int a = 0; a < m.axes; ++a) sum.of(m.axis[a]).at += m.axis[a].start;
  std::int64_t preimages = 1;
  std::int64_t rest = i;
  int t = 0;
  for (int k = 0; k < m.digits; ++k) {
    while (t < m.tails && m.tail[t].first == k) {
      if (rest / foot.tail_unit[t] < foot.tail_live[t]) {
        ++t;
        continue;
      }
      // In a tail's own padding its digits count nothing; those inside of it go on.
      sum.pad = greater(sum.pad, m.tail[t].pad);
      rest %= foot.tail_unit[t];
      for (int j = m.tail[t].first; j <= m.tail[t].last; ++j)
        if (m.digit[j].axis != no_axis) sum.of(m.axis[m.digit[j].axis]).uncounted = true;
      k = m.tail[t].last + 1;
      while (t < m.tails && m.tail[t].first < k) ++t;
    }
    if (k == m.digits) break;
    Digit const& d = m.digit[k];
    if (d.joined) continue;
    std::int64_t const step = rest / foot.inside[k];
    rest %= foot.inside[k];
    if (d.in_window()) {
      std::int64_t member_step[Mapping::max_digits]{};
      std::int64_t const found = window_preimages(m, k, step, -1, member_step);
      if (found == 0) {
        sum.pad = greater(sum.pad, d.pad == Pad::none ? Pad::top : d.pad);
        continue;
      }
      window_preimages(m, k, step, choice % found, member_step);
      choice /= found;
      preimages *= found;
      for (int j = k; j < m.digits && (j == k || m.digit[j].joined); ++j)
        sum.of(m.axis[m.digit[j].axis]).at += member_step[j - k] * m.digit[j].stride;
      continue;
    }
    Pad const kind = d.pad == Pad::none ? Pad::top : d.pad;
    bool const padded = step >= d.size;
    if (padded) sum.pad = greater(sum.pad, kind);
    if (d.axis == no_axis) continue;
    if (d.skewed_by != no_axis) {
      if (!padded && sum.turns < 4) sum.turn[sum.turns++] = {m.axis[d.axis].name, m.axis[d.skewed_by].name, step, d.size};
      continue;
    }
    Sum::Axis& a = sum.of(m.axis[d.axis]);
    if (!padded) a.at += step * d.stride;
    if (d.stride > a.coarsest) {
      a.coarsest = d.stride;
      a.overshoot = kind;
    }
  }
  return preimages;
}

}  // namespace detail

/// The cell at position i. Law: its coordinates are those of the definitions in algebra.hpp; a coordinate outside its
/// axis makes it padding.
constexpr Cell cell(const Mapping& m, std::int64_t i) {
  Cell c;
  if (!m.ok() || i < 0 || i >= m.size) return c;
  detail::Sum sum;
  bool const several = detail::add_position(sum, m, i, 0) > 1;
  c = sum.conclude();
  if (several && c.live()) c = Cell{CellKind::several};
  return c;
}

/// How many elements lie at position i: 0 or 1, and more only in a window.
constexpr std::int64_t preimages(const Mapping& m, std::int64_t i) {
  if (!m.ok() || i < 0 || i >= m.size) return 0;
  detail::Sum sum;
  std::int64_t const n = detail::add_position(sum, m, i, 0);
  return sum.conclude().live() ? n : 0;
}

/// One of them; 0 <= which < preimages(m, i).
constexpr Index preimage(const Mapping& m, std::int64_t i, std::int64_t which) {
  detail::Sum sum;
  detail::add_position(sum, m, i, which);
  return sum.conclude().index;
}

/// Where m holds an element: the inverse of `cell`. -1 if it does not hold it. Axes that m does not count are left out
/// of account.
/// Law: cell(m, place(m, x)) holds x's coordinates along the digits of m.
constexpr std::int64_t place(const Mapping& m, const Index& x) {
  Footprints const foot = footprints(m);
  std::int64_t position = 0;
  for (int a = 0; a < m.axes; ++a) {
    std::int64_t left = x.get(m.axis[a].name) - m.axis[a].start;
    if (left < 0 || x.get(m.axis[a].name) >= m.axis[a].extent) return -1;
    // From the coarsest digit to the finest.
    std::int64_t below = -1;
    while (true) {
      int k = -1;
      for (int j = 0; j < m.digits; ++j)
        if (m.digit[j].axis == a && (below < 0 || m.digit[j].stride < below) && (k < 0 || m.digit[j].stride > m.digit[k].stride)) k = j;
      if (k < 0) break;
      Digit const& d = m.digit[k];
      below = d.stride;
      std::int64_t step = left / d.stride;
      left %= d.stride;
      if (d.skewed_by != no_axis) {
        step = (step - x.get(m.axis[d.skewed_by].name)) % d.size;
        if (step < 0) step += d.size;
      }
      if (step >= d.size) return -1;
      int first = k;
      while (m.digit[first].joined) --first;
      position += step * (d.in_window() ? d.step : 1) * foot.inside[first];
    }
    if (left != 0 && (m.axis[a].start != 0 || coarsest_digit(m, a) >= 0)) return -1;
  }
  return position;
}

}  // namespace tcp
