// A tile: some steps of one dimension of a tensor, seen in place. Nothing is copied; the view is another mapping and an offset.
//
//   tile(m![A, B], m![B / 32], 2, start)      the blocks start and start + 1 of sixteen: m![A, B / 32 = 2 # 16, B % 32], 32·start positions in
//
// `start` is a coordinate along the dimension, not the number of a tile, so that tiles may overlap. Coordinates of a view count from the tile's begin.
#pragma once

#include "tcp/mapping/fault.hpp"

namespace tcp {

struct View {
  Mapping mapping{};        // size and strides of the source; what lies outside the tile is padding
  std::int64_t offset = 0;  // positions
  Name axis{};              // coordinate of the source = coordinate of the view + rebase
  std::int64_t rebase = 0;
};

/// `length` steps of `dimension` from `start` on.
///
/// Law: the cell of the source at view.offset + i is the cell of view.mapping at i, with view.rebase added along view.axis, wherever the latter is live.
constexpr Expected<View> tile(const Mapping& source, const Mapping& dimension, std::int64_t length, std::int64_t start, Where at = {}) {
  if (!source.ok()) return refusal_of(source, at);
  if (!dimension.ok()) return refusal_of(dimension, at);
  bool const one_digit = dimension.digits == 1 && dimension.tails == 0 && dimension.digit[0].axis != no_axis &&
                         !dimension.digit[0].in_window() && dimension.digit[0].skewed_by == no_axis && dimension.axis[0].start == 0 &&
                         dimension.digit[0].slot == dimension.digit[0].size;
  Digit const d = dimension.digit[0];
  int in = -1;
  if (one_digit) {
    for (int k = 0; k < source.digits; ++k) {
      Digit const& y = source.digit[k];
      if (y.axis == no_axis || y.in_window() || y.skewed_by != no_axis || !(source.axis[y.axis].name == dimension.axis[0].name)) continue;
      // The dimension must be a whole run of steps of y, padding included: y = outer · dimension · inner.
      bool const inside = d.stride >= y.stride && d.stride % y.stride == 0 && d.stride * d.size <= y.stride * y.size &&
                          y.size % (d.stride / y.stride) == 0 && y.size % (d.stride / y.stride * d.size) == 0 &&
                          y.slot % (d.stride / y.stride * (d.stride * d.size == y.stride * y.size ? 1 : d.size)) == 0;
      if (inside) in = k;
    }
  }
  if (in < 0)
    return refuse("tile-not-in-source", at)
        .what("the tile dimension ", dimension, " is no factor of ", source)
        .why("a tile takes some steps of one factor and leaves all strides as they are")
        .help("tile along an axis of the tensor, or a block of one: B, B / 32");
  if (length < 1 || start < 0 || length > d.size || start > d.size - length)
    return refuse("tile-out-of-range", at)
        .what("a tile of ", length, " steps at ", start, " does not fit into the ", d.size, " steps of ", dimension)
        .why("start is the first step of the tile, counted along the dimension")
        .help(length < 1 || length > d.size ? text("let a tile have 1 to ", d.size, " steps")
                                            : text("let start run from 0 to ", d.size - length));
  Digit const y = source.digit[in];
  std::int64_t const skip = d.stride / y.stride;  // steps of y in one of the dimension
  std::int64_t const outer = y.size / skip / d.size;
  View v;
  v.axis = dimension.axis[0].name;
  v.rebase = start * d.stride;
  Footprints const foot = footprints(source);
  v.offset = start * skip * foot.inside[in];
  // y becomes: its outer part, the tile inside its old place, its inner part.
  Mapping before = detail::part(source, 0, in), after = detail::part(source, in + 1, source.digits);
  int const added = (outer > 1) + (skip > 1);
  if (source.digits + added > Mapping::max_digits)
    return refuse("tile-too-deep", at)
        .what("the view of ", source, " needs more than ", Mapping::max_digits, " factors")
        .why("a mapping is kept in a fixed room")
        .help("tile a tensor with fewer factors");
  Mapping m;
  m.axes = source.axes;
  for (int a = 0; a < source.axes; ++a) m.axis[a] = source.axis[a];
  for (int k = 0; k < before.digits; ++k) m.digit[m.digits++] = before.digit[k];
  Digit taken = y;
  taken.stride = d.stride;
  taken.size = length;
  taken.slot = outer == 1 ? y.slot / skip : d.size;
  taken.pad = outer == 1 ? detail::greater(y.pad, Pad::top) : Pad::top;
  if (outer > 1) {
    Digit out = y;
    out.stride = d.stride * d.size;
    out.size = outer;
    out.slot = y.slot / skip / d.size;
    m.digit[m.digits++] = out;
  }
  std::int8_t const first_new = static_cast<std::int8_t>(in);
  m.digit[m.digits++] = taken;
  if (skip > 1) {
    Digit inner = y;
    inner.size = inner.slot = skip;
    inner.pad = Pad::none;
    m.digit[m.digits++] = inner;
  }
  std::int8_t const grown = static_cast<std::int8_t>(m.digits - 1 - in);
  for (int k = 0; k < after.digits; ++k) m.digit[m.digits++] = after.digit[k];
  for (int t = 0; t < source.tails; ++t) {
    Tail moved = source.tail[t];
    if (moved.first > first_new) moved.first = static_cast<std::int8_t>(moved.first + grown);
    if (moved.last >= first_new) moved.last = static_cast<std::int8_t>(moved.last + grown);
    if (moved.first == first_new && outer == 1) {  // the steps left out are then part of the group's own padding
      m.digit[first_new].slot = length;
      for (int k = moved.first; k <= moved.last; ++k) moved.pad = detail::greater(moved.pad, m.digit[k].pad);
      m.digit[first_new].pad = Pad::none;
    }
    m.tail[m.tails++] = moved;
  }
  m.size = source.size;
  v.mapping = detail::normalise(m);
  return v;
}

/// As `tile`, with the resulting mapping declared. Kinds of padding are not compared.
constexpr Expected<View> tile_as(const Mapping& source, const Mapping& dimension, std::int64_t length, std::int64_t start,
                                 const Mapping& declared, Where at = {}) {
  if (!declared.ok()) return refusal_of(declared, at);
  auto const v = tile(source, dimension, length, start, at);
  if (!v) return v;
  if (!equivalent(v->mapping, declared))
    return refuse("tile-wrong-result", at)
        .what("a tile of ", length, " steps along ", dimension, " of ", source, " is ", v->mapping, ", not ", declared)
        .why("a tile keeps the tensor's strides: the steps it leaves out stay as padding")
        .help("write ", v->mapping);
  return v;
}

}  // namespace tcp
