// The operators of the mapping notation, on normal forms. Each has its law beside it; the tests are these laws.
//
// In the laws, E(i) is the cell at position i (cell.hpp) and |E| the number of positions. What cannot be is returned
// with its fault.
#pragma once

#include "tcp/mapping/mapping.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace detail {

constexpr Mapping with_fault(Mapping m, Fault f) {
  if (m.ok()) m.fault = f;
  return m;
}

constexpr Pad greater(Pad a, Pad b) { return a < b ? b : a; }

/// The index of an axis in m's table, added if it is new; -1 with a fault if that cannot be.
constexpr int use_axis(Mapping& m, const AxisUse& a) {
  int i = find_axis(m, a.name);
  if (i >= 0) {
    if (m.axis[i].extent != a.extent) {
      m = with_fault(m, {FaultKind::axis_two_sizes, ',', m.axis[i].extent, a.extent, a.name});
      return -1;
    }
    return i;
  }
  if (m.axes == Mapping::max_axes) {
    m = with_fault(m, {FaultKind::too_many_axes, ',', Mapping::max_axes});
    return -1;
  }
  m.axis[m.axes] = a;
  return m.axes++;
}

/// True if two digits of one axis count different steps of it.
constexpr bool apart(const Digit& x, const Digit& y) {
  Checked const x_end = Checked(x.stride) * x.size, y_end = Checked(y.stride) * y.size;
  return (y_end.fits && x.stride >= y_end.value) || (x_end.fits && y.stride >= x_end.value);
}

/// What a digit's padding is called when another padding is laid over it.
constexpr Pad padding_of(const Mapping& m, int k) {
  Digit const& d = m.digit[k];
  if (d.pad != Pad::none) return d.pad;
  return d.slot > live_slots(m, k) || overshoots(m, d) ? Pad::top : Pad::none;
}

/// Digits `outer` then `inner`, both ordinary and neighbours, as one digit: true if they count as one, with `outer`
/// then that digit.
///
/// Law: the joined digit has the cells of the pair. Either the outer one steps where the inner one ends, or it is
/// `1 # n`, mere padding.
constexpr bool join(const Mapping& m, Digit& outer, const Digit& inner, bool coarsest) {
  if (outer.in_window() || outer.skewed_by != no_axis) return false;
  if (outer.size == 1 && outer.axis == no_axis && !inner.in_window() && inner.skewed_by == no_axis) {
    bool const in_front = coarsest && m.axis[inner.axis].start < 0;  // only the coarsest digit of an axis names the padding before it
    Pad const inner_pad = inner.slot > inner.size || inner.pad != Pad::none || in_front || overshoots(m, inner)
                              ? (inner.pad == Pad::none ? Pad::top : inner.pad)
                              : Pad::none;
    if (inner_pad != Pad::none && inner_pad != outer.pad) return false;
    std::int64_t const slot = outer.slot * inner.slot;
    Pad const pad = outer.pad;
    outer = inner;
    outer.slot = slot;
    outer.pad = pad;
    return true;
  }
  if (inner.in_window() || inner.skewed_by != no_axis) return false;
  if (outer.axis != inner.axis || inner.slot != inner.size || outer.stride != inner.stride * inner.size) return false;
  outer.stride = inner.stride;
  outer.size *= inner.size;
  outer.slot *= inner.slot;
  return true;
}

/// Steps that lie outside the axis whatever the other digits say are padding; a digit of one step counts nothing.
constexpr void shorten_to_axis(const Mapping& m, Digit& d) {
  if (d.axis == no_axis || d.in_window() || d.skewed_by != no_axis) return;
  AxisUse const& a = m.axis[d.axis];
  std::int64_t const most = ceil_div(a.extent - a.start, d.stride);
  if (d.size > most) {
    d.size = most;
    if (d.pad == Pad::none) d.pad = Pad::top;
  }
  if (d.size == 1) {
    d.axis = no_axis;
    d.stride = 0;
  }
}

/// The greatest kind of the paddings inside a tail, its own apart.
constexpr Pad greatest_inside(const Mapping& m, int t) {
  Pad greatest = Pad::none;
  for (int k = m.tail[t].first; k <= m.tail[t].last; ++k)
    if (m.digit[k].slot > live_slots(m, k) || m.digit[k].pad != Pad::none) greatest = greater(greatest, padding_of(m, k));
  for (int u = t + 1; u < m.tails; ++u)
    if (m.tail[u].first >= m.tail[t].first && m.tail[u].last <= m.tail[t].last) greatest = greater(greatest, m.tail[u].pad);
  return greatest;
}

