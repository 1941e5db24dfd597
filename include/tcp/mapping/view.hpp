// A tile: some steps of one dimension of a tensor, seen in place. Nothing is copied; the view is another mapping and an
// offset.
//
//   tile(m![A, B], m![B / 32], 2, start)      the blocks start and start + 1 of sixteen: m![A, B / 32 = 2 # 16, B % 32], 32·start positions in
//
//   tile(m![D # 64], m![D # 64 / 16], 1, 3)   the last block of D = 61: m![D = 13 # 64], 48 positions in
//
// `start` is a coordinate along the dimension, not the number of a tile, so that tiles may overlap. Coordinates of a
// view count from the tile's begin.
#pragma once

#include "tcp/mapping/levels.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

struct View {
  Mapping mapping{};        // size and strides of the source; what is outside the tile is padding
  std::int64_t offset = 0;  // positions; of a tensor's tile, of its Element
  Name axis{};              // coordinate of the source = coordinate of the view + rebase
  std::int64_t rebase = 0;
  Level level = Level::element;  // of a tensor: the one that `mapping` is
  std::int64_t units = 0;        // positions of that level that lie before the tile, if it is not Element
};

namespace detail {

/// Where a tile's dimension is in its source: `digit` = outer · dimension · inner.
struct TileFactor {
  int digit = -1;
  std::int64_t skip = 1;   // steps of the digit in one of the dimension
  std::int64_t outer = 1;  // rounds of the dimension in the digit
  bool ragged = false;     // its last block is not whole
};

/// The dimension must be a run of steps of a digit, padding included; of blocks that reach the end of the digit, the
/// last may be a part of one.
constexpr TileFactor tile_factor(const Mapping& source, const Mapping& dimension) {
  TileFactor f;
  Digit const d = dimension.digit[0];
  if (dimension.digits != 1 || dimension.tails != 0 || d.axis == no_axis || d.in_window() || d.skewed_by != no_axis ||
      dimension.axis[0].start != 0)
    return f;
  for (int k = 0; k < source.digits; ++k) {
    Digit const& y = source.digit[k];
    if (y.axis == no_axis || y.in_window() || y.skewed_by != no_axis || !(source.axis[y.axis].name == dimension.axis[0].name)) continue;
    if (d.stride < y.stride || d.stride % y.stride != 0) continue;
    std::int64_t const skip = d.stride / y.stride;
    bool const to_the_end = d.size == ceil_div(y.size, skip);
    bool const whole =
        y.size % skip == 0 && d.size <= y.size / skip && y.size / skip % d.size == 0 && y.slot % (skip * (to_the_end ? 1 : d.size)) == 0;
    if (whole || to_the_end) f = {k, skip, whole ? y.size / skip / d.size : 1, !whole};
  }
  return f;
}

/// The largest coordinate that a mapping counts to along an axis, less its first.
constexpr std::int64_t reach_along(const Mapping& m, Name axis) {
  std::int64_t reach = 0;
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].axis != no_axis && m.axis[m.digit[k].axis].name == axis) reach += (m.digit[k].size - 1) * m.digit[k].stride;
  return reach;
}

/// Coordinates of a view count from 0, and its axis still ends where the tensor's does: a block that is cut off there
/// would look whole.
constexpr Verdict check_tile_ends(const Mapping& axis_of, const View& v, std::int64_t reach, Where at, Level level = Level::element) {
  int const a = find_axis(axis_of, v.axis);
  if (v.rebase == 0 || a < 0) return accept();
  AxisUse const& axis = axis_of.axis[a];
  if (axis.start >= 0 && axis.start + reach + v.rebase < axis.extent) return accept();
  return refuse("tile-beyond-axis", at)
      .what("a tile of ", name_of(level), " counts ", v.axis, " from ", axis.start + v.rebase, " to ", axis.start + reach + v.rebase,
            ", by several factors; its elements are 0 to ", axis.extent - 1)
      .why("a view counts from 0, so that it would take padding before or after the axis for elements")
      .help("keep ", v.axis, " in one factor of ", name_of(level), ", padded at its end, or let the tile end before the padding");
}

}  // namespace detail

