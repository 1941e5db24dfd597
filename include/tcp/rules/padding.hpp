// Where the padding of a mapping is, and whether another mapping has zeros there.
//
// Padding comes from three places: a digit's slots beyond its size, a tail, and digits of one axis that together leave
// the axis. Each is a *run*: a sum of counters of the position, each times a weight, that is live between two
// thresholds. `B #< 2 #z 96` for a B of 90 is the one counter of 96 steps, live from 2 up to 92; written as `B' / 32`
// far out and `B' % 32` inside it is still the same sum, 32·outer + inner, of two counters.
//
// The fetch finds the runs it has to mask by this, commit finds whether the zeros that Element promises are written,
// and no rule looks at single positions.
#pragma once

#include "tcp/mapping/levels.hpp"

namespace tcp {

struct PaddingRun {
  static constexpr int max_terms = 6;

  /// The counter (position / unit) % slots, times a weight.
  struct Term {
    std::int64_t unit = 1, slots = 1, weight = 1;
  };

  Term term[max_terms]{};
  int terms = 0;
  std::int64_t from = 0, to = 0;  // live if from <= sum < to
  Pad pad = Pad::none;
  int digit = -1, tail = -1;  // of the mapping: the coarsest digit concerned, or the tail
  bool of_axis = false;       // the end of the axis decides, not the digit's size
  bool elsewhere = false;     // which positions are padding depends on a finer digit that another level counts
  bool holes = false;         // a window that does not reach all of its places
};

struct PaddingRuns {
  static constexpr int room = 8;

  PaddingRun run[room]{};
  int count = 0;
  bool more = false;  // than there is room for
};

namespace detail {

constexpr Pad pad_kind(Pad p) { return p == Pad::none ? Pad::top : p; }

constexpr bool promises_zero(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].pad == Pad::zero) return true;
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::zero) return true;
  return false;
}

/// True if the members of the window at digit k leave places out.
constexpr bool window_has_holes(const Mapping& m, int k) {
  std::int64_t reach = 1;  // places without a gap, counted from the finest member up; members are kept with the coarsest first
  int last = k;
  while (last + 1 < m.digits && m.digit[last + 1].joined) ++last;
  for (int j = last; j >= k; --j) {
    if (m.digit[j].step > reach) return true;
    reach += (m.digit[j].size - 1) * m.digit[j].step;
  }
  return false;
}

constexpr void add_run(PaddingRuns& runs, const PaddingRun& r) {
  if (runs.count == PaddingRuns::room) runs.more = true;
  else runs.run[runs.count++] = r;
}

/// The run of an axis whose digits are all ordinary; false if its end makes no padding here.
constexpr bool axis_run(const Mapping& m, const Footprints& foot, int axis, const Mapping* outside, int levels, PaddingRun& r) {
  AxisUse const& a = m.axis[axis];
  int const x = coarsest_digit(m, axis);
  std::int64_t furthest = 0, finest = m.digit[x].stride, fine = 0;
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.axis != axis) continue;
    if (d.in_window() || d.skewed_by != no_axis) return false;
    furthest += (d.size - 1) * d.stride;
    if (d.stride < finest) finest = d.stride;
  }
  for (int i = 0; i < levels; ++i) {
    int const b = find_axis(outside[i], a.name);
    for (int k = 0; b >= 0 && k < outside[i].digits; ++k) {
      Digit const& d = outside[i].digit[k];
      if (d.axis != b) continue;
      if (d.stride > m.digit[x].stride) return false;  // the end of the axis is that level's to know
      fine += (d.size - 1) * d.stride;
    }
  }
  if (a.start >= 0 && furthest + fine + a.start < a.extent) return false;
  r.of_axis = true;
  r.digit = x;
  r.pad = pad_kind(m.digit[x].pad);
  r.from = a.start < 0 ? -a.start : 0;
  r.to = a.extent - a.start;
  for (int k = 0; k < m.digits; ++k) {
    if (m.digit[k].axis != axis) continue;
    if (r.terms == PaddingRun::max_terms) return true;
    r.term[r.terms++] = {foot.inside[k], m.digit[k].slot, m.digit[k].stride};
  }
  std::int64_t const last_live = (r.to - 1) / finest * finest;
  r.elsewhere = fine > 0 && last_live + fine >= r.to && last_live <= furthest;
  return true;
}

}  // namespace detail

