// How the factors of one tensor's levels lie in another's: what every move of a tensor, by DMA or by the switch, is
// made of.
//
// Source and destination hold the same tensor, cut in different ways: A over slices and elements here, over elements
// alone there. A pairing cuts both into the runs of steps that they have in common, and says of each how far one step
// moves in the source and how far in the destination. An axis that the source does not have is a broadcast: all its
// steps come from one place. Steps that the source has and the destination has not are data that would be lost; whether
// that may be is for the caller to say.
//
// A window of the source is moved as it is, or unfolded: a destination that counts its members apart gets every element
// of the window, each a copy of the place that it shares with others. The other way round is impossible: of the
// elements that would have to share a place only one could be kept.
//
// A factor such as `E #< 1 = 2` on Cluster has one place, after padding: it says in which cluster a tensor is, and
// counts nothing. Each side has its own, and no step of the one is a step of the other. In the destination it is a
// broadcast of which one step is meant; in the source, a place to begin at.
#pragma once

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/steps.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// Steps along one axis that a source digit and a destination digit count alike.
struct PairedSteps {
  Name axis{};             // none: copies, or padding that both have
  std::int64_t size = 1;   // steps to be moved
  std::int64_t reach = 1;  // steps that have a place on both sides, padding included; not below size
  bool broadcast = false;  // the source does not count them
  bool ragged = false;     // the destination's live steps are no whole number of these,
  bool overruns = false;   // and the last of them would lie beyond its padding
  bool cut = false;        // the destination's own digit shows fewer steps than the axis has blocks: `B = 3` of B = 16
  Level from = Level::chip, to = Level::chip;
  std::int8_t from_digit = -1, to_digit = -1;
  std::int64_t skip = 1;                         // steps of the source's digit that one step is
  std::int64_t from_stride = 0, to_stride = 0;   // positions of the level that one step moves on
  Pad from_pad = Pad::none, to_pad = Pad::none;  // of the steps from size to reach
};

enum class PairFault : std::uint8_t {
  none,
  insufficient,  // the source has the axis, but not these steps of it
  incompatible,  // the two cut the axis into blocks of which neither divides the other
  window,        // the destination slides one that the source does not
  skew,          // a skewed factor likewise
  start,         // the two begin at different positions of the axis
  zero,          // the destination promises zeros that the source does not have
  too_many,
};

struct Pairing {
  static constexpr int max_pairs = 48;

  PairedSteps pair[max_pairs]{};  // in the destination's order, outermost first
  int pairs = 0;
  bool beyond_live = false;  // taken together, some pairs step over the last live step of a destination digit,
  bool beyond_slot = false;  // and over its padding as well: the move must be cut in two

  PairFault fault = PairFault::none;  // and where: a factor of the destination
  Level level = Level::chip;
  Name axis{};
  Steps asked{};

  bool drops = false;  // the source has live steps that the destination has not
  Level dropped_level = Level::chip;
  Name dropped_axis{};
  Steps dropped{};
  int cut_pair = -1;  // the pair after which they are missing, -1: none is before them

  constexpr bool ok() const { return fault == PairFault::none; }
};

/// True if a factor of Chip, Cluster or Slice has one place, after padding: of its steps, which are single ones, the
/// last one alone is inside the axis, at its first coordinate. A factor of longer steps, such as `A #< 8 / 8`, counts
/// blocks of an axis that goes on elsewhere.
constexpr bool is_one_place(const Levels& levels, int level, int digit) {
  Level const l = static_cast<Level>(level);
  if (l != Level::chip && l != Level::cluster && l != Level::slice) return false;
  Mapping const& m = levels.at[level];
  Digit const& d = m.digit[digit];
  if (d.axis == no_axis || d.in_window() || d.skewed_by != no_axis || d.size < 2 || d.stride != 1) return false;
  return m.axis[d.axis].start < 0 && coarsest_digit(m, d.axis) == digit && d.size - 1 == -m.axis[d.axis].start;
}
constexpr bool is_one_place(const Levels& levels, Name axis) {
  for (int l = 0; l < level_count; ++l)
    if (int const a = find_axis(levels.at[l], axis); a >= 0)
      if (int const k = coarsest_digit(levels.at[l], a); k >= 0 && is_one_place(levels, l, k)) return true;
  return false;
}

namespace detail {

class LevelPairing {
 public:
  constexpr LevelPairing(const Levels& from, const Levels& to) : from_(from), to_(to) {
    for (int l = 0; l < level_count; ++l) {
      if (from.at[l].digits > 0) from_foot_[l] = footprints(from.at[l]);
      if (to.at[l].digits > 0) to_foot_[l] = footprints(to.at[l]);
    }
  }

