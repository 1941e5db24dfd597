#include "cells.hpp"

#include <algorithm>

namespace tcp::walker {

namespace {

std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
std::uint64_t number_of(Name name) { return scrambled(name.head ^ scrambled(name.tail)) | 1; }

/// Strides of members divide it.
constexpr std::uint64_t strides_divide = 720720 * 1024;

/// In several levels an axis can be padded by each; the greater kind holds.
Pad greater_of(Pad a, Pad b) { return a < b ? b : a; }
Pad kind_of(const Digit& d) { return d.pad == Pad::none ? Pad::top : d.pad; }

/// Whether digits of an axis count each of its steps.
bool counts_all(std::vector<Digit> digits, std::int64_t extent) {
  std::sort(digits.begin(), digits.end(), [](const Digit& x, const Digit& y) { return x.stride < y.stride; });
  std::int64_t next = 1;
  for (const Digit& d : digits) {
    if (d.stride != next) return false;
    next = d.stride * d.size;
  }
  return next >= extent;
}

/// After how many steps a digit begins again: after its size, or where a coarser one of its axis goes on if that is no multiple of it. `B % 4 = 3` has three steps of four.
std::int64_t rounds_of(const Digit& digit, const std::vector<Digit>& digits) {
  std::int64_t coarser = 0;
  for (const Digit& d : digits)
    if (d.stride > digit.stride && (coarser == 0 || d.stride < coarser)) coarser = d.stride;
  std::int64_t const steps = coarser / digit.stride;
  return steps % digit.size == 0 ? digit.size : steps;
}

}  // namespace

AxisNumbers::AxisNumbers(const std::vector<const Levels*>& all) {
  for (const Levels* levels : all)
    for (const Mapping& m : levels->at)
      for (int a = 0; a < m.axes; ++a) set(number_, m.axis[a].name, number_of(m.axis[a].name));
  for (const Levels* levels : all)
    for (const Mapping& m : levels->at) add_windows(m);
}

/// One step of a member moves on by `step` places of the window, and by `stride` along its axis.
void AxisNumbers::add_windows(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k) {
    if (!m.digit[k].in_window() || m.digit[k].joined) continue;
    std::uint64_t base = number_of(m.axis[m.digit[k].axis].name);
    for (int j = k; j < m.digits && (j == k || m.digit[j].joined); ++j)
      if (std::uint64_t const known = find(window_, m.axis[m.digit[j].axis].name); known != 0) base = known;
    for (int j = k; j < m.digits && (j == k || m.digit[j].joined); ++j) {
      Digit const& d = m.digit[j];
      std::uint64_t const stride = static_cast<std::uint64_t>(d.stride);
      TCP_BUG_UNLESS(strides_divide % stride == 0, "a window over steps that the walker does not know");
      set(window_, m.axis[d.axis].name, base);
      set(number_, m.axis[d.axis].name, base * (strides_divide / stride) * static_cast<std::uint64_t>(d.step));
    }
  }
}

void AxisNumbers::set(std::vector<Pair>& in, Name axis, std::uint64_t number) {
  for (Pair& p : in)
    if (p.first == axis) {
      p.second = number;
      return;
    }
  in.emplace_back(axis, number);
}
std::uint64_t AxisNumbers::of_window(Name axis) const { return find(window_, axis) * strides_divide; }
std::uint64_t AxisNumbers::find(const std::vector<Pair>& in, Name axis) {
  for (const Pair& p : in)
    if (p.first == axis) return p.second;
  return 0;
}

void AxisNumbers::forget(Name axis) {
  set(number_, axis, 0);
  set(window_, axis, 0);
}
void AxisNumbers::keep(const Levels& levels) {
  for (std::vector<Pair>* all : {&number_, &window_})
    for (Pair& p : *all)
      if (!has_axis(levels, p.first)) p.second = 0;
  counted_.clear();
  for (const Pair& p : number_) {
    Counted c{p.first, {}};
    std::int64_t extent = 0;
    bool plain = true;
    for (const Mapping& m : levels.at)
      if (int const a = find_axis(m, p.first); a >= 0)
        for (int k = 0; k < m.digits; ++k) {
          if (m.digit[k].axis != a) continue;
          extent = m.axis[a].extent;
          plain &= !m.digit[k].in_window() && m.digit[k].skewed_by == no_axis;
          c.digits.push_back(m.digit[k]);
        }
    if (plain && !c.digits.empty() && !counts_all(c.digits, extent)) counted_.push_back(std::move(c));
  }
}
std::uint64_t AxisNumbers::of(Name axis, std::int64_t along) const {
  std::int64_t matters = along;
  for (const Counted& c : counted_) {
    if (!(c.axis == axis)) continue;
    matters = 0;
    for (const Digit& d : c.digits) matters += along / d.stride % rounds_of(d, c.digits) * d.stride;
  }
  return static_cast<std::uint64_t>(matters) * of(axis);
}

