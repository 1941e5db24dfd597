// Other looks at a tensor: which reshapes keep it what it is, and which names may be given to its positions. (Tiles are
// mapping/view.hpp's: the algebra alone decides them.)
#pragma once

#include "tcp/rules/collect.hpp"
#include "tcp/rules/shuffle.hpp"

namespace tcp {

namespace detail {

/// A reshape that gives names to zero padding as well: what is promised to be zero can be read like an element.
constexpr bool names_zeros(const Mapping& from, const Mapping& to) {
  Mapping filled = from;
  for (int k = 0; k < filled.digits; ++k) {
    Digit& d = filled.digit[k];
    if (d.pad != Pad::zero || d.in_window() || d.skewed_by != no_axis) continue;
    d.size = d.slot;
    d.pad = Pad::none;
  }
  return !any_overshoot(from) && !any_overshoot(to) && places_of(filled) == places_of(to);
}

constexpr bool promises_zeros(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].pad == Pad::zero && m.digit[k].size < m.digit[k].slot) return true;
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::zero) return true;
  return false;
}
/// Law: where this says yes, each position that is zero padding of `to` is zero padding of `from`.
constexpr bool keeps_zeros(const Mapping& from, const Mapping& to) {
  if (!promises_zeros(to)) return true;
  Mapping promised = places_of(from, true);
  Mapping const kept = places_of(to, true);
  for (int k = 0; k < kept.digits; ++k)  // a promise may be forgotten
    if (kept.digit[k].pad == Pad::top && promised.digit[k].pad == Pad::zero) promised.digit[k].pad = Pad::top;
  return promised == kept;
}

/// The steps of digit k of `to`, which are copies, are copies in `from` as well.
constexpr bool copies_in(const Mapping& from, const Mapping& to, const Footprints& foot, int k) {
  std::int64_t const inside = foot.inside[k], beyond = inside * to.digit[k].size;
  Footprints const behind = footprints(from);
  for (int j = 0; j < from.digits; ++j) {
    Digit const& d = from.digit[j];
    bool const covers = inside % behind.inside[j] == 0 && behind.inside[j] * d.slot % beyond == 0;
    if (d.axis == no_axis && d.size == d.slot && covers) return true;
  }
  return false;
}
/// Law: where this says yes, positions that hold one element in `to` hold one in `from`.
constexpr bool keeps_copies(const Mapping& from, const Mapping& to) {
  Footprints const foot = footprints(to);
  for (int k = 0; k < to.digits; ++k)
    if (to.digit[k].axis == no_axis && to.digit[k].size > 1 && !copies_in(from, to, foot, k)) return false;
  return true;
}
constexpr bool has_bottom(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].pad == Pad::bottom) return true;
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::bottom) return true;
  return false;
}

/// Where an axis comes first, all digits of all levels counted, the outermost first; -1: nowhere.
constexpr int first_digit(const Levels& levels, Name axis) {
  int before = 0;
  for (const Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis != no_axis && m.digit[k].slot > 1 && m.axis[m.digit[k].axis].name == axis) return before + k;
    before += Mapping::max_digits;
  }
  return -1;
}
/// Two axes that both have come in the same order.
constexpr Verdict check_order(const Levels& from, const Levels& to, Where at) {
  for (const Mapping& m : to.at)
    for (int a = 0; a < m.axes; ++a)
      for (const Mapping& other : to.at)
        for (int b = 0; b < other.axes; ++b) {
          Name const one = m.axis[a].name, two = other.axis[b].name;
          int const one_now = first_digit(to, one), two_now = first_digit(to, two);
          int const one_then = first_digit(from, one), two_then = first_digit(from, two);
          if (one_now < 0 || two_now <= one_now || one_then < 0 || two_then < 0 || one_then < two_then) continue;
          return refuse("relabel-order", at)
              .what("a relabelling has ", one, " outside of ", two, "; in its tensor ", two, " is outside of ", one)
              .why("another order of the same axes is another tensor: elements would get each other's names")
              .help("move the elements by a transfer, or give the positions new names");
        }
  return accept();
}

