// Runs: where, from a place on, nothing happens but a step of the innermost factor. Found from the digits, never by
// trying place after place.
#include <algorithm>
#include <ranges>

#include "tcp/mapping/draw.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace {

/// Positions [begin, end) around one of a mapping in which the digits do nothing but count on in the innermost one, or
/// that are all padding.
struct Stretch {
  std::int64_t begin = 0, end = 1;
  bool padded = false;  // all of it, whatever other levels say
  bool counts = false;  // the innermost digit counts on
};

/// The weakest promise that any padding makes.
Pad greatest_kind(const Levels& levels) {
  Pad kind = Pad::none;
  for (Mapping const& m : levels.at) {
    for (int k = 0; k < m.digits; ++k) kind = std::max(kind, detail::padding_of(m, k));
    for (int t = 0; t < m.tails; ++t) kind = std::max(kind, m.tail[t].pad);
    for (int a = 0; a < m.axes; ++a) {
      if (m.axis[a].start == 0) continue;
      // What the start moves out of the axis has the kind of the axis's coarsest digit, which may be another level's.
      Digit coarsest{};
      for (Mapping const& other : levels.at)
        for (int k = 0; k < other.digits; ++k)
          if (other.digit[k].axis != no_axis && other.axis[other.digit[k].axis].name == m.axis[a].name &&
              other.digit[k].stride > coarsest.stride)
            coarsest = other.digit[k];
      kind = std::max(kind, coarsest.pad == Pad::none ? Pad::top : coarsest.pad);
    }
  }
  return kind;
}

/// Around position i. What lies in padding of kind `whole`, the greatest there is, is all the same, however its inner
/// factors move on.
Stretch stretch_around(const Mapping& m, std::int64_t i, Pad whole) {
  Footprints const foot = footprints(m);
  std::int64_t rest = i;
  Stretch s{i, i + 1};
  int t = 0;
  for (int k = 0; k < m.digits;) {
    bool in_tail_padding = false;
    for (; t < m.tails && m.tail[t].first == k && !in_tail_padding; ++t) {
      if (rest / foot.tail_unit[t] < foot.tail_live[t]) continue;
      std::int64_t const group = i - rest;
      if (m.tail[t].pad >= whole) return {group + foot.tail_live[t] * foot.tail_unit[t], group + m.tail[t].slot * foot.tail_unit[t], true};
      rest %= foot.tail_unit[t];
      k = m.tail[t].last + 1;
      in_tail_padding = true;
    }
    if (in_tail_padding) {
      while (t < m.tails && m.tail[t].first < k) ++t;
      continue;
    }
    Digit const& d = m.digit[k];
    std::int64_t const inside = foot.inside[k], block = i - rest;
    bool const padded = !d.in_window() && rest / inside >= d.size;
    if (padded && (d.pad == Pad::none ? Pad::top : d.pad) >= whole) return {block + d.size * inside, block + d.slot * inside, true};
    rest %= inside;
    int next = k + 1;
    while (next < m.digits && m.digit[next].joined) ++next;
    if (next == m.digits && inside == 1 && !d.in_window())
      s = padded ? Stretch{block + d.size, block + d.slot} : Stretch{block, block + d.size, false, true};
    k = next;
  }
  return s;
}

/// True if the i-th cell on is what the run says.
bool continues(const Places& places, const CellRun& run, std::int64_t i) {
  Cell const c = places.at(run.from + i);
  if (c.kind != run.first.kind || c.pad != run.first.pad) return false;
  Index expected = run.first.index;
  if (run.step != 0) expected.add(run.moving, run.step * i);
  return c.index == expected;
}

/// Lengthens the run up to `most` places, as far as it continues; inside a stretch what has ended does not begin again.
void lengthen(const Places& places, CellRun& run, std::int64_t most) {
  if (run.count >= most) return;
  if (continues(places, run, most - 1)) {
    run.count = most;
    return;
  }
  std::int64_t good = run.count - 1, bad = most - 1;  // the last that is known to continue, the first that is known not to
  while (bad - good > 1) {
    std::int64_t const middle = good + (bad - good) / 2;
    (continues(places, run, middle) ? good : bad) = middle;
  }
  run.count = good + 1;
}

std::int64_t innermost_size(const Places& places) { return places.levels()[places.innermost()].size; }

/// One past the last place of the innermost level around a place.
std::int64_t row_end(const Places& places, std::int64_t number) {
  std::int64_t const size = innermost_size(places), row = number - number % size;
  return size > places.size() - row ? places.size() : row + size;
}

/// Where the innermost digit takes its axis from before its beginning to its beginning; beyond all places if it is not
/// before it.
std::int64_t end_of_front_padding(const Places& places, std::int64_t number) {
  Mapping const& inner = places.levels()[places.innermost()];
  if (inner.digits == 0) return places.size();
  Digit const& d = inner.digit[inner.digits - 1];
  if (d.axis == no_axis || d.in_window() || d.skewed_by != no_axis) return places.size();
  detail::Sum sum;
  Place const at = places.place(number);
  for (int l = 0; l < level_count; ++l) detail::add_position(sum, places.levels().at[l], at.on(l), 0);
  std::int64_t const coordinate = sum.of(inner.axis[d.axis]).at;
  if (coordinate >= 0) return places.size();
  std::int64_t const steps = ceil_div(-coordinate, d.stride);
  return steps > places.size() - number ? places.size() : number + steps;
}