  constexpr Pairing pairing() {
    for (int l = 0; l < level_count && p_.ok(); ++l) {
      Mapping const& m = to_.at[l];
      if (!(m == from_.at[l]))
        for (int t = 0; t < m.tails; ++t)
          if (m.tail[t].pad == Pad::zero) fail(PairFault::zero, l, m, m.tail[t].first);
      for (int k = 0; k < m.digits && p_.ok(); ++k) {
        if (m.digit[k].joined) continue;
        if (m.digit[k].in_window()) add_window(l, k);
        else if (m.digit[k].skewed_by != no_axis) add_skewed(l, k);
        else if (m.digit[k].axis == no_axis) add_copies(l, k);
        else add_digit(l, k);
      }
    }
    if (p_.ok()) compare_starts();
    if (p_.ok()) find_dropped();
    return p_;
  }

 private:
  struct Part {
    int level, digit;
    std::int64_t skip, take;
  };

  constexpr void fail(PairFault fault, int level, const Mapping& m, int digit) {
    if (!p_.ok()) return;
    Digit const& d = m.digit[digit];
    p_.fault = fault;
    p_.level = static_cast<Level>(level);
    p_.axis = d.axis == no_axis ? Name{} : m.axis[d.axis].name;
    p_.asked = {d.stride, d.size};
  }

  constexpr void push(const PairedSteps& pair, int level, int digit) {
    if (pair.reach == 1) return;
    if (p_.pairs == Pairing::max_pairs) return fail(PairFault::too_many, level, to_.at[level], digit);
    p_.pair[p_.pairs++] = pair;
  }

  constexpr bool counted_by_source(Name axis) const {
    for (int l = 0; l < level_count; ++l) {
      int const a = find_axis(from_.at[l], axis);
      int const k = a < 0 ? -1 : coarsest_digit(from_.at[l], a);
      if (k >= 0 && !is_one_place(from_, l, k)) return true;
    }
    return false;
  }
  constexpr std::int64_t start_in(const Levels& levels, Name axis, bool& there) const {
    std::int64_t start = 0;
    for (const Mapping& m : levels.at)
      if (int const a = find_axis(m, axis); a >= 0) start += m.axis[a].start, there = true;
    return start;
  }

  constexpr PairedSteps to_side(int level, int digit, std::int64_t inner) const {
    Mapping const& m = to_.at[level];
    Digit const& d = m.digit[digit];
    PairedSteps s;
    if (d.axis != no_axis) {
      s.axis = m.axis[d.axis].name;
      s.cut = ceil_div(m.axis[d.axis].extent, d.stride) % d.size != 0;
    }
    s.to = static_cast<Level>(level);
    s.to_digit = static_cast<std::int8_t>(digit);
    s.to_stride = to_foot_[level].inside[digit] * inner;
    s.to_pad = d.pad == Pad::none ? Pad::top : d.pad;
    return s;
  }
  constexpr void from_side(PairedSteps& s, int level, int digit, std::int64_t skip) const {
    Digit const& d = from_.at[level].digit[digit];
    s.from = static_cast<Level>(level);
    s.from_digit = static_cast<std::int8_t>(digit);
    s.skip = skip;
    s.from_stride = from_foot_[level].inside[digit] * skip;
    s.from_pad = d.pad == Pad::none ? Pad::top : d.pad;
  }
  /// True if the window of a member has a place for each of its elements.
  static constexpr bool is_complete(const Mapping& m, int member) {
    while (m.digit[member].joined) --member;
    return m.digit[member].slot >= window_span(m, member);
  }
  /// Multiplies the stride by how many places one step of a window's member moves on.
  constexpr void unfold(PairedSteps& s, const Digit& member) const {
    if (!member.in_window()) return;
    s.from_stride *= member.step;
    s.from_pad = Pad::bottom;
  }

  /// Copies come from anywhere, but from the same place if source and destination have them there; padding is moved
  /// only where both have it.
  constexpr void add_copies(int l, int k) {
    Mapping const& m = to_.at[l];
    Digit const& d = m.digit[k];
    PairedSteps s = to_side(l, k, 1);
    s.size = d.size;
    s.reach = d.slot;
    Mapping const& f = from_.at[l];
    int same = -1;
    for (int j = 0; j < f.digits; ++j) {
      Digit const& y = f.digit[j];
      bool const alike = y.axis == no_axis && y.size == d.size && from_foot_[l].inside[j] == to_foot_[l].inside[k];
      if (alike) same = j;
    }
    bool const needs_zero = d.slot > d.size && d.pad == Pad::zero;
    if (needs_zero && (same < 0 || f.digit[same].pad != Pad::zero || f.digit[same].slot < d.slot)) return fail(PairFault::zero, l, m, k);
    if (same < 0) {
      s.broadcast = true;
      s.reach = s.size;  // padding has no source
    } else {
      from_side(s, l, same, 1);
      if (f.digit[same].slot < s.reach) s.reach = f.digit[same].slot;
      if (needs_zero) s.size = s.reach;
    }
    push(s, l, k);
  }