/// What every other look at a tensor keeps: `looking` is a reshape or a relabelling of it.
constexpr Verdict check_positions(const char* looking, Level level, const Mapping& is, const Mapping& becomes, Where at) {
  if (is.size != becomes.size)
    return refuse("reshape-size", at)
        .what(looking, " of ", name_of(level), " ", is, " with ", is.size, " positions into ", becomes, " with ", becomes.size)
        .why("nothing moves: every position keeps its place and gets another name")
        .help("give ", name_of(level), " ", is.size, " positions");
  if (has_window(is) && !equivalent(is, becomes))
    return refuse("reshape-window", at)
        .what(looking, " of ", name_of(level), " ", is, ", which slides a window, into ", becomes)
        .why("a place of a window belongs to several elements, and one of them would have to be chosen")
        .help("reshape the tensor with a plain axis of as many places: that may become any window");
  if (!keeps_copies(is, becomes))
    return refuse("reshape-copies", at)
        .what(looking, " of ", name_of(level), " ", is, " into ", becomes, ", which calls several elements copies of one")
        .why("nothing says that they are the same, and which of them is read would depend on who reads")
        .help("name them by an axis, or pad the first of them: 1 # n");
  if (!keeps_zeros(is, becomes))
    return refuse("reshape-zeros", at)
        .what(looking, " of ", name_of(level), " ", is, " into ", becomes, ", which promises other zeros")
        .why("nothing is written: padding holds what it held before, and only its own tensor can promise that this is zero")
        .help("pad it with # alone, or with #z in the tensor that is looked at");
  return accept();
}

}  // namespace detail

/// A reshape: all positions under other indices. Law: a position holds an element in `to` iff it holds one in `from`,
/// or a zero that `from` promises; and `to` promises no zero that `from` does not.
///
/// A plain axis may be seen as a window: its places then have several names each, and those that it steps over none.
/// Such a view is read, by passes and transfers, and never written, no more than one with names for zeros:
/// ir-view-read-only.
constexpr Verdict check_reshape(const Levels& from, const Levels& to, Where at = {}) {
  if (auto v = check_levels(to, at); !v) return v;
  for (int i = 0; i < level_count; ++i) {
    Level const level = static_cast<Level>(i);
    Mapping const &is = from.at[i], &becomes = to.at[i];
    if (auto v = detail::check_positions("a reshape", level, is, becomes, at); !v) return v;
    if (!detail::same_places(is, becomes) && !detail::names_zeros(is, becomes))
      return refuse("reshape-padding", at)
          .what("a reshape of ", name_of(level), " ", is, " into ", becomes, ", which has its padding elsewhere")
          .why("what is padding holds nothing that could be named, and what holds something must not be forgotten")
          .help("pad both alike, move the elements by a transfer, or relabel: that forgets elements, and names padding as undefined ones");
  }
  return accept();
}

/// A relabelling (CHIP-03): names for the positions of all levels, which need not be those that had one. An element
/// that gets none is forgotten, padding that gets one is undefined, or zero where zeros are promised.
///
/// Law: where a position is live in both, it is one element. Such a view is written only if all its positions are live
/// in both or in neither: ir-view-read-only.
constexpr Verdict check_relabel(const Levels& from, const Levels& to, Where at = {}) {
  if (auto v = check_levels(to, at); !v) return v;
  for (int i = 0; i < level_count; ++i) {
    Level const level = static_cast<Level>(i);
    Mapping const &is = from.at[i], &becomes = to.at[i];
    if (auto v = detail::check_positions("a relabelling", level, is, becomes, at); !v) return v;
    if (detail::has_window(becomes) && !equivalent(is, becomes))
      return refuse("relabel-window", at)
          .what("a relabelling of ", name_of(level), " ", is, " into ", becomes, ", which slides a window")
          .why("a window gives several names to a place")
          .help("reshape the tensor: that may show a plain axis as a window");
    if (level == Level::element && !detail::keeps_copies(becomes, is))
      return refuse("relabel-element-copies", at)
          .what("a relabelling of Element ", is, " into ", becomes, ", which names copies")
          .why("copies get names in Chip, Cluster and Slice, where each unit has its own; in Element that is another tensor")
          .help("reshape the tensor, or name the copies where they are made");
    if (detail::has_bottom(is) && !detail::same_places(is, becomes))
      return refuse("relabel-bottom", at)
          .what("a relabelling of ", name_of(level), " ", is, " into ", becomes, ", which names other positions")
          .why("padding with #! is never touched, and a name would let it be read")
          .help("pad the tensor with #, or keep its padding");
  }
  return detail::check_order(from, to, at);
}

}  // namespace tcp