/// Joins and drops digits as far as tails allow, then makes slots of the tails that are whole numbers of outer steps.
constexpr Mapping join_digits(const Mapping& in) {
  Mapping out;
  out.size = in.size;
  out.axes = in.axes;
  for (int a = 0; a < in.axes; ++a) out.axis[a] = in.axis[a];

  std::int8_t begins_at[Mapping::max_tails]{}, ends_at[Mapping::max_tails]{};
  std::int64_t tail_slot[Mapping::max_tails]{};
  std::int8_t ends_with[Mapping::max_tails] = {-1, -1, -1, -1};  // the tail that another has come to end with
  int reach[Mapping::max_tails]{};                               // the last digit of `in` that is in the tail, with those that joined
  for (int t = 0; t < in.tails; ++t) tail_slot[t] = in.tail[t].slot, reach[t] = in.tail[t].last;

  int wall = 0;  // digits before this index lie outside the tail that begins here: nothing joins across that border
  for (int k = 0; k < in.digits; ++k) {
    Digit d = in.digit[k];
    int outermost_tail = -1;
    for (int t = in.tails - 1; t >= 0; --t)
      if (in.tail[t].first == k) outermost_tail = t;
    shorten_to_axis(out, d);
    bool const dropped = d.size == 1 && d.slot == 1 && d.axis == no_axis && !d.in_window() && d.skewed_by == no_axis;
    bool joins = false;
    if (!dropped && out.digits > wall) {
      Digit& before = out.digit[out.digits - 1];
      // What a tail takes in loses the kind of its own padding inside the tail's, so it must not have a greater one.
      bool kinds_allow = true;
      Pad const taken = outermost_tail < 0 ? (d.slot > d.size ? d.pad : Pad::none) : in.tail[outermost_tail].pad;
      for (int t = 0; t < in.tails; ++t) kinds_allow &= reach[t] != k - 1 || taken <= in.tail[t].pad;
      if (!kinds_allow) {
        wall = out.digits;
      } else if (outermost_tail < 0) {
        bool const coarsest = d.axis != no_axis && in.digit[coarsest_digit(in, d.axis)].stride <= in.digit[k].stride;
        joins = !before.joined && join(out, before, d, coarsest);
        if (joins) shorten_to_axis(out, before);
        for (int t = 0; t < in.tails; ++t)
          if (joins && reach[t] == k - 1) tail_slot[t] *= d.slot, reach[t] = k;  // [A, 2] # 25, 2 is [A, 4] # 50
      } else if (before.size == 1 && before.axis == no_axis && !before.joined && before.pad == in.tail[outermost_tail].pad &&
                 greatest_inside(in, outermost_tail) <= before.pad) {
        for (int t = 0; t < in.tails; ++t) {
          if (reach[t] != k - 1) continue;
          tail_slot[t] *= tail_slot[outermost_tail];
          reach[t] = in.tail[outermost_tail].last;
          ends_with[t] = static_cast<std::int8_t>(outermost_tail);
        }
        tail_slot[outermost_tail] *= before.slot;  // `1 # n` before a tail only lengthens the tail
        before = d;
        joins = true;
      }
    }
    if (outermost_tail >= 0 && !joins) wall = out.digits;
    if (!dropped && !joins) out.digit[out.digits++] = d;
    for (int t = 0; t < in.tails; ++t) {
      if (in.tail[t].first == k) begins_at[t] = static_cast<std::int8_t>(dropped ? out.digits : out.digits - 1);
      if (in.tail[t].last == k) ends_at[t] = static_cast<std::int8_t>(out.digits - 1);
    }
  }

  for (int t = in.tails - 1; t >= 0; --t)
    if (ends_with[t] >= 0) ends_at[t] = ends_at[ends_with[t]];

  // Tails, innermost first. One of a whole number of outer steps is the slot of its outermost digit.
  for (int t = in.tails - 1; t >= 0; --t) {
    for (int u = out.tails; u > 0; --u) out.tail[u] = out.tail[u - 1];
    out.tail[0] = {begins_at[t], ends_at[t], in.tail[t].pad, tail_slot[t]};
    ++out.tails;
    Tail& tail = out.tail[0];
    while (tail.last > tail.first) {  // inner factors that divide the tail stay out of it: [A, B, C] # 32 is [A, B] # 16, C
      std::int8_t begin = tail.last;
      while (out.digit[begin].joined) --begin;
      std::int64_t slot = out.digit[begin].slot;
      for (int u = out.tails - 1; u > 0; --u)
        if (out.tail[u].last == tail.last) begin = out.tail[u].first, slot = out.tail[u].slot;
      Pad greatest = Pad::none;
      for (int k = begin; k <= tail.last; ++k) greatest = greater(greatest, out.digit[k].pad);
      for (int u = out.tails - 1; u > 0; --u)
        if (out.tail[u].first >= begin && out.tail[u].last <= tail.last) greatest = greater(greatest, out.tail[u].pad);
      if (begin <= tail.first || tail.slot % slot != 0 || greatest > tail.pad) break;
      tail.slot /= slot;
      tail.last = static_cast<std::int8_t>(begin - 1);
    }
    Footprints const foot = footprints(out);
    std::int64_t const outer_step = foot.inside[tail.first] / foot.inside[tail.last];
    if (tail.slot % outer_step != 0) continue;
    Digit& d = out.digit[tail.first];
    d.slot = tail.slot / outer_step;
    d.pad = greater(d.pad, tail.pad);
    for (int u = 1; u < out.tails; ++u) out.tail[u - 1] = out.tail[u];
    out.tail[--out.tails] = Tail{};
  }
  return out;
}

/// Leaves out the digit at k. Tails that begin with it, and go on after it, begin with the next.
constexpr void leave_out_digit(Mapping& m, int k) {
  for (int j = k + 1; j < m.digits; ++j) m.digit[j - 1] = m.digit[j];
  m.digit[--m.digits] = Digit{};
  for (int u = 0; u < m.tails; ++u) {
    if (m.tail[u].first > k) --m.tail[u].first;
    if (m.tail[u].last >= k) --m.tail[u].last;
  }
}

constexpr void leave_out_tail(Mapping& m, int t) {
  for (int u = t + 1; u < m.tails; ++u) m.tail[u - 1] = m.tail[u];
  m.tail[--m.tails] = Tail{};
}