void AxisNumbers::only(Name axis) {
  for (Pair& p : number_) p.second = p.first == axis ? 1 : 0;
  window_.clear();
}

bool has_axis(const Levels& levels, Name axis) {
  for (const Mapping& m : levels.at)
    if (find_axis(m, axis) >= 0) return true;
  return false;
}

Cells::Cells(const Levels& levels, const AxisNumbers& numbers) : levels_(levels), numbers_(numbers) {
  find_axes();
  for (std::size_t l = 0; l < level_.size(); ++l) level_[l] = decode(levels.at[l]);
  find_idle();
}

/// A position may lie outside of an axis by itself, and hold elements with what the other levels count.
void Cells::find_idle() {
  std::size_t const n = axis_.size();
  std::vector<std::int64_t> low(level_.size() * n, 0), high(level_.size() * n, 0);
  for (std::size_t l = 0; l < level_.size(); ++l)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t p = 0; p < level_[l].pad.size(); ++p) {
        std::int64_t const at = level_[l].at[p * n + i];
        low[l * n + i] = p == 0 ? at : std::min(low[l * n + i], at);
        high[l * n + i] = p == 0 ? at : std::max(high[l * n + i], at);
      }
  for (std::size_t l = 0; l < level_.size(); ++l)
    for (std::size_t p = 0; p < level_[l].pad.size(); ++p) {
      bool idle = level_[l].pad[p] != Pad::none;
      for (std::size_t i = 0; i < n; ++i) {
        std::int64_t least = level_[l].at[p * n + i], most = least;
        for (std::size_t other = 0; other < level_.size(); ++other) {
          if (other == l) continue;
          least += low[other * n + i];
          most += high[other * n + i];
        }
        idle |= most < 0 || least >= axis_[i].extent;
      }
      level_[l].idle.push_back(idle);
    }
}

void Cells::find_axes() {
  struct Reach {
    Axis axis;
    std::int64_t low = 0, high = 0, coarsest = -1;
  };
  std::vector<Reach> all;
  for (const Mapping& m : levels_.at)
    for (int a = 0; a < m.axes; ++a) {
      AxisUse const& use = m.axis[a];
      auto r = std::find_if(all.begin(), all.end(), [&](const Reach& x) { return x.axis.name == use.name; });
      if (r == all.end()) r = all.insert(all.end(), Reach{{use.name, use.extent, Pad::top}, 0, 0, -1});
      (use.start < 0 ? r->low : r->high) += use.start;
      for (int k = 0; k < m.digits; ++k) {
        Digit const& d = m.digit[k];
        if (d.axis != a || d.in_window() || d.skewed_by != no_axis) continue;
        r->high += (d.size - 1) * d.stride;
        if (d.stride > r->coarsest) {
          r->coarsest = d.stride;
          r->axis.overshoot = kind_of(d);
        }
      }
    }
  for (const Reach& r : all)
    if (r.low < 0 || r.high >= r.axis.extent) axis_.push_back(r.axis);
}

/// Whether some element of the window lies there.
bool Cells::in_window(const Mapping& m, int first, std::int64_t place) {
  std::vector<std::int64_t> open{place};
  for (int j = first; j < m.digits && (j == first || m.digit[j].joined); ++j) {
    Digit const& d = m.digit[j];
    std::vector<std::int64_t> next;
    for (std::int64_t left : open)
      for (std::int64_t s = 0; s < d.size && s * d.step <= left && s * d.stride < m.axis[d.axis].extent; ++s)
        next.push_back(left - s * d.step);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    open = std::move(next);
  }
  return !open.empty() && open.front() == 0;
}

