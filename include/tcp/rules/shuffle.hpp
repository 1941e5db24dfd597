// Moves that differ from chip to chip, or from cluster to cluster: shuffles, and the slice that is another one on every
// chip.
//
//   chip_shuffle(1, 2, 3, 0)       chip 0 gets what chip 1 held, chip 1 what chip 2 held, …
//   chip_slice(0, 1, 2, 3) of B    chip 0 keeps B = 0 of its own data, chip 1 keeps B = 1, …
//
// Both go by positions: out[c] = in[p[c]]. One command runs on all chips, so what a chip ends up with depends on its
// number, and no factor of the input's mapping says that; the author declares the mapping of the result. What can be
// checked is that it has the same places: an element, not padding, wherever one arrives. Where a slice is a rotation of
// a whole axis the mapping does say it, as skew(B, A).
#pragma once

#include "tcp/mapping/view.hpp"
#include "tcp/rules/dma.hpp"

namespace tcp {
namespace detail {

/// A group without padding of its own, padded as a whole, is one digit: [A, B] # 20 is live where C # 20 is, with C = A
/// * B. Axes are forgotten already.
constexpr Mapping with_plain_groups_joined(Mapping p) {
  for (int t = p.tails - 1; t >= 0; --t) {  // inner ones first
    int const first = p.tail[t].first, last = p.tail[t].last;
    bool plain = true;
    std::int64_t size = 1;
    for (int k = first; k <= last; ++k) {
      plain = plain && p.digit[k].size == p.digit[k].slot;
      size *= p.digit[k].size;
    }
    for (int inner = t + 1; inner < p.tails; ++inner) plain = plain && (p.tail[inner].last < first || p.tail[inner].first > last);
    if (!plain) continue;
    p.digit[first] = Digit{.pad = p.tail[t].pad, .stride = 0, .size = size, .slot = p.tail[t].slot};
    int const gone = last - first;
    for (int k = first + 1; k < Mapping::max_digits; ++k) p.digit[k] = k + gone < p.digits ? p.digit[k + gone] : Digit{};
    p.digits = static_cast<decltype(p.digits)>(p.digits - gone);
    for (int other = 0; other < p.tails; ++other) {
      if (p.tail[other].first > first) p.tail[other].first = static_cast<std::int8_t>(p.tail[other].first - gone);
      if (p.tail[other].last > first) p.tail[other].last = static_cast<std::int8_t>(p.tail[other].last - gone);
    }
    for (int other = t; other + 1 < p.tails; ++other) p.tail[other] = p.tail[other + 1];
    p.tail[--p.tails] = Tail{};
  }
  return p;
}

/// The mapping with its axes forgotten, and kinds of padding, unless promises of zeros are kept. Law: live at the same
/// positions, as far as m alone decides.
constexpr Mapping places_of(const Mapping& m, bool with_zeros = false) {
  Mapping p = m;
  p.axes = 0;
  for (AxisUse& a : p.axis) a = AxisUse{};
  p.digits = 0;
  std::int8_t moved_to[Mapping::max_digits]{};
  for (int k = 0; k < m.digits; ++k) {
    moved_to[k] = static_cast<std::int8_t>(m.digit[k].joined ? p.digits - 1 : p.digits);
    if (m.digit[k].joined) continue;
    std::int64_t const live = live_slots(m, k), slots = m.digit[k].slot;
    Pad const pad = with_zeros && live < slots && m.digit[k].pad == Pad::zero ? Pad::zero : Pad::top;
    p.digit[p.digits++] = Digit{.pad = pad, .stride = 0, .size = live, .slot = slots};
  }
  for (int k = p.digits; k < Mapping::max_digits; ++k) p.digit[k] = Digit{};
  for (int t = 0; t < m.tails; ++t) {
    p.tail[t].first = moved_to[m.tail[t].first];
    p.tail[t].last = moved_to[m.tail[t].last];
    p.tail[t].pad = with_zeros && m.tail[t].pad == Pad::zero ? Pad::zero : Pad::top;
  }
  return normalise(with_plain_groups_joined(p));
}

constexpr bool any_overshoot(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k)
    if (overshoots(m, m.digit[k])) return true;
  for (int a = 0; a < m.axes; ++a)
    if (m.axis[a].start < 0) return true;
  return false;
}

constexpr bool same_places(const Mapping& a, const Mapping& b) {
  return equivalent(a, b) || (!any_overshoot(a) && !any_overshoot(b) && places_of(a) == places_of(b));
}

}  // namespace detail

