// Other looks at a tensor: which reshapes keep it what it is. (Tiles are mapping/view.hpp's: the algebra alone decides
// them.)
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
    Mapping const &is = from.at[i], &becomes = to.at[i];
    if (is.size != becomes.size)
      return refuse("reshape-size", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, " with ", is.size, " positions into ", becomes, " with ",
                becomes.size)
          .why("a reshape moves nothing: every position keeps its place and gets another name")
          .help("give ", name_of(static_cast<Level>(i)), " ", is.size, " positions");
    if (detail::has_window(is) && !equivalent(is, becomes))
      return refuse("reshape-window", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, ", which slides a window, into ", becomes)
          .why("a place of a window belongs to several elements, and a reshape would have to choose one of them")
          .help("reshape the tensor with a plain axis of as many places: that may become any window");
    if (!detail::same_places(is, becomes) && !detail::names_zeros(is, becomes))
      return refuse("reshape-padding", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, " into ", becomes, ", which has its padding elsewhere")
          .why("what is padding holds nothing that could be named, and what holds something must not be forgotten")
          .help("pad both alike, or move the elements by a transfer");
    if (!detail::keeps_zeros(is, becomes))
      return refuse("reshape-zeros", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, " into ", becomes, ", which promises other zeros")
          .why("a reshape writes nothing: padding holds what it held before, and only its own tensor can promise that this is zero")
          .help("pad it with # alone, or with #z in the tensor that is reshaped");
  }
  return accept();
}

}  // namespace tcp