/// The outermost padding inside tail t is taken off: the tail's own padding covers it, and has the greater kind. True
/// if something was there.
///
/// `#` makes tails without it (`pad_to`). It comes later, when a start pads the outermost digit of a group that is
/// padded already: `A @ 6 = 1, [A, D] # 1000` is `[A @ 6 = 2, D] # 1000`.
constexpr bool take_off_outermost(Mapping& m, int t) {
  Tail& tail = m.tail[t];
  int const k = tail.first;
  bool const tailed = t + 1 < m.tails && m.tail[t + 1].first == k;
  Pad const under = tailed ? m.tail[t + 1].pad : padding_of(m, k);
  if (under == Pad::none) return false;
  Pad greatest = greater(tail.pad, under);
  for (int j = k + 1; j <= tail.last; ++j) greatest = greater(greatest, m.digit[j].pad);
  for (int u = t + 1; u < m.tails; ++u)
    if (m.tail[u].first >= k && m.tail[u].last <= tail.last) greatest = greater(greatest, m.tail[u].pad);
  bool const raised = greatest != tail.pad, padded = m.digit[k].slot > live_slots(m, k);
  tail.pad = greatest;
  if (tailed) leave_out_tail(m, t + 1);
  else if (m.digit[k].size == 1 && m.digit[k].axis == no_axis && !m.digit[k].in_window() && tail.last > k) leave_out_digit(m, k);
  else m.digit[k].slot = live_slots(m, k);
  return tailed || padded || raised;
}

/// A kind is kept where there is padding to name, and written `none` where it is the usual one. True if one is gone.
constexpr bool keep_kinds_of_padding(Mapping& m) {
  bool gone = false;
  for (int k = 0; k < m.digits; ++k) {
    Digit& d = m.digit[k];
    if (d.joined) continue;
    if (d.slot > live_slots(m, k)) {
      if (d.pad == Pad::none) d.pad = Pad::top;
    } else {
      bool const names_overshoot = d.axis != no_axis && coarsest_digit(m, d.axis) == k && (m.axis[d.axis].start < 0 || overshoots(m, d));
      if (d.pad == Pad::none || (names_overshoot && d.pad != Pad::top)) continue;
      d.pad = Pad::none;
      gone = true;
    }
  }
  return gone;
}

/// Brings digits, tails and axes into the one order and form that stands for their meaning.
constexpr Mapping normalise(const Mapping& in) {
  if (!in.ok()) return in;
  Mapping out = join_digits(in);
  for (int tails = in.tails;;) {
    bool changed = out.tails < tails;  // neither a tail that is gone nor a kind that names nothing keeps digits apart
    changed |= keep_kinds_of_padding(out);
    tails = out.tails;
    for (int t = 0; t < out.tails && !changed; ++t) changed = take_off_outermost(out, t);
    if (!changed) break;
    out = join_digits(out);
  }

  // Axes in the order of first use; those without a digit stay only for their start, or because a digit is skewed by
  // them.
  std::int8_t place[Mapping::max_axes];
  for (int a = 0; a < in.axes; ++a) place[a] = no_axis;
  Mapping m = out;
  m.axes = 0;
  for (int k = 0; k < out.digits; ++k) {
    int const a = out.digit[k].axis;
    if (a == no_axis || place[a] != no_axis) continue;
    place[a] = m.axes;
    m.axis[m.axes++] = out.axis[a];
  }
  std::int8_t const counted = m.axes;
  for (int a = 0; a < in.axes; ++a) {
    if (place[a] != no_axis) continue;
    bool needed = out.axis[a].start != 0;
    for (int k = 0; k < out.digits; ++k) needed |= out.digit[k].skewed_by == a;
    if (!needed) continue;
    int at = m.axes++;
    for (; at > counted; --at) {  // by name
      AxisUse const& before = m.axis[at - 1];
      bool const in_order =
          before.name.head != out.axis[a].name.head ? before.name.head < out.axis[a].name.head : before.name.tail < out.axis[a].name.tail;
      if (in_order) break;
      m.axis[at] = before;
    }
    m.axis[at] = out.axis[a];
  }
  for (int a = m.axes; a < Mapping::max_axes; ++a) m.axis[a] = AxisUse{};
  for (int k = 0; k < m.digits; ++k) {
    Digit& d = m.digit[k];
    if (d.axis != no_axis) d.axis = static_cast<std::int8_t>(find_axis(m, out.axis[d.axis].name));
    if (d.skewed_by != no_axis) d.skewed_by = static_cast<std::int8_t>(find_axis(m, out.axis[d.skewed_by].name));
  }
  return m;
}

/// What m.digit[begin … end) are outside of everything else: digits, the tails wholly among them, all axes.
constexpr Mapping part(const Mapping& m, int begin, int end) {
  Mapping p;
  p.axes = m.axes;
  for (int a = 0; a < m.axes; ++a) p.axis[a] = m.axis[a];
  for (int k = begin; k < end; ++k) p.digit[p.digits++] = m.digit[k];
  for (int t = 0; t < m.tails; ++t) {
    if (m.tail[t].first < begin || m.tail[t].last >= end) continue;
    Tail moved = m.tail[t];
    moved.first = static_cast<std::int8_t>(moved.first - begin);
    moved.last = static_cast<std::int8_t>(moved.last - begin);
    p.tail[p.tails++] = moved;
  }
  return p;
}

}  // namespace detail

