// Transfers: elements laid out anew, rows by number, chips and clusters exchanged.
#include "tcp/exec/reference/operations.hpp"

#include "exec/reference/spots.hpp"
#include "exec/reference/stages.hpp"

namespace tcp::reference {
namespace {

/// The row that a number names.
Expected<std::int64_t> row_of(const Element& e, const RowNumbers& numbers, Where at) {
  std::int64_t const key = static_cast<std::int32_t>(e.bits), row = key / numbers.step;
  if (key < 0 || row >= numbers.rows || row * numbers.step != key) return no_such_row(key, numbers, at);
  return row;
}

/// Cells one after another: what Chip, Cluster, Slice and Row add to the coordinates is kept while they stay the same.
///
/// Law: at(place) is cell(levels, place).
class Cells {
 public:
  explicit Cells(const Levels& levels) : levels_(levels) {
    for (int l = 0; l < level_count; ++l) counts_[l] = levels.at[l] != Mapping{};
  }

  Cell at(const Place& place) {
    for (int l = 0; l < level_count; ++l)
      if (!levels_.at[l].ok() || place.on(l) < 0 || place.on(l) >= levels_.at[l].size) return {};
    if (!begun_ || place.chip != unit_.chip || place.cluster != unit_.cluster || place.slice != unit_.slice || place.row != unit_.row) {
      begun_ = true;
      unit_ = place;
      in_unit_ = detail::Sum();
      several_in_unit_ = add(in_unit_, place, 0, first_inside);
    }
    detail::Sum sum = in_unit_;
    bool const several = add(sum, place, first_inside, level_count) || several_in_unit_;
    Cell const c = sum.conclude();
    return several && c.live() ? Cell{CellKind::several} : c;
  }

 private:
  static constexpr int first_inside = static_cast<int>(Level::element);

  bool add(detail::Sum& sum, const Place& place, int first, int end) const {
    bool several = false;
    for (int l = first; l < end; ++l)
      if (counts_[l]) several |= detail::add_position(sum, levels_.at[l], place.on(l), 0) > 1;
    return several;
  }

