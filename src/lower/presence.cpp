// Adds up what each position of the units, of Time and of Packet contributes to the coordinates of an axis, and so
// tells which places lie outside it.
#include "lower/counting.hpp"

#include <algorithm>

namespace tcp::lower {

namespace {

/// The digits of an axis that count: not those of windows and skews, which never leave it.
bool counts(const Digit& d) { return d.axis != no_axis && !d.in_window() && d.skewed_by == no_axis; }

}  // namespace

Presence::Presence(const std::vector<Factors>& units, const Factors& time, const Factors& packet) {
  std::vector<const Factors*> all;
  for (const Factors& f : units) all.push_back(&f);
  all.push_back(&time);
  all.push_back(&packet);
  find_axes(all);
  units_ = positions(Factors{});
  for (const Factors& f : units) units_ = combined(units_, positions(f));
  time_ = positions(time);
  packet_ = positions(packet);
}

/// Most axes are never left; they need no adding up.
void Presence::find_axes(const std::vector<const Factors*>& all) {
  struct Reach {
    Axis axis;
    std::int64_t low = 0, high = 0;
  };
  std::vector<Reach> reach;
  for (const Factors* f : all)
    for (int a = 0; a < f->mapping.axes; ++a) {
      AxisUse const& use = f->mapping.axis[a];
      auto found = std::find_if(reach.begin(), reach.end(), [&use](const Reach& r) { return r.axis.name == use.name; });
      if (found == reach.end()) found = reach.insert(reach.end(), {{use.name, use.extent}, 0, 0});
      (use.start < 0 ? found->low : found->high) += use.start;
      for (int k = 0; k < f->mapping.digits; ++k)
        if (f->mapping.digit[k].axis == a && counts(f->mapping.digit[k]))
          found->high += (f->mapping.digit[k].size - 1) * f->mapping.digit[k].stride;
    }
  for (const Reach& r : reach)
    if (r.low < 0 || r.high >= r.axis.extent) axes_.push_back(r.axis);
}

Presence::Positions Presence::positions(const Factors& f) const {
  Mapping const& m = f.mapping;
  Footprints const foot = footprints(m);
  std::size_t const n = axes_.size();
  std::vector<std::size_t> place(static_cast<std::size_t>(m.axes), n);  // of each axis of m among axes_
  std::vector<std::int64_t> kept_start(n, 0), gone_start(n, 0);
  for (int a = 0; a < m.axes; ++a) {
    for (std::size_t i = 0; i < n; ++i)
      if (axes_[i].name == m.axis[a].name) place[static_cast<std::size_t>(a)] = i;
    std::size_t const i = place[static_cast<std::size_t>(a)];
    if (i == n) continue;
    bool stays = false, goes = false;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == a) (f.gone[k] ? goes : stays) = true;
    (goes && !stays ? gone_start : kept_start)[i] += m.axis[a].start;  // a start goes with its digits
  }
  Positions all;
  all.count = m.size;
  all.pad.assign(static_cast<std::size_t>(m.size), 0);
  all.gone_pad = all.pad;
  all.kept.reserve(static_cast<std::size_t>(m.size) * n);
  all.gone.reserve(static_cast<std::size_t>(m.size) * n);
  for (std::int64_t i = 0; i < m.size; ++i) {
    std::size_t const p = static_cast<std::size_t>(i);
    all.kept.insert(all.kept.end(), kept_start.begin(), kept_start.end());
    all.gone.insert(all.gone.end(), gone_start.begin(), gone_start.end());
    std::int64_t rest = i;
    int t = 0;
    for (int k = 0; k < m.digits; ++k) {
      while (t < m.tails && m.tail[t].first == k) {
        if (rest / foot.tail_unit[t] < foot.tail_live[t]) {
          ++t;
          continue;
        }
        (f.gone[k] ? all.gone_pad : all.pad)[p] = 1;
        rest %= foot.tail_unit[t];
        k = m.tail[t].last + 1;
        while (t < m.tails && m.tail[t].first < k) ++t;
      }
      if (k == m.digits) break;
      Digit const& d = m.digit[k];
      if (d.joined) continue;
      std::int64_t const step = rest / foot.inside[k];
      rest %= foot.inside[k];
      if (step >= live_slots(m, k)) (f.gone[k] ? all.gone_pad : all.pad)[p] = 1;
      else if (counts(d) && place[static_cast<std::size_t>(d.axis)] < n)
        (f.gone[k] ? all.gone : all.kept)[p * n + place[static_cast<std::size_t>(d.axis)]] += step * d.stride;
    }
  }
  return all;
}

Presence::Positions Presence::combined(const Positions& outer, const Positions& inner) const {
  std::size_t const n = axes_.size();
  Positions both;
  both.count = outer.count * inner.count;
  for (std::size_t i = 0; i < static_cast<std::size_t>(outer.count); ++i)
    for (std::size_t j = 0; j < static_cast<std::size_t>(inner.count); ++j) {
      both.pad.push_back(outer.pad[i] | inner.pad[j]);
      both.gone_pad.push_back(outer.gone_pad[i] | inner.gone_pad[j]);
      for (std::size_t a = 0; a < n; ++a) {
        both.kept.push_back(outer.kept[i * n + a] + inner.kept[j * n + a]);
        both.gone.push_back(outer.gone[i * n + a] + inner.gone[j * n + a]);
      }
    }
  return both;
}

void Presence::add(std::vector<std::int64_t>& to, const Positions& of, std::int64_t position) const {
  std::size_t const p = static_cast<std::size_t>(position), n = axes_.size();
  to.push_back(of.pad[p] * 2 + of.gone_pad[p]);
  to.insert(to.end(), of.kept.begin() + static_cast<std::ptrdiff_t>(p * n), of.kept.begin() + static_cast<std::ptrdiff_t>((p + 1) * n));
  to.insert(to.end(), of.gone.begin() + static_cast<std::ptrdiff_t>(p * n), of.gone.begin() + static_cast<std::ptrdiff_t>((p + 1) * n));
}

Holds Presence::at(std::int64_t unit, std::int64_t step, std::int64_t lane) const {
  std::size_t const u = static_cast<std::size_t>(unit), t = static_cast<std::size_t>(step), p = static_cast<std::size_t>(lane);
  if ((units_.pad[u] | time_.pad[t] | packet_.pad[p]) != 0) return Holds::whatever;
  bool absent = (units_.gone_pad[u] | time_.gone_pad[t] | packet_.gone_pad[p]) != 0;
  std::size_t const n = axes_.size();
  for (std::size_t a = 0; a < n; ++a) {
    std::int64_t const kept = units_.kept[u * n + a] + time_.kept[t * n + a] + packet_.kept[p * n + a];
    std::int64_t const all = kept + units_.gone[u * n + a] + time_.gone[t * n + a] + packet_.gone[p * n + a];
    if (kept >= axes_[a].extent) return Holds::whatever;
    absent |= all < 0 || all >= axes_[a].extent;
  }
  return absent ? Holds::absent : Holds::element;
}

}  // namespace tcp::lower
