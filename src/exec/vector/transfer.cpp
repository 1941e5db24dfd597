// Gathers, scatters, exchanges of chips and clusters, and reshapes: by rows and whole axes where strides allow it,
// place by place elsewhere.
#include "exec/vector/transfer.hpp"

#include <algorithm>
#include <optional>

#include "exec/vector/kernels/move.hpp"
#include "exec/vector/places.hpp"
#include "exec/vector/renamed.hpp"
#include "tcp/rules/shuffle.hpp"
#include "tcp/support/odometer.hpp"
#include "tcp/support/refuse.hpp"

namespace tcp::vector {
namespace {

/// A tensor that is walked along; its axis `except` does not count.
struct Followed {
  const Tensor* tensor;
  Name except{};
};

/// All coordinates of some axes, the last fastest, with the spots of up to three tensors.
class TensorWalk {
 public:
  TensorWalk(const std::vector<AxisSize>& axes, std::initializer_list<Followed> tensors) : axes_(axes) {
    std::vector<OdometerLoop<sides>> loops;
    for (const AxisSize& a : axes_) {
      OdometerLoop<sides> loop{a.size, {}};
      int side = 0;
      for (const Followed& f : tensors) {
        const Axis* const theirs = a.name == f.except && !(f.except == Name{}) ? nullptr : f.tensor->find(a.name);
        loop.stride[side++] = theirs == nullptr ? 0 : theirs->stride;
        loop.stride[side++] = theirs == nullptr ? 0 : theirs->origin_stride;
      }
      loops.push_back(loop);
    }
    odometer_ = Odometer<sides>(loops);
  }
  bool done() const { return odometer_.done(); }
  void next() { odometer_.next(); }
  /// Where the tensor with this number has its element.
  Spot spot(int number) const { return {odometer_.at(2 * number), odometer_.at(2 * number + 1)}; }
  Index index() const {
    Index index;
    for (std::size_t k = 0; k < axes_.size(); ++k) index.add(axes_[k].name, odometer_.round(k));
    return index;
  }

 private:
  static constexpr int sides = 6;  // the elements and the origins of each tensor

  std::vector<AxisSize> axes_;
  Odometer<sides> odometer_;
};

std::vector<AxisSize> sizes_of(const Tensor& t) {
  std::vector<AxisSize> all;
  for (const Axis& a : t.axes) all.push_back({a.name, a.size});
  return all;
}

/// The axes as far as a tensor has their coordinates.
std::vector<AxisSize> shared(std::vector<AxisSize> axes, const Tensor& t, Name except = {}) {
  for (AxisSize& a : axes)
    if (const Axis* theirs = t.find(a.name); theirs != nullptr && (except == Name{} || !(a.name == except)))
      a.size = std::min(a.size, theirs->size);
  return axes;
}

Origin origin_at(const Tensor& t, std::int64_t at) { return t.origins ? t.origin_data()[at] : 0; }

std::uint32_t bits_at(const Tensor& t, std::int64_t at) { return load_bits(t.data() + at * t.width(), t.width()); }

void set(Tensor& t, const Spot& spot, std::uint32_t bits, Origin origin) {
  store_bits(t.writable_data() + spot.bits * t.width(), t.width(), bits);
  if (t.origins) t.writable_origins()[spot.origin] = origin;
}

/// What lies at each place of the result is what lay at source_of(place).
template <class SourceOf>
Tensor placed(const Tensor& in, const Levels& in_levels, const Levels& out_levels, SourceOf source_of) {
  Tensor out = fresh(in.type, axes_of(out_levels));
  std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
  if (in.has_undefined()) track(out);
  PlaceMap const from(in_levels, in), to(out_levels, out);
  each_place(out_levels, [&](const Place& place) {
    Spot here, there;
    if (!to.find(place, here) || !from.find(source_of(place), there)) return;
    set(out, here, bits_at(in, there.bits), origin_at(in, there.origin));
  });
  return without_idle_origins(std::move(out));
}

/// An element that lies at a place: of a window, whose elements there are all the same, the first.
Cell element_at(const Levels& levels, const Place& place) {
  tcp::detail::Sum sum;
  for (int l = 0; l < level_count; ++l) tcp::detail::add_position(sum, levels.at[l], place.on(l), 0);
  return sum.conclude();
}

/// A place of a window shows several elements, so each element looks for its place.
Tensor read_as_windows(const Tensor& in, const Levels& in_levels, const Levels& out_levels) {
  Tensor out = fresh(in.type, axes_of(out_levels));
  std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
  if (in.has_undefined()) track(out);
  PlaceMap const from(in_levels, in);
  TensorWalk all(sizes_of(out), {{&out}});
  constexpr int to = 0;
  for (; !all.done(); all.next()) {
    Place place;
    if (!find_place(out_levels, all.index(), place)) continue;
    Cell const behind = element_at(in_levels, place);
    Spot there;
    if (behind.live() && from.find(behind.index, there)) set(out, all.spot(to), bits_at(in, there.bits), origin_at(in, there.origin));
  }
  return without_idle_origins(std::move(out));
}

/// The axis that counts a level by itself, chip 0 being its coordinate 0; none: the level is laid out in another way.
std::optional<Name> axis_of(const Levels& levels, Level level) {
  const Mapping& m = levels[level];
  bool const plain = m.digits == 1 && m.tails == 0 && m.axes == 1 && m.axis[0].start == 0 && m.digit[0].stride == 1 &&
                     m.digit[0].size == m.size && m.digit[0].slot == m.size && m.digit[0].skewed_by == no_axis && !m.digit[0].in_window();
  if (!plain || m.axis[0].extent != m.size) return {};
  for (const Mapping& other : levels.at)
    for (int a = 0; a < other.axes; ++a)
      if (&other != &m && other.axis[a].name == m.axis[0].name) return {};
  return m.axis[0].name;
}

/// A tensor whose elements are stored in the order of their places: a reshape then finds even steps more often.
Tensor in_order_of(const Levels& levels, const Tensor& in) {
  std::vector<AxisSize> axes;
  auto const add = [&](Name name) {
    const Axis* const a = in.find(name);
    bool const known = std::any_of(axes.begin(), axes.end(), [name](const AxisSize& x) { return x.name == name; });
    if (a != nullptr && !known) axes.push_back({name, a->size});
  };
  for (const Mapping& m : levels.at)
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis != no_axis) add(m.axis[m.digit[k].axis].name);
  for (const Axis& a : in.axes) add(a.name);
  Tensor out = fresh(in.type, axes);
  if (in.has_undefined()) track(out);
  copy_into(out, in);
  return out;
}

/// The coordinates of an axis exchanged: out at c is in at from[c].
Tensor exchanged(const Tensor& in, Name axis, const std::vector<std::int64_t>& from) {
  Tensor out = fresh(in.type, sizes_of(in));
  if (in.has_undefined()) track(out);
  for (std::size_t c = 0; c < from.size(); ++c) {
    Tensor there = fixed_at(out, axis, static_cast<std::int64_t>(c));
    copy_into(there, fixed_at(in, axis, from[c]));
  }
  return without_idle_origins(std::move(out));
}

}  // namespace