  const Levels& levels_;
  bool counts_[level_count];  // false: m![1], which adds nothing
  bool begun_ = false, several_in_unit_ = false;
  Place unit_;
  detail::Sum in_unit_;
};

/// What lies at each place of the result is what lay at source_of(place).
template <class SourceOf>
Value placed(const Value& in, const Levels& in_levels, const Levels& out_levels, SourceOf source_of) {
  Value out(in.type, axes_of(out_levels));
  Cells from_cells(in_levels), to_cells(out_levels);
  std::vector<std::int64_t> all[level_count];
  for (int l = 0; l < level_count; ++l) all[l] = live_positions(out_levels.at[l]);
  for (std::int64_t chip : all[0])
    for (std::int64_t cluster : all[1])
      for (std::int64_t slice : all[2])
        for (std::int64_t row : all[3])
          for (std::int64_t element : all[4]) {
            Place const to{chip, cluster, slice, row, element};
            Cell const there = to_cells.at(to);
            if (!there.live()) continue;
            Cell const c = from_cells.at(source_of(to));
            if (c.live() && in.holds(c.index)) out.at(there.index) = in.at(c.index);
          }
  return out;
}

/// An element that lies at a place: of a window, whose elements there are all the same, the first.
Cell element_at(const Levels& levels, const Place& place) {
  detail::Sum sum;
  for (int l = 0; l < level_count; ++l) detail::add_position(sum, levels.at[l], place.on(l), 0);
  return sum.conclude();
}

/// Levels that slide windows have several elements at a place: each of them is asked for its own place.
Value read_as_windows(const Value& in, const Levels& in_levels, const Levels& out_levels) {
  Value out(in.type, axes_of(out_levels));
  for (std::int64_t i = 0; i < out.size(); ++i) {
    Place place;
    if (!find_place(out_levels, out.index_of(i), place)) continue;
    Cell const c = element_at(in_levels, place);
    if (c.live() && in.holds(c.index)) out[i] = in.at(c.index);
  }
  return out;
}

}  // namespace

Expected<Value> gather(const Value& table, const Value& rows, Name row_axis, const RowNumbers& numbers, const Levels& out, Where at) {
  Value result(table.type, axes_of(out));
  for (std::int64_t i = 0; i < result.size(); ++i) {
    Index const index = result.index_of(i);
    const Element& row = rows.at(index);
    if (row.undefined != 0) {
      result[i] = {0, row.undefined};
      continue;
    }
    auto const which = row_of(row, numbers, at);
    if (!which) return which.refusal();
    Index from = index;
    from.add(row_axis, *which - index.get(row_axis));
    result[i] = table.at(from);
  }
  return result;
}

Expected<Value> scatter(Value table, const Value& in, const Value& rows, Name row_axis, const RowNumbers& numbers, const Levels& from,
                        Where at) {
  std::vector<bool> taken(static_cast<std::size_t>(table.size()), false);
  Value const source = restrict_to(from, in);
  for (std::int64_t i = 0; i < source.size(); ++i) {
    Index const index = source.index_of(i);
    if (Origin const unknown = rows.at(index).undefined; unknown != 0) {  // it may have been any row
      table.undefine(unknown);
      return table;
    }
    auto const row = row_of(rows.at(index), numbers, at);
    if (!row) return row.refusal();
    Index to = index;
    to.add(row_axis, *row - index.get(row_axis));
    Element& place = table.at(to);
    std::size_t const which = static_cast<std::size_t>(&place - &table[0]);
    if (taken[which]) return row_twice(*row, at);
    taken[which] = true;
    place = source[i];
  }
  return table;
}

Value reread(const Value& in, const Levels& in_levels, const Levels& out_levels, Level level, const std::vector<std::int64_t>& from) {
  if (from.empty() && has_windows(out_levels)) return read_as_windows(in, in_levels, out_levels);
  return placed(in, in_levels, out_levels, [&](Place place) {
    if (from.empty()) return place;
    std::int64_t& moved = level == Level::chip ? place.chip : place.cluster;
    moved = from[static_cast<std::size_t>(moved)];
    return place;
  });
}

void undefine_padding(Value& value, const Levels& from, const Levels& to, Origin why) {
  for (std::int64_t i = 0; i < value.size(); ++i) {
    Place place;
    if (!find_place(to, value.index_of(i), place)) continue;
    Cell const was = element_at(from, place);
    if (!was.live() && was.pad != Pad::zero) value[i] = {0, why};
  }
}

Value chip_slice(const Value& in, const Levels& in_levels, const Levels& out_levels, std::int64_t steps, std::int64_t stride,
                 std::int64_t length, const std::vector<std::int64_t>& start) {
  return placed(in, in_levels, out_levels, [&](Place place) {
    std::int64_t const inner = place.element % stride, step = place.element / stride % length, outer = place.element / stride / length;
    std::int64_t const taken = (start[static_cast<std::size_t>(place.chip)] + step) % steps;  // a whole axis that is turned wraps around
    place.element = (outer * steps + taken) * stride + inner;
    return place;
  });
}

Verdict execute(const ir::Transfer& t, const CommandRun& run) {
  Memory& memory = run.memory;
  Levels const from = run.module.levels(run.module.tensor(t.source)), to = run.module.levels(run.module.tensor(t.destination));
  Value const source = memory.read(t.source);
  switch (t.kind) {
    case ir::Transfer::Kind::move: memory.write(t.destination, source); break;
    case ir::Transfer::Kind::gather: {
      auto v = gather(source, memory.read(t.rows), t.row_axis, RowNumbers::of(run.found.as<Gathered>()), to, memory.at);
      if (!v) return v.refusal();
      memory.write(t.destination, *v);
      break;
    }
    case ir::Transfer::Kind::scatter: {
      auto v = scatter(memory.read_to_change(t.destination), source, memory.read(t.rows), t.row_axis,
                       RowNumbers::of(run.found.as<Gathered>()), from, memory.at);
      if (!v) return v.refusal();
      memory.write(t.destination, *v);
      break;
    }
    case ir::Transfer::Kind::chip_shuffle: memory.write(t.destination, reread(source, from, to, Level::chip, t.permutation)); break;
    case ir::Transfer::Kind::cluster_shuffle: memory.write(t.destination, reread(source, from, to, Level::cluster, t.permutation)); break;
    case ir::Transfer::Kind::chip_slice:
      memory.write(t.destination, chip_slice(source, from, to, run.module.map(t.dimension).size, run.found.as<ChipSliced>().stride,
                                             t.length, t.permutation));
      break;
  }
  return accept();
}

}  // namespace tcp::reference