/// `length` steps of `dimension` from `start` on. A dimension of one step has one tile: all there is.
///
/// Law: the cell of the source at view.offset + i is the cell of view.mapping at i, with view.rebase added along
/// view.axis, wherever the latter is live.
constexpr Expected<View> tile(const Mapping& source, const Mapping& dimension, std::int64_t length, std::int64_t start, Where at = {}) {
  if (!source.ok()) return refusal_of(source, at);
  if (!dimension.ok()) return refusal_of(dimension, at);
  bool const single = dimension.size == 1;
  detail::TileFactor const f = single ? detail::TileFactor{} : detail::tile_factor(source, dimension);
  if (!single && f.digit < 0)
    return refuse("tile-not-in-source", at)
        .what("the tile dimension ", dimension, " is no factor of ", source)
        .why("a tile takes some steps of one factor and leaves all strides as they are")
        .help("tile along an axis of the tensor, or a block of one: B, B / 32");
  Digit const d = dimension.digit[0];
  std::int64_t const steps = single ? 1 : d.size;
  if (length < 1 || start < 0 || length > steps || start > steps - length)
    return refuse("tile-out-of-range", at)
        .what("a tile of ", length, " steps at ", start, " does not fit into the ", steps, " steps of ", dimension)
        .why("start is the first step of the tile, counted along the dimension")
        .help(length < 1 || length > steps ? text("let a tile have 1 to ", steps, " steps")
                                           : text("let start run from 0 to ", steps - length));
  View v;
  v.mapping = source;
  if (single) return v;
  int const in = f.digit;
  Digit const y = source.digit[in];
  v.axis = dimension.axis[0].name;
  v.rebase = start * d.stride;
  Footprints const foot = footprints(source);
  v.offset = start * f.skip * foot.inside[in];
  // y becomes: its outer part, the tile inside its old place, its inner part. Of a ragged one, all in one factor.
  Mapping before = detail::part(source, 0, in), after = detail::part(source, in + 1, source.digits);
  bool const has_inner = f.skip > 1 && !f.ragged;
  int const added = (f.outer > 1) + has_inner;
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
  if (f.ragged) {
    std::int64_t const left = y.size - start * f.skip, wanted = length * f.skip;
    taken.size = wanted < left ? wanted : left;
  } else {
    taken.stride = d.stride;
    taken.size = length;
    taken.slot = f.outer == 1 ? y.slot / f.skip : d.size;
  }
  taken.pad = f.outer == 1 ? detail::greater(y.pad, Pad::top) : Pad::top;
  if (f.outer > 1) {
    Digit out = y;
    out.stride = d.stride * d.size;
    out.size = f.outer;
    out.slot = y.slot / f.skip / d.size;
    m.digit[m.digits++] = out;
  }
  std::int8_t const first_new = static_cast<std::int8_t>(in);
  m.digit[m.digits++] = taken;
  if (has_inner) {
    Digit inner = y;
    inner.size = inner.slot = f.skip;
    inner.pad = Pad::none;
    m.digit[m.digits++] = inner;
  }
  std::int8_t const grown = static_cast<std::int8_t>(m.digits - 1 - in);
  for (int k = 0; k < after.digits; ++k) m.digit[m.digits++] = after.digit[k];
  for (int t = 0; t < source.tails; ++t) {
    Tail moved = source.tail[t];
    if (moved.first > first_new) moved.first = static_cast<std::int8_t>(moved.first + grown);
    if (moved.last >= first_new) moved.last = static_cast<std::int8_t>(moved.last + grown);
    if (moved.first == first_new && f.outer == 1) {  // the steps left out are then part of the group's own padding
      m.digit[first_new].slot = m.digit[first_new].size;
      for (int k = moved.first; k <= moved.last; ++k) moved.pad = detail::greater(moved.pad, m.digit[k].pad);
      m.digit[first_new].pad = Pad::none;
    }
    m.tail[m.tails++] = moved;
  }
  m.size = source.size;
  v.mapping = detail::normalise(m);
  if (auto ends = detail::check_tile_ends(source, v, detail::reach_along(v.mapping, v.axis), at); !ends) return ends.refusal();
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

/// The level that a tile along a dimension is a part of: Element if it has the dimension, else the innermost level of
/// units that has it.
constexpr Level level_of_tile(const Levels& tensor, const Mapping& dimension) {
  if (dimension.ok() && dimension.size > 1)
    for (Level level : {Level::element, Level::slice, Level::cluster, Level::chip})
      if (detail::tile_factor(tensor[level], dimension).digit >= 0) return level;
  return Level::element;
}

/// As `tile_as`, of a tensor, which may count the axis on several levels.
constexpr Expected<View> tile_of(const Levels& tensor, const Mapping& dimension, std::int64_t length, std::int64_t start,
                                 const Mapping& declared, Where at = {}) {
  Level const level = level_of_tile(tensor, dimension);
  auto v = tile_as(tensor[level], dimension, length, start, declared, at);
  if (!v) return v;
  std::int64_t reach = detail::reach_along(v->mapping, v->axis);
  for (int l = 0; l < level_count; ++l)
    if (static_cast<Level>(l) != level) reach += detail::reach_along(tensor.at[l], v->axis);
  if (auto ends = detail::check_tile_ends(tensor[level], *v, reach, at, level); !ends) return ends.refusal();
  View of_tensor = *v;
  of_tensor.level = level;
  if (level != Level::element) of_tensor.units = v->offset, of_tensor.offset = 0;
  return of_tensor;
}

}  // namespace tcp
