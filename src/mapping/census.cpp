// Counts elements and padding without a look at the places: factors multiply, and along an axis that ends inside its
// last block the steps that are left are counted block by block, from the coarsest factor to the finest.
#include <algorithm>
#include <vector>

#include "tcp/mapping/draw.hpp"

namespace tcp {
namespace {

/// Digits of one axis, from all levels.
struct AxisDigits {
  Name name{};
  std::int64_t extent = 0;
  Checked start = 0;
  std::vector<Digit> digit;
  bool uncounted = false;  // in the padding of a group its axes count nothing, and so leave nothing
};

Pad kind_of(const Digit& d) { return d.pad == Pad::none ? Pad::top : d.pad; }

/// Positions of a digit's padding, if padding of that kind counts.
Checked padded_slots(const Digit& d, Pad most) { return kind_of(d) <= most ? d.slot - d.size : 0; }
Checked allowed_slots(const Digit& d, Pad most) { return Checked(d.size) + padded_slots(d, most); }

/// In how many ways digits i, i + 1, … (coarsest first) sum up to less than `limit`. A step into padding adds nothing.
Checked ways_below(const std::vector<Digit>& digit, std::size_t i, std::int64_t limit, Pad most) {
  if (limit <= 0) return 0;
  if (i == digit.size()) return 1;
  Digit const& d = digit[i];
  Checked rest = 1;
  for (std::size_t j = i + 1; j < digit.size(); ++j) rest = rest * allowed_slots(digit[j], most);
  std::int64_t const whole = limit / d.stride;  // steps that stay below the limit whatever the finer digits add
  if (whole >= d.size) return allowed_slots(d, most) * rest;
  if (whole == 0) return (Checked(1) + padded_slots(d, most)) * ways_below(digit, i + 1, limit, most);
  return (Checked(whole) + padded_slots(d, most)) * rest + ways_below(digit, i + 1, limit - whole * d.stride, most);
}

Checked ways_along(const AxisDigits& a, Pad most) {
  Pad const overshoot = a.digit.empty() ? Pad::top : kind_of(a.digit[0]);
  if (a.uncounted || overshoot <= most) {
    Checked all = 1;
    for (Digit const& d : a.digit) all = all * allowed_slots(d, most);
    return all;
  }
  Checked const end = Checked(a.extent) - a.start, begin = Checked(0) - a.start;
  if (!end.fits || !begin.fits) return end;
  return ways_below(a.digit, 0, end.value, most) - ways_below(a.digit, 0, begin.value, most);
}

/// One way for the groups of all levels to be: each in its live part or in its own padding, bit t of `in_padding` for
/// the t-th tail.
Checked places_up_to(const Levels& levels, Pad most, unsigned in_padding) {
  Checked product = 1;
  std::vector<AxisDigits> axes;
  int tails_before = 0;
  for (Mapping const& m : levels.at) {
    Footprints const foot = footprints(m);
    bool skipped[Mapping::max_digits]{};
    for (int t = 0; t < m.tails; ++t) {
      if (!(in_padding >> (tails_before + t) & 1)) continue;
      Tail const& tail = m.tail[t];
      // Inside the padding of a group there are no groups.
      if (skipped[tail.first] || tail.pad > most) return 0;
      product = product * (tail.slot - foot.tail_live[t]);
      for (int k = tail.first; k <= tail.last; ++k) skipped[k] = true;
    }
    tails_before += m.tails;
    for (int a = 0; a < m.axes; ++a) {
      auto at = std::find_if(axes.begin(), axes.end(), [&](const AxisDigits& x) { return x.name == m.axis[a].name; });
      if (at == axes.end()) at = axes.insert(at, AxisDigits{m.axis[a].name, m.axis[a].extent, 0, {}, false});
      at->start = at->start + m.axis[a].start;
      for (int k = 0; k < m.digits; ++k) {
        if (m.digit[k].axis != a) continue;
        if (skipped[k]) at->uncounted = true;
        else if (m.digit[k].skewed_by == no_axis) at->digit.push_back(m.digit[k]);
      }
    }
    for (int k = 0; k < m.digits; ++k)
      if (!skipped[k] && (m.digit[k].axis == no_axis || m.digit[k].skewed_by != no_axis))
        product = product * allowed_slots(m.digit[k], most);
  }
  for (AxisDigits& a : axes) {
    std::sort(a.digit.begin(), a.digit.end(), [](const Digit& x, const Digit& y) { return x.stride > y.stride; });
    product = product * ways_along(a, most);
  }
  return product;
}

}  // namespace

Census census(const Levels& levels) {
  Census c;
  int tails = 0;
  Checked size = 1;
  for (Mapping const& m : levels.at) {
    tails += m.tails;
    size = size * m.size;
    for (int k = 0; k < m.digits; ++k) c.known &= !m.digit[k].in_window();
  }
  constexpr int most_tails = 8;  // each doubles the cases
  c.known &= size.fits && tails <= most_tails;
  if (!c.known) return c;
  Checked up_to[3]{};
  for (Pad most : {Pad::none, Pad::zero, Pad::top})
    for (unsigned in_padding = 0; in_padding < 1u << tails; ++in_padding)
      up_to[static_cast<int>(most)] = up_to[static_cast<int>(most)] + places_up_to(levels, most, in_padding);
  c.elements = up_to[0].value;
  c.zero = up_to[1].value - c.elements;
  c.top = up_to[2].value - up_to[1].value;
  c.bottom = size.value - up_to[2].value;
  c.known = up_to[2].fits;
  return c;
}

}  // namespace tcp