Tensor interleaved(const Tensor& first, const Tensor& second, Name axis) {
  std::vector<AxisSize> axes{{axis, 2}};
  for (const Axis& a : first.axes) axes.push_back({a.name, a.size});
  Tensor out = fresh(first.type, axes);
  if (first.has_undefined() || second.has_undefined()) track(out);
  Tensor a = fixed_at(out, axis, 0), b = fixed_at(out, axis, 1);
  copy_into(a, first);
  copy_into(b, second);
  return out;
}

Expected<Tensor> gather(const Tensor& table, const Tensor& rows, Name row_axis, const RowNumbers& numbers, const std::vector<AxisSize>& out,
                        Where at) {
  // A row is moved as a whole: the axes that the numbers depend on are walked, the others move.
  Tensor result = fresh(table.type, shared(shared(out, rows), table, row_axis));
  if (table.has_undefined() || rows.has_undefined()) track(result);
  std::vector<AxisSize> walked;
  std::vector<kernels::MoveLoop> bits, origins;
  for (const Axis& a : result.axes) {
    const Axis* const in_table = a.name == row_axis ? nullptr : table.find(a.name);
    if (rows.find(a.name) != nullptr) {
      walked.push_back({a.name, a.size});
      continue;
    }
    bits.push_back({a.size, in_table == nullptr ? 0 : in_table->stride, a.stride});
    origins.push_back({a.size, in_table == nullptr || !table.origins ? 0 : in_table->origin_stride, a.origin_stride});
  }
  const Axis* const row = table.find(row_axis);
  TensorWalk all(walked, {{&rows}, {&table, row_axis}, {&result}});
  constexpr int number = 0, from = 1, to = 2;
  constexpr std::uint32_t zero = 0;
  constexpr Origin no_origin = 0;
  for (; !all.done(); all.next()) {
    Spot const out_at = all.spot(to);
    std::byte* const there = result.writable_data() + out_at.bits * result.width();
    auto* const there_origins = result.origins ? reinterpret_cast<std::byte*>(result.writable_origins() + out_at.origin) : nullptr;
    auto same = [](std::vector<kernels::MoveLoop> loops) {
      for (kernels::MoveLoop& l : loops) l.from = 0;
      return loops;
    };
    if (Origin const unknown = origin_at(rows, all.spot(number).origin); unknown != 0) {
      kernels::move(same(bits), result.width(), reinterpret_cast<const std::byte*>(&zero), there);
      kernels::move(same(origins), sizeof(Origin), reinterpret_cast<const std::byte*>(&unknown), there_origins);
      continue;
    }
    std::int64_t const key = static_cast<std::int32_t>(bits_at(rows, all.spot(number).bits)), which = key / numbers.step;
    if (key < 0 || which >= numbers.rows || key % numbers.step != 0) return no_such_row(key, numbers, at);
    std::int64_t const begin = all.spot(from).bits + (row == nullptr ? 0 : which * row->stride);
    kernels::move(bits, result.width(), table.data() + begin * table.width(), there);
    if (there_origins == nullptr) continue;
    const Origin* const source =
        table.origins ? table.origin_data() + all.spot(from).origin + (row == nullptr ? 0 : which * row->origin_stride) : &no_origin;
    kernels::move(origins, sizeof(Origin), reinterpret_cast<const std::byte*>(source), there_origins);
  }
  return without_idle_origins(result);
}

