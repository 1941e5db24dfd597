// A gate of the Valid Count Generator by trying: for an axis whose placement the rule of rules/valid_count.hpp refuses, although some gate would do.
//
// The rule looks at factors; it takes slices that hold nothing for slices that must be closed, whereas whatever they count is lost. Here every slice says what it
// needs, and every mask and match is tried against all of them.
#include <algorithm>
#include <limits>

#include "counting.hpp"

namespace tcp::lower {

namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

/// What a slice needs of the gate: open below `from`, closed at `to` and beyond.
struct Window {
  std::int64_t from = 0, to = no_end;

  bool may_be_open() const { return to == no_end; }
  bool may_be_closed() const { return from == 0; }
};

/// One counter for each factor of Time; those of the axis serve gate 0, mere padding gate 1.
std::vector<program::ValidCount::Counter> counters_of(const Mapping& time, Name axis, bool padding) {
  std::vector<program::ValidCount::Counter> counters;  // the fastest first
  int const a = find_axis(time, axis);
  for (int k = time.digits - 1; k >= 0; --k) {
    bool const ours = a >= 0 && time.digit[k].axis == a;
    bool const mere = padding && detail::fold::mere_padding(time.digit[k]) && !detail::fold::in_group(time, k);
    std::int64_t const stride = ours ? time.digit[k].stride : mere ? 1 : 0;
    std::int64_t limit = time.digit[k].slot;
    for (int t = 0; t < time.tails; ++t)
      if (time.tail[t].last == k) limit = time.tail[t].slot, k = time.tail[t].first;
    if (limit == 1) continue;
    if (!ours && !mere && !counters.empty() && counters.back().serves < 0) counters.back().limit *= limit;
    else counters.push_back({limit, stride, ours ? 1 : mere ? 2 : -1});
  }
  return counters;
}

/// The windows of all slices; empty if some flit is neither wholly there nor wholly absent, or open steps lie behind closed ones.
std::vector<Window> windows_of(const Presence& there, std::int64_t slices, const std::vector<program::ValidCount::Counter>& counters) {
  std::vector<Window> all(static_cast<std::size_t>(slices));
  for (std::int64_t t = 0; t < there.steps(); ++t) {
    std::int64_t index = 0, rest = t;
    for (const program::ValidCount::Counter& c : counters) {
      if (c.serves == 1) index += rest % c.limit * c.stride;
      rest /= c.limit;
    }
    for (std::int64_t u = 0; u < there.units(); ++u)
      for (std::int64_t lane = 0; lane < there.lanes(); ++lane) {
        Window& w = all[static_cast<std::size_t>(u % slices)];
        Holds const is = there.at(u, t, lane);
        if (is == Holds::element) w.from = std::max(w.from, index + 1);
        if (is == Holds::absent) w.to = std::min(w.to, index);
      }
  }
  if (std::any_of(all.begin(), all.end(), [](const Window& w) { return w.from > w.to; })) all.clear();
  return all;
}

}  // namespace

std::optional<program::ValidCount> gate_by_trying(const Device& device, const Mapping& time, Name axis, bool padding, const Presence& there,
                                                  std::int64_t slices) {
  program::ValidCount made;
  made.counters = counters_of(time, axis, padding);
  made.lanes = made.packet_valid = device.vector.lanes;
  if (static_cast<std::int64_t>(made.counters.size()) > device.vector.valid_count_counters) return std::nullopt;
  std::vector<Window> const windows = windows_of(there, slices, made.counters);
  if (windows.empty()) return std::nullopt;
  std::uint64_t all_bits = 0;
  while (all_bits + 1 < static_cast<std::uint64_t>(slices)) all_bits = 2 * all_bits + 1;
  for (std::uint64_t mask = 0; mask <= all_bits; ++mask)
    for (std::uint64_t match = 0; match <= mask; ++match) {
      if ((match & ~mask) != 0) continue;
      for (bool transposed : {false, true}) {
        Window boundary;
        bool fits = true;
        for (std::size_t s = 0; s < windows.size() && fits; ++s) {
          Window const& w = windows[s];
          std::uint64_t const seen = s & mask;
          if (seen < match) fits = w.may_be_open();
          else if (seen > match && !transposed) fits = w.may_be_closed();
          else boundary = {std::max(boundary.from, w.from), std::min(boundary.to, w.to)};
          fits &= boundary.from <= boundary.to;
        }
        if (!fits) continue;
        made.gates.push_back({mask, match, boundary.from, transposed});
        if (padding) made.gates.push_back({0, 0, 1, false});  // open where all these counters stand at 0
        made.gates.resize(static_cast<std::size_t>(device.vector.valid_count_gates));
        return made;
      }
    }
  return std::nullopt;
}

}  // namespace tcp::lower