  constexpr void add_digit(int l, int k) {
    Mapping const& m = to_.at[l];
    Digit const& d = m.digit[k];
    Name const name = m.axis[d.axis].name;
    bool const needs_zero = d.pad == Pad::zero && (d.slot > d.size || overshoots(m, d));
    bool const one_place = is_one_place(to_, l, k);
    if (one_place || !counted_by_source(name)) {
      bool anchored = false;
      start_in(from_, name, anchored);
      if (anchored && !one_place) return fail(PairFault::insufficient, l, m, k);
      if (needs_zero) return fail(PairFault::zero, l, m, k);
      PairedSteps s = to_side(l, k, 1);
      s.size = s.reach = d.size;
      s.broadcast = true;
      return push(s, l, k);
    }
    // The parts of the digit, innermost first, each in one digit of the source.
    Part part[Mapping::max_digits]{};
    int n = 0;
    Steps left{d.stride, d.size};
    bool const to_end = reaches_end(m, d);
    while (left.size > 1) {
      Found found;
      int in = -1;
      bool overlap = false;
      for (int j = 0; j < level_count; ++j) {
        if (from_.at[j].digits == 0) continue;
        Found const f = find_steps(from_.at[j], name, left);
        overlap |= f.overlap;
        if (f.digit >= 0) found = f, in = j;
      }
      if (in < 0) return fail(overlap ? PairFault::incompatible : PairFault::insufficient, l, m, k);
      Digit const& y = from_.at[in].digit[found.digit];
      if (y.in_window() && !is_complete(from_.at[in], found.digit)) return fail(PairFault::window, l, m, k);
      if (y.skewed_by != no_axis) return fail(PairFault::skew, l, m, k);
      bool const clean = n < Mapping::max_digits && found.have > 1 &&
                         (left.size <= found.have || (found.divides && (left.size % found.have == 0 || to_end)));
      if (!clean) return fail(PairFault::incompatible, l, m, k);
      std::int64_t const take = left.size < found.have ? left.size : found.have;
      Checked const beyond = Checked(left.stride) * take;
      if (!beyond.fits && take < left.size) return fail(PairFault::incompatible, l, m, k);
      part[n++] = {in, found.digit, found.skip, take};
      left = {beyond.value, ceil_div(left.size, take)};
    }
    std::int64_t inner = 1;
    for (int i = 0; i + 1 < n; ++i) inner *= part[i].take;
    Checked const all = n > 0 ? Checked(inner) * part[n - 1].take : Checked(1);
    std::int64_t const total = all.fits ? all.value : INT64_MAX;
    p_.beyond_live |= total > d.size;
    p_.beyond_slot |= total > d.slot;
    for (int i = n - 1; i >= 0 && p_.ok(); --i) {
      Part const& q = part[i];
      Digit const& y = from_.at[q.level].digit[q.digit];
      PairedSteps s = to_side(l, k, inner);
      from_side(s, q.level, q.digit, q.skip);
      unfold(s, y);
      s.size = s.reach = q.take;
      s.ragged = total > d.size && (i == n - 1 || d.size % (inner * q.take) != 0);
      s.overruns = total > d.slot;
      if (i == n - 1) {  // padding on both sides is a place on both sides
        std::int64_t const to_slots = d.slot / inner;
        std::int64_t const from_slots = !y.in_window() && q.take >= ceil_div(y.size, q.skip) ? y.slot / q.skip : q.take;
        std::int64_t const both = to_slots < from_slots ? to_slots : from_slots;
        if (both > s.reach) s.reach = both;
        if (needs_zero) {
          if (y.pad != Pad::zero || from_slots < to_slots) return fail(PairFault::zero, l, m, k);
          s.size = s.reach;
        }
      }
      covered_[p_.pairs < Pairing::max_pairs ? p_.pairs : 0] = q.take;
      push(s, l, k);
      if (i > 0) inner /= part[i - 1].take;
    }
  }