Verdict scatter(Tensor& table, const Tensor& in, const Tensor& rows, Name row_axis, const RowNumbers& numbers, Where at) {
  if (in.has_undefined() || rows.has_undefined()) track(table);
  const Axis* const row = table.find(row_axis);
  std::vector<bool> taken(static_cast<std::size_t>(table.storage->size() / table.width()), false);
  TensorWalk all(shared(shared(sizes_of(in), rows), table, row_axis), {{&rows}, {&in}, {&table, row_axis}});
  constexpr int number = 0, from = 1, to = 2;
  for (; !all.done(); all.next()) {
    if (Origin const unknown = origin_at(rows, all.spot(number).origin); unknown != 0) {  // it may have been any row
      table = uniform(table.type, sizes_of(table), 0, unknown);
      return accept();
    }
    std::int64_t const key = static_cast<std::int32_t>(bits_at(rows, all.spot(number).bits)), which = key / numbers.step;
    if (key < 0 || which >= numbers.rows || key % numbers.step != 0) return no_such_row(key, numbers, at);
    Spot spot = all.spot(to);
    spot.bits += row == nullptr ? 0 : which * row->stride;
    spot.origin += row == nullptr ? 0 : which * row->origin_stride;
    auto const mark = static_cast<std::size_t>(table.offset + spot.bits);
    if (taken[mark]) return row_twice(which, at);
    taken[mark] = true;
    set(table, spot, bits_at(in, all.spot(from).bits), origin_at(in, all.spot(from).origin));
  }
  return accept();
}

Tensor reread(const Tensor& in, const Levels& in_levels, const Levels& out_levels, Level level, const std::vector<std::int64_t>& from) {
  std::optional<Name> const axis = axis_of(out_levels, level);
  if (from.empty() || axis) {
    auto same = renamed(in, in_levels, out_levels);
    if (!same) same = renamed(in_order_of(in_levels, in), in_levels, out_levels);
    if (same) return from.empty() ? without_repeats(*same) : exchanged(spread(*same, axes_of(out_levels)), *axis, from);
  }
  if (from.empty() && has_windows(out_levels)) return read_as_windows(in, in_levels, out_levels);
  return placed(in, in_levels, out_levels, [&](Place place) {
    if (from.empty()) return place;
    std::int64_t& moved = level == Level::chip ? place.chip : place.cluster;
    moved = from[static_cast<std::size_t>(moved)];
    return place;
  });
}

Tensor relabelled(const Tensor& in, const Levels& from, const Levels& to, const std::function<Origin()>& why) {
  auto const ends_inside = [](const Levels& levels) { return std::any_of(levels.at, levels.at + level_count, tcp::detail::any_overshoot); };
  if (!ends_inside(from) && !ends_inside(to))
    if (auto const same = renamed(in, from, to)) return without_repeats(*same);
  Tensor out = fresh(in.type, axes_of(to));
  std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
  track(out);
  PlaceMap const behind(from, in), named(to, out);
  Origin unnamed = 0;
  each_place(to, [&](const Place& place) {
    Spot here, there;
    if (!named.find(place, here)) return;
    if (behind.find(place, there)) return set(out, here, bits_at(in, there.bits), origin_at(in, there.origin));
    if (cell(from, place).pad == Pad::zero) return;
    if (unnamed == 0) unnamed = why();
    set(out, here, 0, unnamed);
  });
  return without_idle_origins(std::move(out));
}

Tensor chip_slice(const Tensor& in, const Levels& in_levels, const Levels& out_levels, std::int64_t steps, std::int64_t stride,
                  std::int64_t length, const std::vector<std::int64_t>& start) {
  return placed(in, in_levels, out_levels, [&](Place place) {
    std::int64_t const inner = place.element % stride, step = place.element / stride % length, outer = place.element / stride / length;
    std::int64_t const taken = (start[static_cast<std::size_t>(place.chip)] + step) % steps;  // a whole axis that is turned wraps around
    place.element = (outer * steps + taken) * stride + inner;
    return place;
  });
}

}  // namespace tcp::vector