/// The axis as a mapping of its own. Law: |axis| = extent; at i it holds {name: i}.
constexpr Mapping axis_mapping(Name name, std::int64_t extent) {
  Mapping m;
  bool well_named = name.length() > 0 && name[0] >= 'A' && name[0] <= 'Z';
  for (int i = 1, n = name.length(); i < n; ++i) {
    char const c = name[i];
    well_named &= (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  }
  if (!well_named) return detail::with_fault(m, {FaultKind::axis_name, ' ', 0, 0, name});
  if (extent < 1) return detail::with_fault(m, {FaultKind::axis_size, ' ', extent, 0, name});
  m.size = extent;
  m.axis[m.axes++] = {name, extent, 0};
  m.digit[m.digits++] = Digit{.axis = 0, .stride = 1, .size = extent, .slot = extent};
  return detail::normalise(m);
}

/// A bare number. Law: |n| = n; at every i it holds {}, so that `n, E` is n copies of E.
constexpr Mapping copies(std::int64_t n) {
  Mapping m;
  if (n < 1) return detail::with_fault(m, {FaultKind::number_below_one, ' ', n});
  m.size = n;
  if (n > 1) m.digit[m.digits++] = Digit{.stride = 0, .size = n, .slot = n};
  return m;
}

/// `L, R`. Law: |L, R| = |L|·|R|; at i it holds the sum of L(i / |R|) and R(i % |R|), and nothing if either holds
/// nothing. Where a start of one side pads a group of the other that is padded already, that is padding over padding,
/// and has the greater kind.
constexpr Mapping pair(const Mapping& l, const Mapping& r) {
  if (!l.ok()) return l;
  if (!r.ok()) return r;
  Mapping out = l;
  Checked const size = Checked(l.size) * r.size;
  if (!size.fits) return detail::with_fault(out, {FaultKind::size_overflow, ',', l.size, r.size});
  out.size = size.value;

  int axis_of[Mapping::max_axes]{};
  for (int a = 0; a < r.axes; ++a) {
    int const known = find_axis(l, r.axis[a].name);
    axis_of[a] = detail::use_axis(out, r.axis[a]);
    if (!out.ok()) return out;
    if (known < 0) continue;
    // Two digits may not count the same steps of an axis.
    for (int i = 0; i < l.digits; ++i) {
      for (int j = 0; j < r.digits; ++j) {
        if (l.digit[i].axis != known || r.digit[j].axis != a) continue;
        Digit const &x = l.digit[i], &y = r.digit[j];
        if (!detail::apart(x, y)) return detail::with_fault(out, {FaultKind::axis_twice, ',', x.stride, y.stride, r.axis[a].name});
      }
    }
    // A negative start must not slide digits that have been padded at the end of their axis: what was padding would
    // come alive.
    int const x = coarsest_digit(l, known), y = coarsest_digit(r, a);
    bool const l_coarser = x >= 0 && (y < 0 || l.digit[x].stride > r.digit[y].stride);
    Mapping const& coarse = l_coarser ? l : r;
    std::int64_t const slides = l_coarser ? r.axis[a].start : l.axis[known].start;
    int const k = l_coarser ? x : y;
    if (slides < 0 && k >= 0 && (overshoots(coarse, coarse.digit[k]) || coarse.digit[k].slot > live_slots(coarse, k)))
      return detail::with_fault(out, {FaultKind::start_not_outermost, ',', slides, 0, r.axis[a].name});
    Checked const start = Checked(out.axis[axis_of[a]].start) + r.axis[a].start;
    if (!start.fits || !(Checked(r.axis[a].extent) - start).fits)
      return detail::with_fault(out, {FaultKind::size_overflow, ',', out.axis[axis_of[a]].start, r.axis[a].start});
    out.axis[axis_of[a]].start = start.value;
  }
  for (int a = 0; a < out.axes; ++a)
    if (out.axis[a].start >= out.axis[a].extent)
      return detail::with_fault(out, {FaultKind::start_beyond_axis, ',', out.axis[a].start, out.axis[a].extent, out.axis[a].name});

  int skip = 0;
  if (l.digits + r.digits > Mapping::max_digits && l.digits > 0) {  // full, unless the two digits at the border are one
    Digit first = r.digit[0];
    if (first.axis != no_axis) first.axis = static_cast<std::int8_t>(axis_of[first.axis]);
    bool walled = l.digit[l.digits - 1].joined;
    for (int t = 0; t < l.tails; ++t) walled |= l.tail[t].last == l.digits - 1;
    for (int t = 0; t < r.tails; ++t) walled |= r.tail[t].first == 0;
    bool coarsest = first.axis != no_axis;
    for (int i = 0; i < l.digits; ++i) coarsest &= l.digit[i].axis != first.axis || l.digit[i].stride <= first.stride;
    for (int j = 0; j < r.digits; ++j) coarsest &= r.digit[j].axis != r.digit[0].axis || r.digit[j].stride <= first.stride;
    if (!walled && detail::join(out, out.digit[l.digits - 1], first, coarsest)) skip = 1;
  }
  if (l.digits + r.digits - skip > Mapping::max_digits)
    return detail::with_fault(out, {FaultKind::too_many_digits, ',', l.digits + r.digits - skip, Mapping::max_digits});
  if (l.tails + r.tails > Mapping::max_tails)
    return detail::with_fault(out, {FaultKind::too_many_tails, ',', l.tails + r.tails, Mapping::max_tails});
  for (int j = skip; j < r.digits; ++j) {
    Digit d = r.digit[j];
    if (d.axis != no_axis) d.axis = static_cast<std::int8_t>(axis_of[d.axis]);
    if (d.skewed_by != no_axis) d.skewed_by = static_cast<std::int8_t>(axis_of[d.skewed_by]);
    out.digit[out.digits++] = d;
  }
  for (int t = 0; t < r.tails; ++t) {
    Tail moved = r.tail[t];
    moved.first = static_cast<std::int8_t>(moved.first + l.digits - skip);
    moved.last = static_cast<std::int8_t>(moved.last + l.digits - skip);
    out.tail[out.tails++] = moved;
  }
  for (int k = 0; k < out.digits; ++k) {
    Digit const& d = out.digit[k];
    bool const special = d.skewed_by != no_axis || d.in_window();
    if (special && out.axis[d.axis].start != 0)  // neither slides nor turns from a start
      return detail::with_fault(out, {d.in_window() ? FaultKind::window_part : FaultKind::skew_part, ',', 0, 0, out.axis[d.axis].name});
    for (int j = 0; j < out.digits && d.skewed_by != no_axis; ++j)
      if (out.digit[j].axis == d.skewed_by && out.digit[j].skewed_by != no_axis)  // each turn must be known before the next
        return detail::with_fault(out, {FaultKind::skew_part, ',', 0, 0, out.axis[d.axis].name});
  }
  return detail::normalise(out);
}

/// The two sides of a cut after every n positions.
struct Halves {
  Mapping outer{}, inner{};
};

namespace detail {

constexpr Halves split(const Mapping& m, std::int64_t n, char operation) {
  if (!m.ok()) return {m, m};
  auto const kind = operation == '%' ? FaultKind::modulo_not_divisor : FaultKind::stride_not_divisor;
  Fault fault{};
  if (n < 1) fault = {FaultKind::number_below_one, operation, n};
  else if (m.size % n != 0) fault = {kind, operation, n, m.size};

  // From the inside out: whole digits go to the inner side until the rest of n falls into one.
  std::int64_t rest = n;
  int k = m.digits - 1;
  Digit outer_digit{}, inner_digit{};
  bool cut = false;
  while (fault.kind == FaultKind::none && rest > 1 && !cut) {
    int around = -1;
    for (int t = m.tails - 1; t >= 0; --t)
      if (m.tail[t].last == k) around = t;
    if (around >= 0) {
      if (rest % m.tail[around].slot != 0) fault = {FaultKind::cut_through_tail, operation, n, m.tail[around].slot};
      else rest /= m.tail[around].slot, k = m.tail[around].first - 1;
      continue;
    }
    Digit const& d = m.digit[k];
    if (d.joined) {
      --k;
      continue;
    }
    if (rest % d.slot == 0) {
      rest /= d.slot;
      --k;
      continue;
    }
    Name const name = d.axis == no_axis ? Name{} : m.axis[d.axis].name;
    if (d.in_window() || d.skewed_by != no_axis) {
      fault = {FaultKind::cut_through_window, operation, n, d.slot, name};
      continue;
    }
    cut = true;
    outer_digit = inner_digit = d;
    outer_digit.slot = d.slot / rest;
    inner_digit.slot = rest;
    bool const beyond_axis =  // a block longer than the axis that it counts
        d.axis != no_axis && m.axis[d.axis].start < 0 && rest < d.size && rest > ceil_div(m.axis[d.axis].extent, d.stride);
    if (d.slot % rest != 0) {
      fault = {FaultKind::cut_inside_digit, operation, n, d.slot, name};
    } else if (!beyond_axis && (d.size % rest == 0 || (rest < d.size && reaches_end(m, d)))) {
      outer_digit.stride = d.stride * rest;
      outer_digit.size = ceil_div(d.size, rest);
      inner_digit.size = rest;
    } else if (rest >= d.size) {
      outer_digit = Digit{.pad = d.pad, .size = 1, .slot = d.slot / rest};
    } else {
      fault = {FaultKind::cut_inside_digit, operation, n, d.size, name};
    }
  }
  if (fault.kind != FaultKind::none) return {with_fault(m, fault), with_fault(m, fault)};

  Halves h{part(m, 0, cut ? k : k + 1), part(m, k + 1, m.digits)};
  h.outer.size = m.size / n;
  h.inner.size = n;
  if (cut) {
    h.outer.digit[h.outer.digits++] = outer_digit;
    for (int j = h.inner.digits; j > 0; --j) h.inner.digit[j] = h.inner.digit[j - 1];
    h.inner.digit[0] = inner_digit;
    ++h.inner.digits;
    for (int t = 0; t < h.inner.tails; ++t) ++h.inner.tail[t].first, ++h.inner.tail[t].last;
  }
  for (int a = 0; a < m.axes; ++a) {
    // Padding in front belongs to the coarsest digit, which runs through it, and goes where that one goes.
    std::int64_t inside = 0, outside = 0;
    for (int j = 0; j < h.inner.digits; ++j)
      if (h.inner.digit[j].axis == a && h.inner.digit[j].stride > inside) inside = h.inner.digit[j].stride;
    for (int j = 0; j < h.outer.digits; ++j)
      if (h.outer.digit[j].axis == a && h.outer.digit[j].size > 1 && h.outer.digit[j].stride > outside) outside = h.outer.digit[j].stride;
    bool const stays_inside = m.axis[a].start < 0 && inside > outside;
    (stays_inside ? h.outer : h.inner).axis[a].start = 0;
  }
  return {normalise(h.outer), normalise(h.inner)};
}

}  // namespace detail

/// Law: split_at(E, n) = {E / n, E % n}, and pair of the two is E. The outer side keeps every axis's start, but for
/// padding before an axis that is wholly inside.
constexpr Halves split_at(const Mapping& m, std::int64_t n) { return detail::split(m, n, '/'); }

/// `E / n`. Law: |E / n| = |E| / n; at i it holds E(i·n), less the padding before an axis that is wholly inside
/// a block.
constexpr Mapping divide_by(const Mapping& m, std::int64_t n) { return detail::split(m, n, '/').outer; }

/// `E % n`. Law: |E % n| = n; at i it holds E(i), counted from a start of 0.
constexpr Mapping modulo(const Mapping& m, std::int64_t n) { return detail::split(m, n, '%').inner; }

/// `E # n`. Law: |E # n| = n; at i it holds E(i) for i < |E|, else padding. Padding over padding has the greater kind.
constexpr Mapping pad_to(const Mapping& e, std::int64_t n, Pad kind) {
  if (!e.ok()) return e;
  if (n < e.size)
    return detail::with_fault(e, {FaultKind::pad_below_size, kind == Pad::zero ? 'z' : kind == Pad::bottom ? '!' : '#', n, e.size});
  Mapping m = e;
  if (n == e.size) {
    // Nothing is added, but padding already put in front takes its kind from here.
    Digit& d = m.digit[0];
    bool const in_front = m.digits > 0 && d.axis != no_axis && m.axis[d.axis].start < 0 && coarsest_digit(m, d.axis) == 0 &&
                          (m.tails == 0 || m.tail[0].first != 0);
    if (in_front && d.pad == Pad::none && !overshoots(m, d)) d.pad = kind;
    return detail::normalise(m);
  }
  while (true) {
    m.size = n;
    if (m.digits == 0) {
      m.digit[m.digits++] = Digit{.pad = kind, .size = 1, .slot = n};
      return detail::normalise(m);
    }
    Footprints const foot = footprints(m);
    int const around = m.tails > 0 && m.tail[0].first == 0 ? 0 : -1;
    std::int64_t const inside = around >= 0 ? foot.tail_unit[0] : foot.inside[0];
    Pad const under = around >= 0 ? m.tail[0].pad : detail::padding_of(m, 0);
    kind = detail::greater(kind, under);
    if (n % inside == 0 && around < 0 && m.digit[0].in_window() && window_span(m, 0) > m.digit[0].slot)
      return detail::with_fault(e, {FaultKind::window_cut_and_padded, '#', n});
    if (n % inside == 0) {
      if (around >= 0) {
        m.tail[0].slot = n / inside;
        m.tail[0].pad = kind;
      } else {
        m.digit[0].slot = n / inside;
        m.digit[0].pad = kind;
      }
      return detail::normalise(m);
    }
    // No whole number of outer steps: the outermost padding, if any, is taken off, and a tail laid around everything.
    if (around >= 0) {
      for (int t = 1; t < m.tails; ++t) m.tail[t - 1] = m.tail[t];
      m.tail[--m.tails] = Tail{};
    } else if (m.digit[0].size == 1 && m.digit[0].axis == no_axis && !m.digit[0].in_window()) {
      std::int64_t const inner = foot.inside[0];
      m = detail::part(m, 1, m.digits);
      m.size = inner;
      m = detail::normalise(m);
      continue;
    } else {
      m.digit[0].slot = live_slots(m, 0);
    }
    if (under != Pad::none) {  // the padding taken off held padding of the digits inside it, perhaps of a greater kind
      for (int k = 1; k < m.digits; ++k) kind = detail::greater(kind, m.digit[k].pad);
      for (int t = 0; t < m.tails; ++t) kind = detail::greater(kind, m.tail[t].pad);
    }
    if (m.tails == Mapping::max_tails)
      return detail::with_fault(e, {FaultKind::too_many_tails, '#', Mapping::max_tails + 1, Mapping::max_tails});
    for (int t = m.tails; t > 0; --t) m.tail[t] = m.tail[t - 1];
    m.tail[0] = {0, static_cast<std::int8_t>(m.digits - 1), kind, n};
    ++m.tails;
    return detail::normalise(m);
  }
}

/// One member of a window: a single unpadded digit that moves `step` places.
struct Slide {
  Mapping part{};
  std::int64_t step = 1;
};

namespace detail {
/// The order in which a window's members are kept, so that it does not matter how they were written.
constexpr bool slides_before(const Slide& x, const Slide& y) {
  if (x.step != y.step) return x.step > y.step;
  if (x.part.size != y.part.size) return x.part.size > y.part.size;
  Name const a = x.part.axis[0].name, b = y.part.axis[0].name;
  return a.head != b.head ? a.head < b.head : a.tail != b.tail ? a.tail < b.tail : x.part.digit[0].stride > y.part.digit[0].stride;
}
}  // namespace detail

/// `$(e1:n1, …, ed:nd)`. Law: |·| = 1 + Σ (|ek| − 1)·nk; position s holds every sum of ek(sk) for which s = Σ sk·nk.
template <int N>
constexpr Mapping slide_over(const Slide (&members)[N], int count = N) {
  Mapping m;
  Slide sorted[N];
  int n = 0;
  for (int i = 0; i < count; ++i) {
    Mapping const& p = members[i].part;
    if (!p.ok()) return p;
    if (members[i].step < 1) return detail::with_fault(m, {FaultKind::number_below_one, '$', members[i].step});
    if (p.digits == 0 && p.axes == 0 && p.size == 1) continue;
    bool const plain = p.digits == 1 && p.tails == 0 && p.digit[0].axis != no_axis && !p.digit[0].in_window() &&
                       p.digit[0].skewed_by == no_axis && p.digit[0].slot == p.digit[0].size && p.axis[0].start == 0 && p.axes == 1;
    if (!plain) return detail::with_fault(p, {FaultKind::window_part, '$', members[i].step});
    int at = n++;
    for (; at > 0 && detail::slides_before(members[i], sorted[at - 1]); --at) sorted[at] = sorted[at - 1];
    sorted[at] = members[i];
  }
  Checked span = 1;
  for (int i = 0; i < n; ++i) span = span + Checked(sorted[i].part.size - 1) * sorted[i].step;
  if (!span.fits) return detail::with_fault(m, {FaultKind::size_overflow, '$', n});
  if (n > Mapping::max_digits) return detail::with_fault(m, {FaultKind::too_many_digits, '$', n, Mapping::max_digits});
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (sorted[i].part.axis[0].name == sorted[j].part.axis[0].name) {
        Digit const &x = sorted[i].part.digit[0], &y = sorted[j].part.digit[0];
        if (!detail::apart(x, y))
          return detail::with_fault(m, {FaultKind::window_axis_twice, '$', x.stride, y.stride, sorted[i].part.axis[0].name});
      }
  // A member that moves on exactly where the rest ends is no window but an outer factor.
  Mapping outside;
  int from = 0;
  while (from < n) {
    std::int64_t rest = 1;
    for (int i = from + 1; i < n; ++i) rest += (sorted[i].part.size - 1) * sorted[i].step;
    if (sorted[from].step != rest) break;
    outside = pair(outside, sorted[from].part);
    ++from;
  }
  if (from == n || !outside.ok()) return outside;
  bool first = true;
  for (int i = from; i < n; ++i) {
    int const a = detail::use_axis(m, sorted[i].part.axis[0]);
    if (!m.ok()) return m;
    Digit d = sorted[i].part.digit[0];
    d.axis = static_cast<std::int8_t>(a);
    d.step = sorted[i].step;
    d.joined = !first;
    d.slot = 1;
    d.pad = Pad::none;
    m.digit[m.digits++] = d;
    first = false;
  }
  m.digit[0].slot = m.size = window_span(m, 0);
  return pair(outside, detail::normalise(m));
}

namespace detail {

/// The first `places` places of the window at digit k: its members, as far as they reach there.
constexpr Mapping cut_window(const Mapping& m, int k, std::int64_t places) {
  Slide member[Mapping::max_digits];
  int n = 0;
  for (int i = k; i < m.digits && (i == k || m.digit[i].joined); ++i) {
    Digit d = m.digit[i];
    std::int64_t const reach = ceil_div(places, d.step);
    Slide& s = member[n++];
    s.step = d.step;
    s.part.axis[s.part.axes++] = {m.axis[d.axis].name, m.axis[d.axis].extent, 0};
    d.axis = 0;
    d.step = 0;
    d.joined = false;
    d.pad = Pad::none;
    d.size = d.slot = s.part.size = d.size < reach ? d.size : reach;
    s.part.digit[s.part.digits++] = d;
    s.part = normalise(s.part);
  }
  Mapping w = slide_over(member, n);
  if (w.size < places) return pad_to(w, places, Pad::top);
  if (w.size == places) return w;
  if (!w.digit[0].in_window()) return with_fault(m, {FaultKind::cut_through_window, '=', places, w.size, m.axis[m.digit[k].axis].name});
  w.digit[0].slot = w.size = places;
  return w;
}

}  // namespace detail

/// `E = n`. Law: |E = n| = n; at i it holds E(i).
constexpr Mapping resize_to(const Mapping& e, std::int64_t n) {
  if (!e.ok()) return e;
  if (n < 1) return detail::with_fault(e, {FaultKind::number_below_one, '=', n});
  if (n > e.size) return detail::with_fault(e, {FaultKind::resize_above_size, '=', n, e.size});
  if (n == e.size) return e;
  Mapping m = e;
  Footprints const foot = footprints(m);
  int k = 0;  // digits before it stand still at 0
  int t = 0;  // tails before it are gone
  bool found = false;
  while (!found) {
    bool const tailed = t < m.tails && m.tail[t].first == k;
    std::int64_t const inside = tailed ? foot.tail_unit[t] : foot.inside[k];
    std::int64_t const live = tailed ? foot.tail_live[t] : live_slots(m, k);
    if (n <= inside) {
      k = tailed ? m.tail[t].last + 1 : k + 1;
      while (t < m.tails && m.tail[t].first < k) ++t;
      if (n == inside) found = true;
      continue;
    }
    std::int64_t const steps = n / inside;
    if (n % inside != 0) {
      if (tailed && steps < live) {
        ++t;
        continue;
      }
      if (steps >= live) {     // only padding is cut: the live part, padded anew
        Pad kind = Pad::none;  // the greatest of those that the new padding may cover
        for (int j = k; j < m.digits; ++j) kind = detail::greater(kind, detail::padding_of(m, j));
        for (int u = t; u < m.tails; ++u) kind = detail::greater(kind, m.tail[u].pad);
        return pad_to(resize_to(e, live * inside), n, kind);
      }
      Name const name = m.digit[k].axis == no_axis ? Name{} : m.axis[m.digit[k].axis].name;
      return detail::with_fault(e, {FaultKind::cut_inside_digit, '=', n, inside, name});
    }
    if (tailed && steps <= live) {
      ++t;
      if (steps == live) found = true;
      continue;
    }
    found = true;
    Digit& d = m.digit[k];
    if (tailed) {
      m.tail[t].slot = steps;
    } else if (d.in_window() && steps < window_span(m, k)) {
      int after = k + 1;
      while (after < m.digits && m.digit[after].joined) ++after;
      Mapping inner = detail::part(m, after, m.digits);
      inner.size = inside;
      return pair(detail::cut_window(m, k, steps), detail::normalise(inner));
    } else if (d.skewed_by != no_axis && steps < d.size) {
      return detail::with_fault(e, {FaultKind::cut_through_window, '=', n, d.size, m.axis[d.axis].name});
    } else {
      d.slot = steps;
      if (!d.in_window() && d.size > steps) d.size = steps;
    }
  }
  while (k < m.digits && m.digit[k].joined) ++k;
  Mapping rest = detail::part(m, k, m.digits);
  // The first `t` of the tails that begin at k are gone.
  int gone = 0;
  for (int u = 0; u < t && u < m.tails; ++u) gone += m.tail[u].first >= k;
  for (int u = gone; u < rest.tails; ++u) rest.tail[u - gone] = rest.tail[u];
  for (int u = rest.tails - gone; u < rest.tails; ++u) rest.tail[u] = Tail{};
  rest.tails = static_cast<std::int8_t>(rest.tails - gone);
  rest.size = n;
  return detail::normalise(rest);
}

/// `E @ k`, for an E of one axis. Law: |E @ k| = |E|; each coordinate of E(i), plus k steps of the innermost digit;
/// beyond the axis, padding.
constexpr Mapping start_at(const Mapping& e, std::int64_t k) {
  if (!e.ok()) return e;
  if (k < 0) return detail::with_fault(e, {FaultKind::number_below_one, '@', k});
  bool one_axis = e.digits > 0;
  for (int i = 0; i < e.digits; ++i)
    one_axis &= e.digit[i].axis != no_axis && e.digit[i].axis == e.digit[0].axis && !e.digit[i].in_window();
  for (int i = 0; i < e.digits; ++i) one_axis &= e.digit[i].skewed_by == no_axis;
  if (!one_axis) return detail::with_fault(e, {FaultKind::start_many_axes, '@', k});
  Mapping m = e;
  AxisUse& a = m.axis[m.digit[0].axis];
  Checked const start = Checked(a.start) + Checked(k) * m.digit[m.digits - 1].stride;
  if (!start.fits || start.value >= a.extent)
    return detail::with_fault(e, {FaultKind::start_beyond_axis, '@', start.fits ? start.value : INT64_MAX, a.extent, a.name});
  a.start = start.value;
  return detail::normalise(m);
}

/// `E #< n`, for a whole axis or its outer part. Law: n positions of padding, then E.
constexpr Mapping pad_front(const Mapping& e, std::int64_t n) {
  if (!e.ok()) return e;
  if (n < 0) return detail::with_fault(e, {FaultKind::number_below_one, '<', n});
  bool const outer_part = e.digits == 1 && e.tails == 0 && e.digit[0].axis != no_axis && !e.digit[0].in_window() &&
                          e.digit[0].skewed_by == no_axis && e.axis[e.digit[0].axis].start <= 0 && reaches_end(e, e.digit[0]);
  if (!outer_part) return detail::with_fault(e, {FaultKind::left_pad_inner, '<', n});
  Mapping m = e;
  Digit& d = m.digit[0];
  AxisUse& a = m.axis[d.axis];
  Checked const start = Checked(a.start) - Checked(n) * d.stride;
  Checked const size = Checked(m.size) + n;
  if (!start.fits || !size.fits || !(Checked(a.extent) - start).fits)
    return detail::with_fault(e, {FaultKind::size_overflow, '<', n, e.size});
  a.start = start.value;
  d.size += n;
  d.slot += n;
  m.size = size.value;
  return detail::normalise(m);
}

/// Axis `turning`, each step counted from the coordinate of `by`, wrapping around. Law: at i it holds {turning: (i +
/// by) mod |turning|}.
constexpr Mapping skew(const Mapping& turning, const Mapping& by) {
  if (!turning.ok()) return turning;
  if (!by.ok()) return by;
  bool const whole = turning.digits == 1 && turning.tails == 0 && turning.axes == 1 && turning.digit[0].axis == 0 &&
                     turning.digit[0].stride == 1 && turning.digit[0].size == turning.axis[0].extent &&
                     turning.digit[0].slot == turning.digit[0].size && !turning.digit[0].in_window() &&
                     turning.digit[0].skewed_by == no_axis;
  bool const other = by.axes == 1 && by.digits == 1 && by.digit[0].axis == 0 && !(by.axis[0].name == turning.axis[0].name);
  if (!whole || !other) return detail::with_fault(turning, {FaultKind::skew_part, '~'});
  Mapping m = turning;
  int const a = detail::use_axis(m, {by.axis[0].name, by.axis[0].extent, 0});
  if (!m.ok()) return m;
  m.digit[0].skewed_by = static_cast<std::int8_t>(a);
  return detail::normalise(m);
}

/// The mapping with every padding of kind top. Law: its cells differ from those of `e` in the kinds of padding only.
constexpr Mapping without_kinds(const Mapping& e) {
  Mapping m = e;
  for (int k = 0; k < m.digits; ++k) m.digit[k].pad = m.digit[k].slot > live_slots(m, k) && !m.digit[k].joined ? Pad::top : Pad::none;
  for (int t = 0; t < m.tails; ++t) m.tail[t].pad = Pad::top;
  return detail::normalise(m);
}

/// The book's equivalence. Law: equivalent(a, b) iff |a| = |b| and a(i), b(i) hold the same element, or none, at every
/// i.
constexpr bool equivalent(const Mapping& a, const Mapping& b) { return a.ok() && b.ok() && without_kinds(a) == without_kinds(b); }

constexpr Mapping Mapping::pad(std::int64_t n) const { return pad_to(*this, n, Pad::top); }
constexpr Mapping Mapping::pad_zero(std::int64_t n) const { return pad_to(*this, n, Pad::zero); }
constexpr Mapping Mapping::pad_bottom(std::int64_t n) const { return pad_to(*this, n, Pad::bottom); }
constexpr Mapping Mapping::pad_left(std::int64_t n) const { return pad_front(*this, n); }
constexpr Mapping Mapping::resize(std::int64_t n) const { return resize_to(*this, n); }
constexpr Mapping Mapping::from(std::int64_t k) const { return start_at(*this, k); }
constexpr Mapping operator/(const Mapping& m, std::int64_t n) { return divide_by(m, n); }
constexpr Mapping operator%(const Mapping& m, std::int64_t n) { return modulo(m, n); }

}  // namespace tcp