/// out[c] = in[from[c]] over chips or clusters; each is the source of exactly one.
constexpr Expected<DmaPlan> check_shuffle(const Device& device, ScalarType type, std::int64_t chips, Level level, const DmaTensor& in,
                                          const std::int64_t* from, int count, const DmaTensor& out, Where at = {}) {
  bool const of_chips = level == Level::chip;
  const char* const unit = of_chips ? "chip" : "cluster";
  bool const memory = in.memory == out.memory && (in.memory == Memory::Dm || in.memory == (of_chips ? Memory::Hbm : Memory::Spm));
  if (!memory)
    return refuse("shuffle-memory", at)
        .what(unit, "s are shuffled from ", of_chips ? "HBM to HBM" : "SPM to SPM", " or from DM to DM, not from ", in.memory, " to ",
              out.memory)
        .why("HBM has no clusters, a scratchpad is reached from its own chip, and a shuffle keeps the memory")
        .help("move the tensor there first");
  if (auto v = detail::check_dma_tensor(device, type, chips, in, at); !v) return v.refusal();
  if (auto v = detail::check_dma_tensor(device, type, chips, out, at); !v) return v.refusal();
  Mapping const &before = in.levels[level], &after = out.levels[level];
  if (count != before.size)
    return refuse("shuffle-count", at)
        .what("a shuffle of ", before.size, " ", unit, "s names one source for each; ", count, " are given")
        .why("the c-th number is the ", unit, " that ", unit, " c gets its data from")
        .help("write ", before.size, " numbers");
  for (int c = 0; c < count; ++c) {
    if (from[c] < 0 || from[c] >= before.size)
      return refuse("shuffle-out-of-range", at)
          .what(unit, " ", c, " is to get what ", unit, " ", from[c], " holds; there are ", before.size)
          .why("the c-th number is the ", unit, " that ", unit, " c gets its data from")
          .help("use numbers from 0 to ", before.size - 1);
    for (int b = 0; b < c; ++b)
      if (from[b] == from[c])
        return refuse("shuffle-not-permutation", at)
            .what(unit, "s ", b, " and ", c, " are both to get what ", unit, " ", from[c], " holds, so that of some other ", unit,
                  " is lost")
            .why("the data of the ", unit, " that is left out would be lost silently")
            .help("name every ", unit, " once; to give one ", unit, "'s data to all, transfer it to a tensor with copies on ",
                  name_of(level));
  }
  for (int l = 0; l < level_count; ++l) {
    Level const each = static_cast<Level>(l);
    bool same = each == level ? before.size == after.size && !detail::any_overshoot(before) && !detail::any_overshoot(after)
                              : detail::same_places(in.levels[each], out.levels[each]);
    for (int c = 0; each == level && same && c < count; ++c) same = cell(before, from[c]).live() == cell(after, c).live();
    if (!same)
      return refuse("shuffle-wrong-result", at)
          .what("the result is declared with ", name_of(each), " ", out.levels[each], "; it has other places than ", in.levels[each],
                " brings")
          .why("a shuffle moves positions: the result has an element wherever one arrives, and nowhere else")
          .help("use a mapping of ", in.levels[each].size, " positions with the same padding");
  }
  auto plan = detail::dma_packets(device, type, pair_levels(in.levels, in.levels), in, in, at);
  if (!plan) return plan;
  DmaPlan p = *plan;
  p.crosses_chips = of_chips;
  p.crosses_clusters = !of_chips;
  return p;
}
constexpr Expected<DmaPlan> check_chip_shuffle(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& in,
                                               const std::int64_t* from, int count, const DmaTensor& out, Where at = {}) {
  return check_shuffle(device, type, chips, Level::chip, in, from, count, out, at);
}
constexpr Expected<DmaPlan> check_cluster_shuffle(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& in,
                                                  const std::int64_t* from, int count, const DmaTensor& out, Where at = {}) {
  return check_shuffle(device, type, chips, Level::cluster, in, from, count, out, at);
}

/// A slice that begins elsewhere on every chip; the sub context copies it.
struct ChipSliced {
  DmaPlan copy{};           // of the part that begins at 0
  std::int64_t stride = 1;  // positions of Element that one step of the dimension moves on
  bool rotates = false;     // the result is the whole dimension, turned: skew(B, A)
};