/// Around a place, in numbers of places.
Stretch stretch_around(const Places& places, std::int64_t number, Pad whole) {
  std::int64_t const size = innermost_size(places), row = number - number % size;
  Place const at = places.place(number);
  for (Level l : places.counted()) {
    if (l == places.innermost()) break;
    if (stretch_around(places.levels()[l], at.on(static_cast<int>(l)), whole).padded) return {row, row_end(places, number), true};
  }
  Mapping const& inner = places.levels()[places.innermost()];
  Stretch s = stretch_around(inner, number % size, whole);
  s.begin += row;
  s.end = s.end > places.size() - row ? places.size() : s.end + row;
  if (s.counts) s.end = std::min(s.end, end_of_front_padding(places, number));
  return s;
}

}  // namespace

Places::Places(const Levels& levels) : levels_(levels) {
  Checked size = 1;
  for (int i = 0; i < level_count; ++i) {
    Mapping const& m = levels_.at[i];
    TCP_BUG_UNLESS(m.ok(), "places of a mapping that cannot be");
    if (!(m == Mapping{})) counted_.push_back(static_cast<Level>(i));
    size = size * m.size;
  }
  if (counted_.empty()) counted_.push_back(Level::element);
  all_ = size.fits;
  size_ = all_ ? size.value : std::numeric_limits<std::int64_t>::max();
}

Place Places::place(std::int64_t number) const {
  std::int64_t at[level_count]{};
  for (Level l : counted_ | std::views::reverse) {
    std::int64_t const size = levels_[l].size;
    at[static_cast<int>(l)] = number % size;
    number /= size;
  }
  return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

namespace {

/// What lies at a window's place is found by trying all steps of all members but the last.
Verdict check_windows(const Mapping& m) {
  constexpr std::int64_t most_steps = 65'536;
  for (Factor const& f : factors(m)) {
    if (!m.digit[f.last].in_window()) continue;
    Checked steps = 1;
    for (int k = f.first; k < f.last; ++k) steps = steps * m.digit[k].size;
    if (steps.fits && steps.value <= most_steps) continue;
    return refuse("draw-window-too-long")
        .what("what is stored at a place of ", f.text, " takes more than ", most_steps, " steps to find out")
        .why("a place of a window belongs to all steps with its sum; all but those of the last member are tried")
        .help("declare a shorter axis: a window looks the same at every step of its longest member");
  }
  return accept();
}

}  // namespace

Verdict check_shown(const Places& places, const Shown& shown) {
  for (Level l : places.counted())
    if (auto v = check_windows(places.levels()[l]); !v) return v;
  if (shown.from >= 0 && shown.from < places.size() && shown.count > 0) return accept();
  Refusal r = refuse("draw-no-such-place");
  if (shown.count <= 0) r.what("nothing is left to show: ", shown.count, " places from ", shown.from, " on");
  else r.what("place ", shown.from, " is not there: there are ", places.size());
  return r.why("places are counted from 0 on").help("show from a place between 0 and ", places.size() - 1, ", and at least one");
}

CellRun run_from(const Places& places, std::int64_t number) {
  CellRun run;
  run.from = number;
  run.first = places.at(number);
  if (run.first.kind == CellKind::several || run.first.kind == CellKind::outside) return run;
  Pad const whole = greatest_kind(places.levels());
  std::int64_t const end = row_end(places, number);
  Stretch s = stretch_around(places, number, whole);
  if (s.end - number >= 2 && run.first.live()) {
    Cell const second = places.at(number + 1);
    for (int a = 0; second.live() && a < second.index.n; ++a) {
      std::int64_t const step = second.index.at[a] - run.first.index.get(second.index.axis[a]);
      if (step > 0) run.moving = second.index.axis[a], run.step = step;
    }
  }
  lengthen(places, run, s.end - number);
  // Padding goes on over the borders of stretches; how far it is followed is limited, so that a line costs little.
  constexpr int most_stretches = 128;
  for (int i = 0; !run.first.live() && i < most_stretches && run.from + run.count == s.end && s.end < end; ++i) {
    if (!continues(places, run, run.count)) break;
    s = stretch_around(places, s.end, whole);
    lengthen(places, run, s.end - number);
  }
  return run;
}

std::vector<std::int64_t> telling_places(const Places& places) {
  std::vector<std::int64_t> found{0};
  auto add = [&](Checked place) {
    if (place.fits && place.value < places.size()) found.push_back(place.value);
  };
  Checked unit = 1;  // places of the levels inside
  for (Level l : places.counted() | std::views::reverse) {
    Mapping const& m = places.levels()[l];
    Footprints const foot = footprints(m);
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      Checked const step = unit * foot.inside[k];
      if (d.joined || (step.fits && step.value == 1)) continue;  // the innermost factor moves inside a run
      if (d.size > 1) add(step);
      if (d.slot > live_slots(m, k)) add(step * live_slots(m, k));
    }
    unit = unit * m.size;
  }
  if (places.all()) {
    std::int64_t const last = places.size() - 1;
    found.push_back(std::max<std::int64_t>(stretch_around(places, last, greatest_kind(places.levels())).begin, 0));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<CellRun> telling_runs(const Places& places) {
  std::vector<CellRun> runs;
  for (std::int64_t place : telling_places(places)) {
    // What follows a run inside the same row is told too, so that padding after elements is seen.
    std::int64_t const end = row_end(places, place);
    for (int i = 0; i < 2; ++i) {
      if (!runs.empty() && place < runs.back().from + runs.back().count) break;
      runs.push_back(run_from(places, place));
      place = runs.back().from + runs.back().count;
      if (place >= end || places.at(place).live() == runs.back().first.live()) break;
    }
  }
  return runs;
}

}  // namespace tcp