/// The runs of a kind from `least` to `most`. `outside`: what other levels hold, since an axis may end in a digit of
/// theirs.
/// Law: a position that holds padding of such kinds and no other is in one of the runs; a position in one of them is
/// padding.
constexpr PaddingRuns padding_runs(const Mapping& m, Pad least, Pad most, const Mapping* outside = nullptr, int levels = 0) {
  PaddingRuns runs;
  Footprints const foot = footprints(m);
  for (int t = 0; t < m.tails; ++t) {
    if (m.tail[t].pad < least || m.tail[t].pad > most || m.tail[t].slot <= foot.tail_live[t]) continue;
    PaddingRun r;
    r.term[r.terms++] = {foot.tail_unit[t], m.tail[t].slot, 1};
    r.to = foot.tail_live[t];
    r.pad = m.tail[t].pad;
    r.tail = t;
    detail::add_run(runs, r);
  }
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.joined) continue;
    bool const coarsest = d.axis != no_axis && !d.in_window() && coarsest_digit(m, d.axis) == k;
    bool ends_with_axis = false;
    if (coarsest) {
      PaddingRun r;
      if (detail::axis_run(m, foot, d.axis, outside, levels, r)) {
        ends_with_axis = reaches_end(m, d);
        if (r.pad >= least && r.pad <= most) detail::add_run(runs, r);
      }
    }
    bool const holes = d.in_window() && d.pad != Pad::none && detail::window_has_holes(m, k);
    if ((d.slot <= live_slots(m, k) && !holes) || ends_with_axis || d.pad < least || d.pad > most) continue;
    PaddingRun r;
    r.term[r.terms++] = {foot.inside[k], d.slot, 1};
    r.to = live_slots(m, k);
    r.pad = d.pad;
    r.digit = k;
    r.holes = holes;
    detail::add_run(runs, r);
  }
  return runs;
}

/// The run without the padding after what is live.
constexpr PaddingRun without_end(PaddingRun r) {
  for (int t = 0; t < r.terms; ++t)
    if (r.term[t].slots * r.term[t].weight > r.to) r.to = r.term[t].slots * r.term[t].weight;
  return r;
}

/// Which positions of a run find zero padding where they are read.
enum class ZerosHeld : std::uint8_t { none, behind, all };

/// What the positions of m in this run find in `source`, walked in the order of m. `behind`: all that come after the
/// live ones, but not those in front.
constexpr ZerosHeld zeros_held(const Mapping& source, const Mapping& m, const PaddingRun& run) {
  if (run.holes) return ZerosHeld::none;
  if (run.tail >= 0) {  // the same tail, around the same
    Mapping const wanted = detail::normalise(detail::part(m, m.tail[run.tail].first, m.digits));
    for (int t = 0; t < source.tails; ++t)
      if (detail::normalise(detail::part(source, source.tail[t].first, source.digits)) == wanted) return ZerosHeld::all;
    return ZerosHeld::none;
  }
  Digit const& x = m.digit[run.digit];
  if (x.in_window()) return ZerosHeld::none;
  if (x.axis == no_axis) {  // mere padding inside of everything
    if (x.size > 1 || run.digit != m.digits - 1 || source.digits == 0) return ZerosHeld::none;
    Digit const& y = source.digit[source.digits - 1];
    bool const same = y.axis == no_axis && y.size == 1 && !y.in_window() && y.pad == Pad::zero && y.slot >= x.slot;
    return same ? ZerosHeld::all : ZerosHeld::none;
  }
  AxisUse const& a = m.axis[x.axis];
  int const b = find_axis(source, a.name);
  if (b < 0) return ZerosHeld::none;
  if (coarsest_digit(m, x.axis) != run.digit) {
    for (int k = 0; k < source.digits; ++k) {
      Digit const& y = source.digit[k];
      bool const same_block = y.axis == b && k != coarsest_digit(source, b) && !y.in_window() && y.stride == x.stride && y.size == x.size;
      if (same_block && y.slot >= x.slot && y.pad == Pad::zero) return ZerosHeld::all;
    }
    return ZerosHeld::none;
  }
  int const c = coarsest_digit(source, b);
  if (c < 0 || source.digit[c].pad != Pad::zero || source.digit[c].in_window()) return ZerosHeld::none;
  Digit const& y = source.digit[c];
  std::int64_t const start = a.start, held = source.axis[b].start;
  std::int64_t asked = start + (x.slot - 1) * x.stride, there = held + (y.slot - 1) * y.stride;
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.axis != x.axis || k == run.digit) continue;
    if (d.slot != d.size) return ZerosHeld::none;
    asked += (d.size - 1) * d.stride;
  }
  for (int k = 0; k < source.digits; ++k) {
    Digit const& d = source.digit[k];
    if (d.axis != b || k == c) continue;
    if (d.slot != d.size || d.in_window()) return ZerosHeld::none;
    there += (d.size - 1) * d.stride;
  }
  if (asked > there || (!reaches_end(m, x) && held + y.size * y.stride > start + x.size * x.stride)) return ZerosHeld::none;
  return start < held ? ZerosHeld::behind : ZerosHeld::all;
}

/// True if every position of m in this run finds zero padding in `source`, walked in the order of m.
constexpr bool has_zeros_at(const Mapping& source, const Mapping& m, const PaddingRun& run) {
  return zeros_held(source, m, run) == ZerosHeld::all;
}

}  // namespace tcp