/// Chip c keeps `length` steps of `dimension` from start[c] on. The dimension is an unpadded factor of Element.
constexpr Expected<ChipSliced> check_chip_slice(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& in,
                                                const Mapping& dimension, std::int64_t length, const std::int64_t* start, int count,
                                                const DmaTensor& out, Where at = {}) {
  if (in.memory != Memory::Dm || out.memory != Memory::Dm)
    return refuse("chip-slice-memory", at)
        .what("a chip's own slice is copied from DM to DM, not from ", in.memory, " to ", out.memory)
        .why("the sub context copies it")
        .help("move the tensor to DM first");
  if (auto v = detail::check_dma_tensor(device, type, chips, in, at); !v) return v.refusal();
  if (auto v = detail::check_dma_tensor(device, type, chips, out, at); !v) return v.refusal();
  Mapping const &chip = in.levels[Level::chip], &element = in.levels[Level::element], &result = out.levels[Level::element];
  if (count != chip.size)
    return refuse("chip-slice-count", at)
        .what("each of ", chip.size, " chips begins its slice somewhere; ", count, " beginnings are given")
        .why("the c-th number is where the slice of chip c begins")
        .help("write ", chip.size, " numbers");
  auto const first = tile(element, dimension, length, 0, at);
  if (!first) return first.refusal();
  auto const second = tile(element, dimension, 1, dimension.size > 1 ? 1 : 0, at);
  if (!second) return second.refusal();
  std::int64_t const stride = dimension.size > 1 ? second->offset : 1;

  // Element is outer · dimension · inner; the result has something of `length` positions in the middle.
  Mapping const inner = split_at(element, stride).inner, outer = split_at(element, stride * dimension.size).outer;
  Mapping const rest = split_at(result, stride).outer;
  Halves const middle = result.size % (stride * length) == 0 ? split_at(rest, length) : Halves{};
  bool fits = inner.ok() && outer.ok() && rest.ok() && middle.outer.ok() && middle.inner.ok() && middle.inner.size == length &&
              equivalent(split_at(result, stride).inner, inner) && equivalent(middle.outer, outer);
  bool const skewed = fits && middle.inner.digits == 1 && middle.inner.digit[0].skewed_by != no_axis;
  if (fits && !skewed) fits = !detail::any_overshoot(middle.inner) && detail::places_of(middle.inner) == copies(length);
  if (fits && skewed)
    fits = middle.inner.axis[0].name == dimension.axis[0].name && length == dimension.size && dimension.digit[0].stride == 1;
  if (!fits)
    return refuse("chip-slice-wrong-result", at)
        .what("the result is declared with Element ", result, "; a slice of length ", length, " of ", dimension, " leaves ", element,
              " otherwise as it is")
        .why("a slice keeps everything but the steps that it leaves out")
        .help("replace ", dimension, " in Element by a factor of size ", length);
  for (int c = 0; c < count; ++c) {
    if (start[c] < 0 || start[c] >= dimension.size || (!skewed && start[c] > dimension.size - length))
      return refuse("chip-slice-out-of-range", at)
          .what("chip ", c, " is to keep ", length, " steps of ", dimension, " from ", start[c], " on; there are ", dimension.size)
          .why("a slice stays within its dimension; only a whole axis that is declared as skewed wraps around")
          .help("begin at 0 to ", dimension.size - length);
    if (!skewed)  // some chips cannot keep a last block that is no whole one
      if (auto v = tile_of(in.levels, dimension, length, start[c], first->mapping, at); !v) return v.refusal();
    Cell const there = cell(out.levels[Level::chip], c);
    if (skewed && there.live()) {
      Name const by = middle.inner.axis[middle.inner.digit[0].skewed_by].name;
      if (there.index.get(by) % dimension.size != start[c])
        return refuse("chip-slice-not-skewed", at)
            .what("the result is declared with ", middle.inner, ", which begins at ", there.index.get(by) % dimension.size, " on chip ", c,
                  "; the slice begins at ", start[c])
            .why("skew(B, A) is B = (position + A) mod the size of B")
            .help("begin on each chip at its own coordinate of ", by, ", or declare an axis of another name");
    }
  }
  for (int l = 0; l < level_count; ++l) {
    Level const each = static_cast<Level>(l);
    if (each == Level::element) continue;
    bool same = each != Level::chip && equivalent(in.levels[each], out.levels[each]);
    if (each == Level::chip) {
      same = chip.size == out.levels[each].size;
      for (int c = 0; same && c < count; ++c) same = cell(chip, c).live() == cell(out.levels[each], c).live();
    }
    if (!same)
      return refuse("chip-slice-wrong-level", at)
          .what("the result is declared with ", name_of(each), " ", out.levels[each], " where ", in.levels[each], " arrives")
          .why("each chip keeps a part of its own Element; everything stays where it is")
          .help(each == Level::chip ? "name the chips anew with as many positions" : "keep the level as it is");
  }
  // A rotated axis is copied in two pieces, of which only whole steps are known beforehand.
  auto const piece = tile(element, dimension, skewed ? 1 : length, 0, at);
  if (!piece) return piece.refusal();
  DmaTensor source = in, destination = out;
  source.levels[Level::element] = piece->mapping;
  source.view = true;
  destination.levels = in.levels;
  destination.levels[Level::element] = pair(pair(outer, resize_to(dimension, skewed ? 1 : length)), inner);
  auto const plan = detail::dma_packets(device, type, pair_levels(source.levels, destination.levels), source, destination, at);
  if (!plan) return plan.refusal();
  return ChipSliced{*plan, stride, skewed};
}

}  // namespace tcp