Cells::Positions Cells::decode(const Mapping& m) const {
  Positions out;
  std::size_t const n = axis_.size(), size = static_cast<std::size_t>(m.size);
  out.pad.assign(size, Pad::none);
  out.name.assign(size, 0);
  out.at.assign(size * n, 0);
  out.discount.assign(size, 0);
  Footprints const foot = footprints(m);
  auto const place_of = [&](int axis) {
    std::size_t i = 0;
    while (i < n && !(axis_[i].name == m.axis[axis].name)) ++i;
    return i;
  };
  for (std::size_t p = 0; p < size; ++p) {
    for (int a = 0; a < m.axes; ++a) {
      out.name[p] += static_cast<std::uint64_t>(m.axis[a].start) * numbers_.of(m.axis[a].name);
      if (std::size_t const i = place_of(a); i < n) out.at[p * n + i] += m.axis[a].start;
    }
    std::int64_t rest = static_cast<std::int64_t>(p);
    int t = 0;
    for (int k = 0; k < m.digits; ++k) {
      while (t < m.tails && m.tail[t].first == k) {
        if (rest / foot.tail_unit[t] < foot.tail_live[t]) {
          ++t;
          continue;
        }
        out.pad[p] = greater_of(out.pad[p], m.tail[t].pad);
        rest %= foot.tail_unit[t];
        for (int j = m.tail[t].first; j <= m.tail[t].last; ++j)
          if (m.digit[j].axis != no_axis)
            if (std::size_t const i = place_of(m.digit[j].axis); i < n) out.discount[p] |= 1u << i;
        k = m.tail[t].last + 1;
        while (t < m.tails && m.tail[t].first < k) ++t;
      }
      if (k >= m.digits) break;
      Digit const& d = m.digit[k];
      if (d.joined) continue;
      std::int64_t const step = rest / foot.inside[k];
      rest %= foot.inside[k];
      if (d.in_window()) {
        if (!in_window(m, k, step)) out.pad[p] = greater_of(out.pad[p], kind_of(d));
        out.name[p] += static_cast<std::uint64_t>(step) * numbers_.of_window(m.axis[d.axis].name);
        continue;
      }
      if (step >= d.size) {
        out.pad[p] = greater_of(out.pad[p], kind_of(d));
        continue;
      }
      if (d.axis == no_axis) continue;
      std::int64_t const along = d.skewed_by == no_axis ? step * d.stride : step;
      out.name[p] += d.skewed_by == no_axis ? numbers_.of(m.axis[d.axis].name, along)
                                            : static_cast<std::uint64_t>(along) * numbers_.of(m.axis[d.axis].name);
      if (d.skewed_by != no_axis) continue;
      if (std::size_t const i = place_of(d.axis); i < n) out.at[p * n + i] += along;
    }
  }
  return out;
}

std::uint64_t Cells::name(const Place& place) const {
  std::uint64_t sum = 0;
  for (std::size_t l = 0; l < level_.size(); ++l) sum += level_[l].name[static_cast<std::size_t>(place.on(static_cast<int>(l)))];
  return sum;
}

Cells::Held Cells::at(const Place& place) const {
  Held held;
  std::uint32_t discount = 0;
  for (std::size_t l = 0; l < level_.size(); ++l) {
    std::size_t const p = static_cast<std::size_t>(place.on(static_cast<int>(l)));
    held.pad = greater_of(held.pad, level_[l].pad[p]);
    held.name += level_[l].name[p];
    discount |= level_[l].discount[p];
  }
  std::size_t const n = axis_.size();
  for (std::size_t i = 0; i < n; ++i) {
    if ((discount >> i & 1) != 0) continue;
    std::int64_t at = 0;
    for (std::size_t l = 0; l < level_.size(); ++l) at += level_[l].at[static_cast<std::size_t>(place.on(static_cast<int>(l))) * n + i];
    if (at < 0 || at >= axis_[i].extent) held.pad = greater_of(held.pad, axis_[i].overshoot);
  }
  return held;
}

bool Cells::same_as_cell(const Place& place) const {
  Cell const c = cell(levels_, place);
  Held const held = at(place);
  if (c.kind == CellKind::padding) return held.pad == c.pad;
  if (!held.live()) return false;
  if (c.kind == CellKind::several) return true;
  for (const Mapping& m : levels_.at)
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].skewed_by != no_axis) return true;
  std::uint64_t name = 0;
  for (int i = 0; i < c.index.n; ++i) {
    std::int64_t start = 0;
    for (const Mapping& m : levels_.at)
      if (int const a = find_axis(m, c.index.axis[i]); a >= 0) start += m.axis[a].start;
    name += static_cast<std::uint64_t>(start) * numbers_.of(c.index.axis[i]) + numbers_.of(c.index.axis[i], c.index.at[i] - start);
  }
  return name == held.name;
}

}  // namespace tcp::walker