  /// A window of the destination is one place counted by several digits: it must be there in the source with the same
  /// members.
  constexpr void add_window(int l, int k) {
    Mapping const& m = to_.at[l];
    for (int j = 0; j < level_count; ++j) {
      Mapping const& f = from_.at[j];
      for (int i = 0; i < f.digits; ++i) {
        if (!f.digit[i].in_window() || f.digit[i].joined) continue;
        int n = 0;
        bool same = true;
        do {
          bool const both = k + n < m.digits && i + n < f.digits;
          same &= both;
          if (!both) break;
          Digit const &x = m.digit[k + n], &y = f.digit[i + n];
          same &= x.step == y.step && x.stride == y.stride && x.size == y.size && m.axis[x.axis].name == f.axis[y.axis].name;
          ++n;
        } while ((k + n < m.digits && m.digit[k + n].joined) || (i + n < f.digits && f.digit[i + n].joined));
        if (!same) continue;
        PairedSteps s = to_side(l, k, 1);
        from_side(s, j, i, 1);
        std::int64_t const live = live_slots(m, k), held = live_slots(f, i);
        s.cut = false;
        if (live > held) return fail(PairFault::window, l, m, k);
        s.size = live;
        s.reach = m.digit[k].slot < f.digit[i].slot ? m.digit[k].slot : f.digit[i].slot;
        if (s.reach < s.size) s.reach = s.size;
        if (m.digit[k].slot > live && m.digit[k].pad == Pad::zero) {
          if (f.digit[i].pad != Pad::zero || f.digit[i].slot < m.digit[k].slot || live < held) return fail(PairFault::zero, l, m, k);
          s.size = s.reach;
        }
        for (int member = i; member < i + n; ++member) whole_[j][member] = live == held;
        return push(s, l, k);
      }
    }
    fail(PairFault::window, l, m, k);
  }

  constexpr void add_skewed(int l, int k) {
    Mapping const& m = to_.at[l];
    Digit const& d = m.digit[k];
    for (int j = 0; j < level_count; ++j) {
      Mapping const& f = from_.at[j];
      for (int i = 0; i < f.digits; ++i) {
        Digit const& y = f.digit[i];
        if (y.skewed_by == no_axis || y.size != d.size || !(f.axis[y.axis].name == m.axis[d.axis].name)) continue;
        if (!(f.axis[y.skewed_by].name == m.axis[d.skewed_by].name)) continue;
        PairedSteps s = to_side(l, k, 1);
        from_side(s, j, i, 1);
        s.size = s.reach = d.size;
        whole_[j][i] = true;
        return push(s, l, k);
      }
    }
    fail(PairFault::skew, l, m, k);
  }

  constexpr void compare_starts() {
    for (int l = 0; l < level_count; ++l) {
      Mapping const& m = to_.at[l];
      for (int a = 0; a < m.axes; ++a) {
        if (is_one_place(to_, m.axis[a].name) || is_one_place(from_, m.axis[a].name)) continue;
        bool in_from = false, in_to = false;
        std::int64_t const there = start_in(from_, m.axis[a].name, in_from), here = start_in(to_, m.axis[a].name, in_to);
        if (!in_from || there == here || !p_.ok()) continue;
        p_.fault = PairFault::start;
        p_.level = static_cast<Level>(l);
        p_.axis = m.axis[a].name;
        p_.asked = {here, 1};
      }
    }
  }

  constexpr void find_dropped() {
    for (int l = 0; l < level_count; ++l) {
      Mapping const& f = from_.at[l];
      for (int k = 0; k < f.digits; ++k) {
        Digit const& y = f.digit[k];
        if (y.axis == no_axis || is_one_place(from_, l, k) || whole_[l][k]) continue;
        bool const opaque = y.skewed_by != no_axis;
        // From the finest steps on, each run must begin where the one before it ends.
        std::int64_t covered = 1;
        int last = -1;
        bool gap = opaque;
        while (!gap && covered < y.size) {
          int next = -1;
          for (int i = 0; i < p_.pairs; ++i) {
            PairedSteps const& s = p_.pair[i];
            if (!s.broadcast && static_cast<int>(s.from) == l && s.from_digit == k && !(s.axis == Name{}) && s.skip == covered &&
                covered_[i] > 1)
              next = i;
          }
          if (next < 0) {
            gap = true;
          } else {
            covered *= covered_[next];
            last = next;
          }
        }
        if (!gap) continue;
        p_.drops = true;
        p_.dropped_level = static_cast<Level>(l);
        p_.dropped_axis = f.axis[y.axis].name;
        p_.dropped = {y.stride * covered, opaque ? y.size : ceil_div(y.size, covered)};
        p_.cut_pair = last;
        return;
      }
    }
  }

  const Levels& from_;
  const Levels& to_;
  Footprints from_foot_[level_count]{};
  Footprints to_foot_[level_count]{};
  bool whole_[level_count][Mapping::max_digits]{};
  std::int64_t covered_[Pairing::max_pairs]{};  // live steps of each pair
  Pairing p_{};
};

}  // namespace detail

/// Law: if there is no fault, then for every place of `to` that holds an element, the place in `from` that the pairs
/// lead to holds the same element, axes that `from` lacks aside; and if nothing is dropped, every element of `from` is
/// met.
constexpr Pairing pair_levels(const Levels& from, const Levels& to) { return detail::LevelPairing(from, to).pairing(); }

}  // namespace tcp
